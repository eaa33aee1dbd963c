import { describe, expect, it, onTestFinished } from 'vitest'
import type { Verdict } from '../../src/domain/breaker.ts'
import { closeBreaker, inspectBreaker, tripBreaker } from '../../src/engine/breaker-admin.ts'
import { SharedBreakers, type SharedBreakersOptions } from '../../src/engine/breakers.ts'
import { changeBreaker as change } from '../../src/engine/plans/breakers.ts'
import { seededRandom } from '../../src/random.ts'
import type { BreakerPolicy } from '../../src/resilience/breaker-policy.ts'
import { CircuitBreaker } from '../../src/resilience/circuit-breaker.ts'
import { DependencyRefusal } from '../../src/resilience/dependency-refused.ts'
import type { Store } from '../../src/store/port.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import { openTestStore } from '../support/open-test-store.ts'
import { declareTypes, intercept } from '../support/plans.ts'

const policy: BreakerPolicy = {
  ...{ failures: 5, shouldTrip: null, intervalMs: null, openForMs: 10_000, probes: 1 },
  ...{ isSuccessful: null, isExcluded: null, shared: true, hold: true },
}
const terms = { openForMs: 10_000, probes: 1 }

/** One worker process: its own connection, its own view. */
function process(store: Store, clock: FakeClock, more: Partial<SharedBreakersOptions> = {}) {
  const errors: unknown[] = []
  const breakers = new SharedBreakers({
    store,
    clock,
    who: 'w#1',
    onError: (error) => void errors.push(error),
    ...more,
  })
  onTestFinished(() => breakers.close())
  const shared = breakers.of('stripe')
  const breaker = new CircuitBreaker({ name: 'stripe', policy, clock, random: seededRandom(1), shared })
  const acquire = (holder = 'w#1') => shared.change({ kind: 'acquire', holder }, terms)
  const call = async (verdict: Verdict): Promise<'through' | 'refused'> => {
    const fn = () => (verdict === 'success' ? Promise.resolve() : Promise.reject(verdict))
    const thrown: unknown = await breaker
      .run(fn, (error) => error as Verdict)
      .then(
        () => null,
        (error: unknown) => error,
      )
    return thrown instanceof DependencyRefusal ? 'refused' : 'through'
  }
  return { breakers, shared, breaker, call, acquire, errors }
}

async function twoProcesses() {
  const { store, clock, location } = await openTestStore({ file: true })
  const other = await openTestStore({ location, clock })
  const [one, two] = [process(store, clock), process(other.store, clock)]
  await clock.settle()
  return { store, other: other.store, clock, one, two }
}

describe('the breakers of a store', () => {
  // A26
  it('opened in one process hold calls in another within a second', async () => {
    const { store, clock, one, two } = await twoProcesses()
    for (let call = 0; call < 5; call++) await one.call('failure')
    await clock.settle()
    expect(await one.call('success')).toBe('refused')
    expect(await store.breaker('stripe')).toMatchObject({
      mode: 'open',
      generation: 1,
      reason: expect.stringContaining('5 failures in a row'),
    })
    await clock.advance(1_000)
    expect([await two.call('success'), two.breaker.snapshot().mode]).toEqual(['refused', 'open'])
  })

  // A26
  it('tripped from elsewhere hold both within a second, and let calls through again once they are closed', async () => {
    const { store, clock, one, two } = await twoProcesses()
    await tripBreaker(store, 'stripe', { forMs: 60_000, who: 'ada', reason: 'they asked us to' })
    await clock.advance(1_000)
    expect([await one.call('success'), await two.call('success')]).toEqual(['refused', 'refused'])
    await closeBreaker(store, 'stripe', { who: 'ada', reason: 'well again' })
    await clock.advance(1_000)
    expect([await one.call('success'), await two.call('success')]).toEqual(['through', 'through'])
    expect((await store.breakerHistory('stripe', 9)).map(({ event, who }) => [event, who])).toEqual([
      ['breaker_closed', 'ada'],
      ['breaker_opened', 'ada'],
    ])
  })

  // A26
  it('are seen as soon as another connection has committed, where the store tells of it', async () => {
    const { store, clock } = await openTestStore()
    let changed = () => {}
    const told: Store = {
      ...store,
      watch(listener) {
        changed = listener
        return () => {}
      },
    }
    const { breaker } = process(told, clock)
    await clock.advance(100)
    await tripBreaker(store, 'stripe', { forMs: 60_000, who: 'ada', reason: '' })
    changed()
    await clock.settle()
    expect(breaker.snapshot().mode).toBe('open')
    await closeBreaker(store, 'stripe', { who: 'ada', reason: '' })
    changed()
    await clock.settle()
    expect(breaker.snapshot().mode, 'not twice within 50 ms').toBe('open')
    await clock.advance(50)
    expect(breaker.snapshot().mode).toBe('closed')
  })

  // A25
  it('write nothing for calls while they are closed', async () => {
    const { other, clock, one } = await twoProcesses()
    const before = await other.version()
    for (let call = 0; call < 100; call++) await one.call(call % 5 === 0 ? 'failure' : 'success')
    await clock.advance(2_000)
    expect(await other.version()).toBe(before)
  })

  // A25
  it('let one probe through in two processes, and close for both when it succeeds', async () => {
    const { store, clock, one, two } = await twoProcesses()
    for (let call = 0; call < 5; call++) await one.call('failure')
    await clock.advance(10_000)
    const asked = await Promise.all([one, two, one, two].map(({ acquire }) => acquire('w#2')))
    expect(asked.filter(Boolean)).toEqual([{ generation: 2, permit: 1 }])
    expect(one.shared.read().probes.length + two.shared.read().probes.length).toBe(2)
    const [ticket] = asked.filter((each) => each !== null)
    if (!ticket) throw new Error('nobody got a permit')
    await two.shared.change({ kind: 'release', ticket, verdict: 'success' }, terms)
    await clock.advance(1_000)
    expect([await one.call('success'), await two.call('success')]).toEqual(['through', 'through'])
    expect((await store.breakerHistory('stripe', 1))[0]).toMatchObject({
      event: 'breaker_closed',
      who: 'w#1',
      reason: 'probes succeeded',
    })
  })

  it('show an own change, even if a read that began before it ends after it', async () => {
    const { store, clock } = await openTestStore()
    let ends: (() => void)[] = []
    const slow: Store = {
      ...store,
      async breakers() {
        const rows = await store.breakers()
        await new Promise<void>((resolve) => ends.push(resolve))
        return rows
      },
    }
    const { shared } = process(slow, clock)
    await clock.settle()
    await shared.change({ kind: 'open', generation: 0 }, terms, 'r')
    for (const end of ends) end()
    ends = []
    await clock.settle()
    expect(shared.read()).toMatchObject({ mode: 'open', generation: 1 })
    await clock.advance(500)
    for (const end of ends) end()
    await clock.settle()
    expect(shared.read()).toMatchObject({ mode: 'open', generation: 1 })
  })

  it('report a failing read once, keep what they read, and go on polling', async () => {
    const { store, clock } = await openTestStore()
    let failure: Error | null = null
    const broken: Store = { ...store, breakers: () => (failure ? Promise.reject(failure) : store.breakers()) }
    const { shared, errors } = process(broken, clock)
    await tripBreaker(store, 'stripe', { forMs: 60_000, who: 'ada', reason: 'r' })
    await clock.advance(1_000)
    failure = new Error('the disk is gone')
    await clock.advance(5_000)
    expect([errors, shared.read().mode]).toEqual([[failure], 'open'])
    failure = null
    await closeBreaker(store, 'stripe', { who: 'ada', reason: 'r' })
    await clock.advance(1_000)
    expect([errors.length, shared.read().mode]).toEqual([1, 'closed'])
  })

  it('give up on a store that does not answer, and release the permit that comes too late', async () => {
    const { store, clock } = await openTestStore()
    let answer = () => {}
    const slow: Store = { ...store }
    intercept(slow, change, async (_items, _now, proceed) => {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return proceed()
    })
    await tripBreaker(store, 'stripe', { forMs: 1, who: 'ada', reason: 'r' })
    await clock.advance(10)
    const { acquire, errors } = process(slow, clock)
    const refused = expect(acquire()).rejects.toMatchObject({
      code: 'store_locked',
    })
    await clock.advance(3_000)
    await refused
    expect(errors).toMatchObject([{ code: 'store_locked' }])
    answer()
    await clock.settle()
    expect((await store.breaker('stripe'))?.probes).toMatchObject([{ holder: 'w#1' }])
    answer()
    await clock.settle()
    expect(await store.breaker('stripe')).toMatchObject({ mode: 'half_open', probes: [] })
  })
})

describe('an operator', () => {
  it('trips what nobody has opened yet, for as long as said, and closes what is open only', async () => {
    const { store, clock } = await openTestStore()
    expect(await closeBreaker(store, 'stripe', { who: 'ada', reason: 'r' })).toEqual({
      breaker: null,
      changed: false,
      operation: null,
    })
    const { breaker } = await tripBreaker(store, 'stripe', { forMs: 600_000, who: 'ada', reason: 'r' })
    expect(breaker).toMatchObject({
      mode: 'open',
      by: 'operator',
      who: 'ada',
      expiresAt: clock.now() + 600_000,
      terms: { openForMs: 30_000, probes: 1 },
    })
    expect(await closeBreaker(store, 'stripe', { who: 'bob', reason: '' })).toMatchObject({
      changed: true,
      breaker: { mode: 'closed', reason: null },
    })
    expect(await closeBreaker(store, 'stripe', { who: 'eve', reason: 'r' })).toMatchObject({
      changed: false,
      breaker: { who: 'bob' },
    })
    for (const name of ['', 'x'.repeat(201)]) {
      await expect(tripBreaker(store, name, { forMs: 1, who: 'ada', reason: 'r' })).rejects.toMatchObject({
        code: 'usage',
      })
    }
  })

  it('keeps the terms by which workers opened it', async () => {
    const { store, clock } = await openTestStore()
    const { shared } = process(store, clock)
    await shared.change({ kind: 'open', generation: 0 }, terms, 'r')
    const { breaker } = await tripBreaker(store, 'stripe', { forMs: 1_000, who: 'ada', reason: 'r' })
    expect(breaker?.terms).toEqual(terms)
  })

  it('sees it as it is by now: over openings, free probes, the types behind it', async () => {
    const { store, clock } = await openTestStore()
    await declareTypes(
      store,
      [
        {
          type: 'charge',
          timeoutMs: 1,
          concurrency: 1,
          retries: 1,
          backlogLimit: null,
          onExhausted: 'incident',
          breakers: ['stripe', 'bank'],
        },
      ],
      store.now(),
    )
    const seen = async () => {
      const row = await store.breaker('stripe')
      if (row === null) throw new Error('no breaker')
      return inspectBreaker(row, await store.types(store.now()), store.now())
    }
    await tripBreaker(store, 'stripe', { forMs: 20_000, who: 'ada', reason: 'r' })
    await clock.advance(5_000)
    expect(await seen()).toMatchObject({ mode: 'open', ageMs: 5_000, retryInMs: 15_000, types: ['charge'] })
    await clock.advance(15_000)
    expect(await seen()).toMatchObject({ mode: 'half_open', retryInMs: 0 })
    await process(store, clock).acquire()
    expect(await seen()).toMatchObject({ mode: 'half_open', retryInMs: 10_000, probes: [{ holder: 'w#1' }] })
  })
})
