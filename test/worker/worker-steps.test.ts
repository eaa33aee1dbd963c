import { describe, expect, it } from 'vitest'
import type { HandlerContext } from '../../src/worker/handler/define-handler.ts'
import { testWorker } from './test-worker.ts'

const backoff = { strategy: 'fixed', delay: '1s', jitter: 0 }

describe('steps that a job remembers, on a store', () => {
  // A30
  it('do not charge again when the save after the charge failed', async () => {
    const done: string[] = []
    const handler = {
      backoff,
      async run(_: unknown, ctx: HandlerContext) {
        const charge = await ctx.once('charge', () => {
          done.push('charge')
          return { id: 'c-1' }
        })
        done.push('save')
        if (ctx.attempt === 1) throw new Error('disk full')
        return charge
      },
    }
    const t = await testWorker({ handlers: [handler] })
    const counted: unknown[] = []
    t.events.on('counted', (count) => void counted.push(count))
    const key = await t.add()
    t.worker.start()
    await t.rest()
    await t.clock.advance(1_000)
    await t.rest()
    expect(done).toEqual(['charge', 'save', 'save'])
    const { job, result, steps } = await t.detail(key)
    expect([job.state, result]).toEqual(['completed', '{"id":"c-1"}'])
    expect(steps).toMatchObject([{ step: 'charge', result: '{"id":"c-1"}', unknowns: 0 }])
    expect(counted).toEqual([
      { metric: 'wf_worker_idempotency_cache_hits_total', labels: { type: 'mail' }, value: 1 },
    ])
  })

  // A30
  it('ask verify when the process was killed inside, and run again without it, with the doubt in sight', async () => {
    const done: string[] = []
    const handler = {
      async run(_: unknown, ctx: HandlerContext) {
        await ctx.once('mail', () => void done.push('mail'), { verify: () => 'sent' })
        await ctx.once('text', () => void done.push('text'))
      },
    }
    const t = await testWorker({ handlers: [handler] })
    const key = await t.add()
    // The process that had it stated both intents, and was never heard of again.
    await t.join('dead#1')
    const [claimed] = await t.claim({ workerId: 'dead#1' })
    for (const step of ['mail', 'text'])
      await t.store.beginStep({ jobKey: key, attempt: 1, workerId: 'dead#1' }, step, t.store.now())
    if (claimed) await t.settle(claimed, { kind: 'lost', reason: 'worker_died', detail: 'killed' })
    t.worker.start()
    await t.rest()
    expect(done).toEqual(['text'])
    expect((await t.detail(key)).steps).toMatchObject([
      { step: 'mail', result: '"sent"', unknowns: 1 },
      { step: 'text', result: 'null', unknowns: 1 },
    ])
    expect(t.messages().filter((line) => line.includes('it may have taken effect'))).toHaveLength(2)
  })

  // B063
  it('do not begin in an attempt that has lost its lease', async () => {
    const refusals: unknown[] = []
    const done: string[] = []
    const handler = {
      async run(_: unknown, ctx: HandlerContext) {
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
        await ctx
          .once('charge', () => void done.push('charge'))
          .catch((error: unknown) => refusals.push(error))
      },
    }
    const t = await testWorker({ handlers: [handler] })
    await t.add()
    t.worker.start()
    await t.rest()
    t.worker.fence()
    await t.rest()
    expect(done).toEqual([])
    expect(refusals).toMatchObject([{ kind: 'lease_lost' }])
  })
})

describe('the key for outside effects', () => {
  // A32
  it('is the same for every attempt of a job, after a failure, a loss and a resolution, and of no other job or store', async () => {
    const worlds = [await seen(), await seen()]
    for (const { keys } of worlds) expect(keys).toHaveLength(4)
    const of = ({ keys, first }: Awaited<ReturnType<typeof seen>>) =>
      new Set(keys.filter(([job]) => job === first).map(([, key]) => key))
    expect(worlds.map((world) => of(world).size)).toEqual([1, 1])
    expect(new Set(worlds.flatMap(({ keys }) => keys.map(([, key]) => key))).size).toBe(4)
  })
})

/** A job whose attempts end as lost, failed, stopped and well, and another beside it: whose handlers saw which key. */
async function seen() {
  const keys: [job: number, key: string][] = []
  const handler = {
    backoff,
    run(job: { key: number; attempt: number }, ctx: HandlerContext) {
      keys.push([job.key, ctx.idempotencyKey])
      if (job.key === first && job.attempt < 4) throw new Error('no')
    },
  }
  const t = await testWorker({ handlers: [handler] })
  const first: number = await t.add({ retries: 2 })
  await t.join('dead#1')
  const [claimed] = await t.claim({ workerId: 'dead#1' })
  if (claimed) await t.settle(claimed, { kind: 'lost', reason: 'worker_died', detail: 'killed' })
  await t.add()
  t.worker.start()
  await t.rest()
  await t.clock.advance(2_000)
  await t.rest()
  expect((await t.job(first)).state).toBe('failed')
  await t.engine.resolve([{ jobKey: first, verb: 'resolve', retries: 2, who: 'ann', reason: null }])
  await t.rest()
  await t.clock.advance(2_000)
  await t.rest()
  expect(await t.job(first)).toMatchObject({ state: 'completed' })
  return { keys, first }
}
