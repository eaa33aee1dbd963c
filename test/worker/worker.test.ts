import { describe, expect, it, vi } from 'vitest'
import type { HandlerContext } from '../../src/worker/handler/define-handler.ts'
import { gate, testWorker } from './test-worker.ts'

const never = () => new Promise<never>(() => undefined)

describe('a worker', () => {
  it('takes due jobs, runs them and stores what they came to', async () => {
    const t = await testWorker({
      handlers: [{ run: async (job: { variables: { n: number } }) => ({ twice: job.variables.n * 2 }) }],
    })
    const keys = [await t.add({ variables: { n: 1 } }), await t.add({ variables: { n: 2 } })]
    t.worker.start()
    await t.rest()
    for (const [index, key] of keys.entries()) {
      const { job, result } = await t.detail(key)
      expect(job).toMatchObject({ state: 'completed', attempt: 1, workerId: null })
      expect(result).toBe(`{"twice":${(index + 1) * 2}}`)
    }
    expect(t.worker.settledCount).toBe(2)
    expect(t.worker.running).toEqual([])
  })

  it('starts a handler only after its claim is stored, and frees a slot only when the settlement is', async () => {
    const t = await testWorker({
      handlers: [
        { concurrency: 1, run: async (job: { key: number }) => void seen.push((await t.job(job.key)).state) },
      ],
    })
    const seen: string[] = []
    const exchange = t.engine.exchange
    const held: number[] = []
    t.engine.exchange = async (hand) => {
      const answer = await exchange(hand)
      held.push((await t.store.held('w#1')).length)
      return answer
    }
    for (let job = 0; job < 5; job++) await t.add()
    t.worker.start()
    await t.rest()
    expect(seen).toEqual(['running', 'running', 'running', 'running', 'running'])
    expect(Math.max(...held)).toBe(1)
    expect(await t.store.counts()).toMatchObject({})
    expect(t.worker.settledCount).toBe(5)
  })

  // B015
  it('holds no more jobs than can start, however many are due', async () => {
    const doors: ReturnType<typeof gate<void>>[] = []
    const run = () => {
      const door = gate()
      doors.push(door)
      return door.passed
    }
    const t = await testWorker({ handlers: [{ concurrency: 4, maxJobsActivated: 8, run }] })
    for (let job = 0; job < 300; job++) await t.add()
    t.worker.start()
    await t.rest()
    expect(doors).toHaveLength(4)
    expect(await t.store.held('w#1')).toHaveLength(4)
    doors[0]?.open()
    await t.rest()
    expect(doors).toHaveLength(5)
    expect(await t.store.held('w#1')).toHaveLength(4)
  })

  it('claims at most maxJobsActivated at once', async () => {
    const t = await testWorker({ handlers: [{ concurrency: 10, maxJobsActivated: 2, run: never }] })
    const limits: number[] = []
    const exchange = t.engine.exchange
    t.engine.exchange = async (hand) => {
      const answer = await exchange(hand)
      limits.push(answer.claimed.length)
      return answer
    }
    for (let job = 0; job < 20; job++) await t.add()
    t.worker.start()
    await t.rest()
    expect(limits).toEqual([2, 2, 2, 2, 2])
    expect(t.worker.running).toHaveLength(10)
  })

  // B122
  it('keeps a type whose handlers hang from taking the slots of another', async () => {
    const fast = vi.fn(async () => undefined)
    const t = await testWorker({
      handlers: [
        { type: 'slow', concurrency: 10, timeout: '60s', run: never },
        { type: 'fast', concurrency: 10, run: fast },
      ],
    })
    for (let job = 0; job < 100; job++) await t.add({ type: 'slow' })
    for (let job = 0; job < 100; job++) await t.add({ type: 'fast' })
    t.worker.start()
    await t.rest()
    expect(fast).toHaveBeenCalledTimes(100)
    expect(t.worker.running.map(({ type }) => type)).toEqual(new Array(10).fill('slow'))
  })

  // B120
  it('lets the jobs of a small type through a flood of another within a few turns', async () => {
    const order: string[] = []
    const run = async ({ type }: { type: string }) => void order.push(type)
    const t = await testWorker({
      concurrency: 4,
      handlers: [
        { type: 'a', run },
        { type: 'b', run },
      ],
    })
    for (let job = 0; job < 300; job++) await t.add({ type: 'a' })
    for (let job = 0; job < 10; job++) await t.add({ type: 'b' })
    t.worker.start()
    await t.rest()
    expect(order.filter((type) => type === 'b')).toHaveLength(10)
    expect(order.lastIndexOf('b')).toBeLessThan(25)
  })

  it('caps the sum over all types', async () => {
    const t = await testWorker({
      concurrency: 5,
      handlers: [
        { type: 'a', run: never },
        { type: 'b', run: never },
      ],
    })
    for (let job = 0; job < 20; job++) await t.add({ type: job % 2 ? 'a' : 'b' })
    t.worker.start()
    await t.rest()
    expect(t.worker.running).toHaveLength(5)
  })

  // B068
  it('leaves jobs of a type that it has no handler for as they are', async () => {
    const t = await testWorker({ handlers: [{ type: 'email', run: async () => undefined }] })
    const stray = await t.add({ type: 'emial' })
    const good = await t.add({ type: 'email' })
    t.worker.start()
    await t.rest()
    expect(await t.job(stray)).toMatchObject({ state: 'available', retries: 3, attempt: 0 })
    expect(await t.job(good)).toMatchObject({ state: 'completed' })
  })

  // B107
  it.each(['__proto__', 'toString', 'hasOwnProperty'])(
    'runs a type called %s like any other',
    async (type) => {
      const t = await testWorker({ handlers: [{ type, run: async () => 1 }] })
      const key = await t.add({ type })
      const other = await t.add({ type: 'constructor' })
      t.worker.start()
      await t.rest()
      expect(await t.job(key)).toMatchObject({ state: 'completed' })
      expect(await t.job(other)).toMatchObject({ state: 'available' })
    },
  )

  // B104
  it('sets unreadable jobs aside as poison, and runs the hundred beside them', async () => {
    const t = await testWorker({ handlers: [{ run: async () => 1 }] })
    const bad = await t.add()
    const good: number[] = []
    for (let job = 0; job < 100; job++) good.push(await t.add())
    const claimed = t.engine.exchange
    t.engine.exchange = async (hand) => {
      const answer = await claimed(hand)
      return {
        ...answer,
        claimed: answer.claimed.map((job) => (job.key === bad ? { ...job, variables: '{' } : job)),
      }
    }
    t.worker.start()
    await t.rest()
    const { job, incidents, deadLetter } = await t.detail(bad)
    expect(job).toMatchObject({ state: 'failed', retries: 3 })
    expect(incidents).toMatchObject([{ kind: 'poison_message', error: { code: 'VARIABLES_UNREADABLE' } }])
    expect(deadLetter).toMatchObject({ reason: 'poison', closedAt: null })
    for (const key of good) expect((await t.job(key)).state).toBe('completed')
  })

  // A18
  it('stores children with the completion of their attempt, and none with its failure', async () => {
    const run = (job: { variables: { ok: boolean } }, ctx: HandlerContext) => {
      ctx.enqueue('other', { child: job.variables.ok })
      if (!job.variables.ok) throw new Error('no')
    }
    const t = await testWorker({ handlers: [{ retries: 1, run }] })
    const good = await t.add({ variables: { ok: true } })
    const bad = await t.add({ variables: { ok: false } })
    t.worker.start()
    await t.rest()
    const children = (await t.detail(good)).children
    expect(children).toHaveLength(1)
    expect(await t.job(children[0] ?? 0)).toMatchObject({
      type: 'other',
      state: 'available',
      parentKey: good,
    })
    expect((await t.detail(bad)).children).toEqual([])
  })

  it('starts the children of its own jobs at once', async () => {
    const run = (job: { variables: { depth: number } }, ctx: HandlerContext) => {
      if (job.variables.depth > 0) ctx.enqueue('mail', { depth: job.variables.depth - 1 })
    }
    const t = await testWorker({ handlers: [{ run }] })
    await t.add({ variables: { depth: 5 } })
    t.worker.start()
    await t.rest()
    expect(t.worker.settledCount).toBe(6)
  })

  it('passes on progress, to be stored at most once a second', async () => {
    const told: unknown[] = []
    const t = await testWorker({
      handlers: [{ run: (_: unknown, ctx: HandlerContext) => ctx.progress(0.5, 'half') }],
    })
    t.events.on('progress', (progress) => told.push(progress))
    const key = await t.add()
    t.worker.start()
    await t.rest()
    expect(told).toEqual([{ jobKey: key, attempt: 1, fraction: 0.5, note: 'half' }])
  })

  it('comes back to a job when its backoff is over, without being told', async () => {
    const attempts: number[] = []
    const run = async (job: { attempt: number }) => {
      attempts.push(t.clock.monotonic())
      if (job.attempt < 3) throw new Error('busy')
    }
    const t = await testWorker({
      handlers: [{ run, backoff: { strategy: 'fixed', delay: '10s', jitter: 0 } }],
    })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    await t.clock.advance(30_000)
    await t.rest()
    expect((await t.job(key)).state).toBe('completed')
    const waits = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0))
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(10_000)
      expect(wait).toBeLessThan(10_100)
    }
  })

  it('starts a job of a paused type only when the type is resumed', async () => {
    const run = vi.fn(async () => undefined)
    const t = await testWorker({ handlers: [{ run }] })
    await t.engine.pauseTypes(['mail'], { paused: true, reason: 'x', who: 'me' })
    const key = await t.add()
    t.worker.start()
    await t.clock.advance(5_000)
    expect(run).not.toHaveBeenCalled()
    await t.engine.pauseTypes(['mail'], { paused: false, reason: null, who: 'me' })
    await t.rest()
    expect(run).toHaveBeenCalledTimes(1)
    expect((await t.job(key)).state).toBe('completed')
  })

  // B119
  it('starts what waited at the very instant at which a pause ends by itself, and then on a ramp', async () => {
    const starts: number[] = []
    const t = await testWorker({
      handlers: [{ run: async () => void starts.push(t.clock.now()), concurrency: 10 }],
    })
    const untilAt = t.clock.now() + 3_210
    await t.engine.pauseTypes(['mail'], { paused: true, reason: 'x', who: 'me', untilAt })
    for (let job = 0; job < 20; job++) await t.add()
    t.worker.start()
    await t.clock.advance(3_209)
    await t.rest()
    expect(starts).toEqual([])
    await t.clock.advance(1)
    await t.rest()
    expect(starts).toEqual([untilAt])
    await t.clock.advance(999)
    await t.rest()
    expect(starts).toHaveLength(1)
    for (const started of [3, 7, 15]) {
      await t.clock.advance(1_000)
      await t.rest()
      expect(starts).toHaveLength(started)
    }
  })

  it('takes breath between starts that take long, so that timers and signals come to their turn', async () => {
    const starts: number[] = []
    let turn = 0
    const t = await testWorker({
      handlers: [
        {
          run() {
            t.clock.block(3)
            starts.push(turn)
          },
        },
      ],
    })
    for (let job = 0; job < 10; job++) await t.add()
    t.worker.start()
    for (turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(starts).toHaveLength(10)
    for (const each of new Set(starts))
      expect(starts.filter((start) => start === each).length).toBeLessThanOrEqual(2)
  })

  it('gives back what it has claimed but not started when it is told to leave', async () => {
    const t = await testWorker({
      handlers: [
        {
          run() {
            t.clock.block(10)
            void t.worker.drain({ graceMs: 1_000, abortInMs: 500 })
          },
        },
      ],
    })
    const keys: number[] = []
    for (let job = 0; job < 10; job++) keys.push(await t.add())
    t.worker.start()
    await t.rest()
    const states = await Promise.all(keys.map(async (key) => (await t.job(key)).state))
    expect(states).toEqual(['completed', ...new Array(9).fill('available')])
    expect((await t.job(keys[9] ?? 0)).retries).toBe(3)
  })
})
