import { circuitBreaker as cockatielBreaker, ConsecutiveBreaker, CircuitState, handleAll } from 'cockatiel'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  BusinessError,
  DeferError,
  IncidentError,
  PoisonError,
  RetryError,
} from '../../src/domain/handler-errors.ts'
import { type BreakerPolicy, rulesOf, verdictOf } from '../../src/resilience/breaker-policy.ts'
import { type BreakerChange, CircuitBreaker } from '../../src/resilience/circuit-breaker.ts'
import { DependencyRefusal } from '../../src/resilience/dependency-refused.ts'
import { TimeLimitError } from '../../src/resilience/timeout.ts'
import { seededRandom } from '../../src/random.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'

const plain: BreakerPolicy = {
  failures: 5,
  shouldTrip: null,
  intervalMs: null,
  openForMs: 1_000,
  probes: 1,
  isSuccessful: null,
  isExcluded: null,
  shared: false,
  hold: true,
}

function scene(policy: Partial<BreakerPolicy> = {}, onChange?: (change: BreakerChange) => void) {
  const clock = createFakeClock()
  const changes: BreakerChange[] = []
  const listen = onChange ?? ((change: BreakerChange) => void changes.push(change))
  const breaker = new CircuitBreaker({
    name: 'stripe',
    policy: { ...plain, ...policy },
    clock,
    random: seededRandom(1),
    shared: null,
    onChange: listen,
  })
  const fail = (error: unknown = new Error('down')) =>
    breaker.run(async () => Promise.reject(error), judge).catch((thrown: unknown) => thrown)
  const judge = (thrown: unknown) => verdictOf(thrown, { ...plain, ...policy }, new AbortController().signal)
  const succeed = () => breaker.run(async () => 'fine', judge)
  return { clock, breaker, changes, fail, succeed, judge }
}

afterEach(() => void vi.useRealTimers())

describe('the breaker of a process', () => {
  // A25
  it('goes by monotonic time: a system clock that is set neither opens nor holds it', async () => {
    const { clock, breaker, fail, succeed } = scene()
    for (let call = 0; call < 5; call++) await fail()
    clock.setNow(clock.now() + 3_600_000)
    await expect(succeed()).rejects.toBeInstanceOf(DependencyRefusal)
    clock.setNow(0)
    await clock.advance(1_000)
    await expect(succeed()).resolves.toBe('fine')
    expect(breaker.snapshot()).toMatchObject({ mode: 'closed', ageMs: 0, retryInMs: 0 })
  })

  // A25
  it('refuses with a deferral that ends a little after it may let calls through', async () => {
    const { clock, fail, succeed } = scene({ openForMs: 30_000 })
    for (let call = 0; call < 5; call++) await fail()
    await clock.advance(10_000)
    const delays = new Set<number>()
    for (let call = 0; call < 50; call++) {
      const refusal = (await succeed().catch((thrown: unknown) => thrown)) as DependencyRefusal
      expect(refusal).toBeInstanceOf(DeferError)
      expect(refusal).toMatchObject({ name: 'DependencyRefusal', by: 'breaker', dependency: 'stripe' })
      expect(refusal.message).toBe('the breaker of stripe lets nothing through: open for another 20s')
      expect(refusal.delayMs).toBeGreaterThanOrEqual(20_000)
      expect(refusal.delayMs).toBeLessThanOrEqual(26_000)
      delays.add(refusal.delayMs ?? 0)
    }
    expect(delays.size).toBeGreaterThan(40)
  })

  it('does not call what it does not let through', async () => {
    const { breaker, fail, judge } = scene()
    for (let call = 0; call < 5; call++) await fail()
    let called = false
    await expect(breaker.run(async () => (called = true), judge)).rejects.toBeInstanceOf(DependencyRefusal)
    expect(called).toBe(false)
  })

  it('tells of each change once, by whom, and survives a listener that throws', async () => {
    const { clock, changes, fail, succeed } = scene()
    for (let call = 0; call < 5; call++) await fail()
    await clock.advance(1_000)
    await succeed()
    expect(changes.map(({ from, to, by }) => `${from} → ${to} by ${by}`)).toEqual([
      'closed → open by calls',
      'open → half_open by calls',
      'half_open → closed by calls',
    ])
    const broken = scene({ failures: 1 }, () => {
      throw new Error('listener')
    })
    await expect(broken.fail()).resolves.toMatchObject({ message: 'down' })
  })

  it('says what it is and when it may let a call through', async () => {
    const { clock, breaker, fail } = scene()
    expect(breaker.snapshot()).toEqual({ mode: 'closed', generation: 1, ageMs: 0, retryInMs: 0 })
    for (let call = 0; call < 5; call++) await fail()
    await clock.advance(300)
    expect(breaker.snapshot()).toEqual({ mode: 'open', generation: 2, ageMs: 300, retryInMs: 700 })
    await clock.advance(700)
    expect(breaker.snapshot()).toMatchObject({ mode: 'half_open', retryInMs: 0 })
    breaker.enter()
    expect(breaker.snapshot()).toMatchObject({ mode: 'half_open', retryInMs: 1_000 })
  })

  it('frees the place of a probe whatever its end: thrown, excluded, or with a judgement that throws', async () => {
    const { clock, breaker, fail } = scene({ failures: 1 })
    await fail()
    await clock.advance(1_000)
    await fail(new DOMException('aborted', 'AbortError'))
    await fail(new DeferError('later', { in: 1 }))
    const sync = () => {
      throw new DeferError('later', { in: 1 })
    }
    await expect(breaker.run(sync, () => 'excluded')).rejects.toThrow('later')
    expect(breaker.snapshot()).toMatchObject({ mode: 'half_open', retryInMs: 0 })
    const oops = () => {
      throw new Error('oops')
    }
    await expect(breaker.run(async () => Promise.reject(new Error('down')), oops)).rejects.toThrow('down')
    expect(breaker.snapshot()).toMatchObject({ mode: 'open' })
  })

  it('is in the state in which cockatiel is, call by call, where both count failures in a row and probe with one call', async () => {
    const steps = fc.array(
      fc.constantFrom<'fine' | 'down' | number>('fine', 'down', 'down', 'down', 400, 1_000),
      { maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (failures, list) => {
        vi.useFakeTimers({ toFake: ['Date'], now: 0 })
        const { clock, breaker, judge } = scene({ failures })
        const theirs = cockatielBreaker(handleAll, {
          halfOpenAfter: 1_000,
          breaker: new ConsecutiveBreaker(failures),
        })
        const calls = { ours: 0, theirs: 0 }
        for (const step of list) {
          if (typeof step === 'number') {
            await clock.advance(step)
            vi.setSystemTime(Date.now() + step)
            continue
          }
          const call = (whose: 'ours' | 'theirs') => async () => {
            calls[whose]++
            if (step === 'down') throw new Error('down')
          }
          await breaker.run(call('ours'), judge).catch(() => {})
          await theirs.execute(call('theirs')).catch(() => {})
          expect(calls.ours).toBe(calls.theirs)
          expect(breaker.snapshot().mode).toBe(
            CircuitState[theirs.state].replace('HalfOpen', 'half_open').toLowerCase(),
          )
        }
        vi.useRealTimers()
      }),
      { numRuns: 500 },
    )
  })
})

describe('what an error says about a dependency', () => {
  const calm = new AbortController().signal
  const verdict = (thrown: unknown, policy: Partial<BreakerPolicy> = {}, signal: AbortSignal = calm) =>
    verdictOf(thrown, { ...plain, ...policy }, signal)
  const fault = (fields: object) => Object.assign(new Error('x'), fields)

  // A25
  it('business errors and client errors are answers', () => {
    expect(verdict(new BusinessError('CARD_DECLINED'))).toBe('success')
    expect(verdict(new PoisonError('bad address'))).toBe('success')
    expect(verdict(new IncidentError('no such account'))).toBe('success')
    for (const status of [400, 401, 404, 409, 422]) expect(verdict(fault({ status }))).toBe('success')
  })

  it('whatever else is thrown is a failure, a full or slow server included', () => {
    for (const status of [408, 425, 429, 500, 503]) expect(verdict(fault({ status }))).toBe('failure')
    for (const thrown of [
      new Error('x'),
      new TypeError('fetch failed'),
      fault({ code: 'ECONNRESET' }),
      'x',
      null,
    ])
      expect(verdict(thrown)).toBe('failure')
    expect(verdict(new RetryError(fault({ status: 503 })))).toBe('failure')
    expect(verdict(new RetryError(fault({ status: 404 })))).toBe('success')
    expect(verdict(new DOMException('timeout', 'TimeoutError'))).toBe('failure')
    expect(verdict(new TimeLimitError('stripe', { limitMs: 10, cutShort: false }))).toBe('failure')
  })

  // A25
  it('aborts, deferrals and calls that were cut short say nothing', () => {
    expect(verdict(new DOMException('aborted', 'AbortError'))).toBe('excluded')
    expect(verdict(new DeferError('later', { in: '1s' }))).toBe('excluded')
    expect(verdict(new TimeLimitError('stripe', { limitMs: 10, cutShort: true }))).toBe('excluded')
    const stopped = new AbortController()
    stopped.abort(new Error('shutdown'))
    expect(verdict(fault({ code: 'ECONNRESET' }), { isSuccessful: () => false }, stopped.signal)).toBe(
      'excluded',
    )
    expect(verdict(new TimeLimitError('stripe', { limitMs: 10, cutShort: false }), {}, stopped.signal)).toBe(
      'failure',
    )
  })

  it('a handler may judge; a judgement that throws or is none leaves it to the default', () => {
    const notFound = fault({ status: 404 })
    expect(verdict(notFound, { isSuccessful: () => false })).toBe('failure')
    expect(verdict(new Error('x'), { isSuccessful: () => true })).toBe('success')
    expect(verdict(new Error('x'), { isExcluded: () => true, isSuccessful: () => false })).toBe('excluded')
    const broken = () => {
      throw new Error('oops')
    }
    const promised = (async () => true) as unknown as () => boolean
    for (const own of [broken, promised, () => undefined]) {
      expect(verdict(new Error('x'), { isExcluded: own, isSuccessful: own })).toBe('failure')
      expect(verdict(notFound, { isExcluded: own, isSuccessful: own })).toBe('success')
    }
  })

  // B041
  it('a shouldTrip that throws or promises leaves it to the failures in a row', () => {
    const counts = {
      requests: 9,
      successes: 0,
      failures: 9,
      exclusions: 0,
      consecutiveSuccesses: 0,
      consecutiveFailures: 4,
    }
    const broken = () => {
      throw new Error('oops')
    }
    for (const shouldTrip of [
      broken,
      (async () => true) as unknown as () => boolean,
      (() => Number.NaN) as unknown as () => boolean,
    ]) {
      expect(rulesOf({ ...plain, shouldTrip }).shouldTrip(counts)).toBe(false)
      expect(rulesOf({ ...plain, shouldTrip }).shouldTrip({ ...counts, consecutiveFailures: 5 })).toBe(true)
    }
    expect(rulesOf({ ...plain, shouldTrip: ({ failures }) => failures >= 9 }).shouldTrip(counts)).toBe(true)
  })
})
