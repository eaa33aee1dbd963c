import { describe, expect, it } from 'vitest'
import { closeBreaker, tripBreaker } from '../../src/engine/breaker-admin.ts'
import { createInspector } from '../../src/engine/inspector.ts'
import type { HandlerContext } from '../../src/worker/handler/define-handler.ts'
import { testWorker } from './test-worker.ts'

const openForMs = 30_000

/** A dependency that all workers of the test call, and when it was called. */
class Bank {
  up = true
  readonly calledAt: number[] = []
  hangs = false

  handler(type: string, now: () => number, more: object = {}) {
    return {
      type,
      timeout: '1h',
      dependencies: { bank: { retry: {}, breaker: { failures: 5, openFor: openForMs } } },
      run: (_: unknown, ctx: HandlerContext) => ctx.call('bank', (signal) => this.#answer(now(), signal)),
      ...more,
    }
  }

  async #answer(now: number, signal: AbortSignal): Promise<string> {
    this.calledAt.push(now)
    if (this.hangs)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    if (!this.up) throw Object.assign(new Error('down'), { status: 503 })
    return 'paid'
  }
}

/** `workers` processes of one store, each with its own types. */
async function world(workers: readonly (readonly string[])[]) {
  const bank = new Bank()
  const [first = [], ...others] = workers
  let now = () => 0
  const handlersOf = (types: readonly string[]) => types.map((type) => bank.handler(type, () => now()))
  const t = await testWorker({ handlers: handlersOf(first) })
  now = t.clock.monotonic
  const all = [
    t.worker,
    ...(await Promise.all(
      others.map((types, index) => t.another({ workerId: `w#${index + 2}`, handlers: handlersOf(types) })),
    )),
  ]
  for (const worker of all) worker.start()
  await t.rest()
  const states = async (type: string) => (await t.store.jobs({ types: [type] }, { limit: 1_000 })).items
  return { ...t, bank, all, states }
}

describe('a breaker that workers share', () => {
  // A26
  it('opened by one worker holds the jobs of another within a second', async () => {
    const t = await world([['pay'], ['refund']])
    t.bank.up = false
    for (let job = 0; job < 5; job++) await t.add({ type: 'pay' })
    await t.rest()
    expect(t.bank.calledAt).toHaveLength(5)
    await t.clock.advance(1_000)
    const before = t.bank.calledAt.length
    const key = await t.add({ type: 'refund' })
    await t.clock.advance(5_000)
    expect(t.bank.calledAt).toHaveLength(before)
    expect(await t.job(key)).toMatchObject({ state: 'available', attempt: 0, retries: 3 })
    expect((await createInspector(t.store, t.store.now).job(key))?.job).toMatchObject({
      key,
      state: 'available',
    })
    expect((await t.states('pay')).map(({ retries, failures }) => [retries, failures])).toEqual(
      Array.from({ length: 5 }, () => [3, 0]),
    )
  })

  // A26
  it('tripped by an operator holds jobs within a second, and closed by one lets them go', async () => {
    const t = await world([['pay']])
    await tripBreaker(t.store, 'bank', { forMs: 3_600_000, who: 'ann', reason: 'the bank asked' })
    await t.clock.advance(1_000)
    const key = await t.add({ type: 'pay' })
    await t.clock.advance(60_000)
    expect([t.bank.calledAt.length, (await t.job(key)).state]).toEqual([0, 'available'])
    await closeBreaker(t.store, 'bank', { who: 'ann', reason: 'it is back' })
    await t.clock.advance(2_000)
    expect(await t.job(key)).toMatchObject({ state: 'completed', attempt: 1 })
  })

  // A25
  it('sees at most one request an open period over all workers, spends no retry, and lets all complete when it returns', async () => {
    const t = await world([['pay'], ['pay'], ['pay']])
    t.bank.up = false
    for (let job = 0; job < 60; job++) await t.add({ type: 'pay' })
    await t.rest()
    await t.clock.advance(1_000)
    const openedAt = t.clock.monotonic()
    const toOpen = t.bank.calledAt.length
    // Each process may have had as many under way as it needs to see it open.
    expect(toOpen).toBeLessThanOrEqual(3 * 10)
    await t.clock.advance(10 * openForMs)
    const later = t.bank.calledAt.slice(toOpen).map((at) => at - openedAt)
    expect(later.length).toBeGreaterThanOrEqual(8)
    for (const [index, at] of later.entries())
      expect(at - (later[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(openForMs)
    t.bank.up = true
    await t.clock.advance(4 * openForMs)
    for (let round = 0; round < 10; round++) await t.rest()
    const jobs = await t.states('pay')
    expect(new Set(jobs.map(({ state }) => state))).toEqual(new Set(['completed']))
    expect(new Set(jobs.map(({ failures, retries }) => `${failures} ${retries}`))).toEqual(new Set(['0 3']))
  })

  // A25
  it('alone with a dependency that fails for it costs nothing for an hour, then its retries, and stops with the error', async () => {
    const t = await world([['pay']])
    t.bank.up = false
    const key = await t.add({ type: 'pay', retries: 3 })
    // Three tries, and two that open the breaker: the first attempt fails before anything is known to be down.
    await t.clock.advance(60_000)
    expect(await t.job(key)).toMatchObject({ retries: 2, failures: 1 })
    await t.clock.advance(59 * 60_000)
    expect(await t.job(key)).toMatchObject({ retries: 2, failures: 1 })
    await t.clock.advance(130 * 60_000)
    expect(await t.job(key)).toMatchObject({ state: 'failed', retries: 0, failures: 3 })
    const { incidents } = await t.detail(key)
    expect(incidents).toMatchObject([{ kind: 'job_no_retries', error: { message: 'down' } }])
  })

  // A25
  it('gives the place of a probe that hangs to another after an open period', async () => {
    const t = await world([['pay']])
    await tripBreaker(t.store, 'bank', { forMs: 1_000, who: 'ann', reason: 'test' })
    await t.clock.advance(500)
    t.bank.hangs = true
    await t.add({ type: 'pay' })
    await t.clock.advance(2_000)
    expect(t.bank.calledAt).toHaveLength(1)
    t.bank.hangs = false
    const key = await t.add({ type: 'pay' })
    await t.clock.advance(openForMs - 5_000)
    expect(await t.job(key)).toMatchObject({ state: 'available', attempt: 0 })
    await t.clock.advance(10_000)
    expect([(await t.job(key)).state, t.bank.calledAt.length]).toEqual(['completed', 2])
  })
})
