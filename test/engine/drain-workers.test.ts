import { retireWorkers } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { drainWorkers, untilDrained } from '../../src/engine/drain-workers.ts'
import { testEngine } from '../support/test-engine.ts'

describe('asking workers to drain', () => {
  it('marks their rows and keeps who asked, why and whom as an operation', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await t.join('w#2')
    const id = await drainWorkers(t.store, { workerIds: ['w#1'], who: 'ann', reason: 'release 42' })
    expect((await t.store.workers(t.store.now())).map(({ state }) => state)).toEqual(['draining', 'running'])
    expect(await t.store.operation(id)).toMatchObject({
      verb: 'drain',
      who: 'ann',
      reason: 'release 42',
      selector: 'w#1',
      matched: 1,
      changed: 1,
    })
    expect(await t.store.history(10)).toMatchObject([
      { event: 'worker_drained', who: 'ann', reason: 'release 42' },
    ])
  })

  it('waits until they are gone or their lease is over, and names those that are still there when the time is up', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await t.join('w#2')
    const watch = { store: t.store, clock: t.clock, workerIds: ['w#1', 'w#2'], timeoutMs: 5_000 }
    const late = untilDrained(watch)
    await retireWorkers(t.store, ['w#1'], t.store.now())
    await t.clock.advance(5_000)
    expect(await late).toEqual(['w#2'])
    const gone = untilDrained({ ...watch, timeoutMs: 3_600_000 })
    await t.store.renew(['w#2'], t.store.now() + 10_000, t.store.now())
    await t.clock.advance(11_000)
    expect(await gone).toEqual([])
  })

  it('gives up waiting when somebody breaks it off', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const over = new AbortController()
    const waiting = untilDrained({
      store: t.store,
      clock: t.clock,
      workerIds: ['w#1'],
      timeoutMs: 60_000,
      signal: over.signal,
    })
    over.abort()
    expect(await waiting).toEqual(['w#1'])
  })
})
