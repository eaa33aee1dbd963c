import type { Store } from '../../../src/store/port.ts'
import { reportBreakers } from '../../../src/engine/plans/workers.ts'
import { intercept } from '../../support/plans.ts'
import { describe, expect, it, vi } from 'vitest'
import { createInspector } from '../../../src/engine/inspector.ts'
import { localBreakers } from '../../../src/engine/local-breakers.ts'
import type { HandlerContext } from '../../../src/worker/handler/define-handler.ts'
import { testWorker } from '../test-worker.ts'

/** Two workers of one store, each with a breaker of its own for one bank, which is up or down for each of them. */
async function world() {
  const up = [true, true]
  const handler = (worker: number) => ({
    dependencies: { bank: { breaker: { failures: 2, openFor: '30s', shared: false } } },
    concurrency: 1,
    run: (_: unknown, ctx: HandlerContext) =>
      ctx.call('bank', async () => {
        if (!up[worker]) throw new Error('down')
      }),
  })
  const t = await testWorker({ handlers: [handler(0)] })
  const two = await t.another({ workerId: 'w#2', handlers: [handler(1)] })
  const seen = async () => localBreakers(await t.store.workers(t.clock.now()), t.clock.now())
  const told = async () =>
    (await seen()).map(({ worker, name, mode, ageMs }) => `${worker} ${name} ${mode} for ${ageMs / 1_000} s`)
  return { ...t, two, up, seen, told }
}

/** Called for each report to the store. */
function reports(store: Store) {
  const called = vi.fn(async () => undefined)
  intercept(store, reportBreakers, async (_items, _now, proceed) => {
    await called()
    return proceed()
  })
  return called
}

describe("a worker's own breakers", () => {
  // B044
  it('are shown for each start of a worker with their age; those of a dead worker disappear, and what nobody told is not shown', async () => {
    const t = await world()
    expect(await t.told(), 'no worker has told yet').toEqual([])
    t.worker.start()
    await t.clock.advance(2_000)
    expect(await t.told()).toEqual(['w#1 bank closed for 2 s'])
    t.up[0] = false
    for (let job = 0; job < 2; job++) await t.add()
    await t.clock.advance(1_000)
    t.two.start()
    await t.clock.advance(3_000)
    const [first, second] = await t.seen()
    expect(first).toMatchObject({ worker: 'w#1', mode: 'open', types: ['mail'], generation: 2 })
    expect(first?.ageMs).toBeGreaterThan(2_000)
    expect(first?.retryInMs).toBe(30_000 - (first?.ageMs ?? 0))
    expect(second).toMatchObject({ worker: 'w#2', mode: 'closed' })
    // Killed: its row stays until somebody takes it away, its lease ends.
    await t.store.renew(['w#1'], t.clock.now(), t.clock.now())
    expect((await t.seen()).map(({ worker }) => worker)).toEqual(['w#2'])
    await t.join('w#3')
    expect(
      (await t.seen()).map(({ worker }) => worker),
      'w#3 has told nothing',
    ).toEqual(['w#2'])
  })

  // B044
  it('are half-open once their opening is over, whether or not a call has asked since', async () => {
    const t = await world()
    t.up[0] = false
    t.worker.start()
    for (let job = 0; job < 2; job++) await t.add()
    await t.clock.advance(1_000)
    await t.worker.stop()
    const [open] = await t.seen()
    expect(open?.mode).toBe('open')
    await t.clock.advance(open?.retryInMs ?? 0)
    expect(await t.seen()).toMatchObject([{ mode: 'half_open', retryInMs: 0 }])
  })

  // A27
  it('say in a held job why it does not start, where every worker of its type holds it', async () => {
    const t = await world()
    t.up.fill(false)
    for (const worker of [t.worker, t.two]) worker.start()
    for (let job = 0; job < 8; job++) await t.add()
    await t.clock.advance(3_000)
    expect((await t.seen()).map(({ mode }) => mode)).toEqual(['open', 'open'])
    const key = await t.add()
    const inspector = createInspector(t.store, () => t.clock.now())
    expect((await inspector.job(key))?.job.held).toMatchObject({
      by: 'breaker',
      why: expect.stringMatching(/^the breaker of bank is open for another 2\d/),
    })
    await t.store.renew(['w#1'], t.clock.now(), t.clock.now())
    t.up[1] = true
    await t.clock.advance(40_000)
    expect((await inspector.job(key))?.job).toMatchObject({ held: null, state: 'completed' })
  })

  it('cost nothing where a worker has none, at most one write a second where they flap, and no more after its end', async () => {
    const plain = await testWorker({ handlers: [{ run: () => 1, dependencies: { bank: { breaker: {} } } }] })
    const untold = reports(plain.store)
    plain.worker.start()
    await plain.clock.advance(5_000)
    expect(untold).not.toHaveBeenCalled()

    const t = await world()
    const tell = reports(t.store)
    t.worker.start()
    t.up[0] = false
    for (let job = 0; job < 2; job++) await t.add()
    await t.rest()
    expect(tell).toHaveBeenCalledTimes(1)
    await t.clock.advance(1_000)
    expect(tell).toHaveBeenCalledTimes(2)
    await t.worker.stop()
    await t.clock.advance(60_000)
    expect(tell).toHaveBeenCalledTimes(2)
  })

  it('are told again where the store could not take it', async () => {
    const t = await world()
    reports(t.store).mockRejectedValueOnce(new Error('locked'))
    t.worker.start()
    await t.rest()
    expect(await t.seen()).toEqual([])
    await t.clock.advance(1_000)
    expect(await t.seen()).toHaveLength(1)
    expect(t.messages().filter((message) => message.includes('process-local breakers'))).toHaveLength(2)
  })
})
