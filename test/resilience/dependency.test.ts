import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { BusinessError, DeferError } from '../../src/domain/handler-errors.ts'
import { outcomeOfThrow } from '../../src/domain/classify-error.ts'
import { type BreakerState, unopened } from '../../src/domain/breaker.ts'
import type { SharedBreaker } from '../../src/resilience/circuit-breaker.ts'
import { Dependencies, dependencyNamed } from '../../src/resilience/dependencies.ts'
import type { DependencyOption } from '../../src/resilience/dependency-policy.ts'
import { normaliseDependencies } from '../../src/worker/handler/dependency-schema.ts'
import { DependencyRefusal } from '../../src/resilience/dependency-refused.ts'
import { TimeLimitError } from '../../src/resilience/timeout.ts'
import { attemptScope, deferred, watched } from './scope.ts'

function scene(option: DependencyOption, options: Parameters<typeof attemptScope>[0] = {}) {
  const scope = attemptScope(options)
  const set = new Dependencies({ clock: scope.clock, random: scope.random })
  const declare = (type: string, said: Record<string, DependencyOption>) =>
    set.declare(type, normaliseDependencies(said, { type, timeoutMs: 300_000 }))
  const stripe = dependencyNamed(declare('charge', { stripe: option }), 'stripe', 'charge')
  const retried: string[] = []
  const call = <T>(fn: (signal: AbortSignal) => Promise<T> | T) =>
    watched(stripe.call(fn, { ...scope, onRetry: (name) => retried.push(name) }))
  const mode = () => set.breakers()[0]?.mode
  const left = () => ({
    timers: scope.clock.pendingTimers,
    listeners: getEventListeners(scope.signal, 'abort').length,
  })
  return { ...scope, set, declare, stripe, call, retried, mode, left }
}

const down = () => Promise.reject(Object.assign(new Error('down'), { status: 503 }))
const whole: DependencyOption = {
  timeout: '10s',
  retry: { attempts: 3, delay: 100, jitter: 0 },
  breaker: { failures: 5, openFor: '30s' },
  bulkhead: 10,
}

function rowOf(state: Partial<BreakerState>): SharedBreaker {
  const row = { ...unopened, ...state }
  return { holder: 'w#1', now: () => 0, read: () => row, change: async () => null }
}

describe('a dependency', () => {
  it('gives what the call gives, through every guard, and leaves nothing behind', async () => {
    const { call, clock, left } = scene(whole)
    const done = call(async () => 7)
    await clock.settle()
    expect(done).toEqual({ state: 'resolved', value: 7 })
    expect(left()).toEqual({ timers: 0, listeners: 0 })
  })

  // A25
  it('the breaker sees every try: it opens within a call, ends its retry, and the job is to come back', async () => {
    const { call, clock, mode, retried, left } = scene(whole)
    let asked = 0
    const first = call(() => {
      asked++
      return down()
    })
    await clock.advance(1_000)
    expect([first.thrown, mode(), asked]).toEqual([expect.objectContaining({ message: 'down' }), 'closed', 3])
    const second = call(() => {
      asked++
      return down()
    })
    await clock.advance(1_000)
    expect([mode(), asked]).toEqual(['open', 5])
    expect(second.thrown).toBeInstanceOf(DependencyRefusal)
    expect(second.thrown).toMatchObject({ by: 'breaker', dependency: 'stripe' })
    expect(retried).toEqual(['stripe', 'stripe', 'stripe', 'stripe'])
    expect(left()).toEqual({ timers: 0, listeners: 0 })
  })

  // A25
  it('a probe is one request, although the call may be tried three times', async () => {
    const { call, clock, mode } = scene({ ...whole, breaker: { failures: 1, openFor: '30s' } })
    let asked = 0
    const ask = () => {
      asked++
      return down()
    }
    call(ask)
    await clock.advance(31_000)
    expect(asked).toBe(1)
    const probe = call(ask)
    await clock.advance(1_000)
    expect([asked, mode()]).toEqual([2, 'open'])
    expect(probe.thrown).toBeInstanceOf(DependencyRefusal)
  })

  // A25 B036
  it('of a hundred calls at the expiry one passes; the others are deferred, not failed', async () => {
    const { clock, declare, random, signal, timeLeftMs } = scene({})
    const bank = dependencyNamed(
      declare('pay', { bank: { breaker: { failures: 1, openFor: '1s' } } }),
      'bank',
      'pay',
    )
    const scope = { random, signal, timeLeftMs }
    watched(bank.call(down, scope))
    await clock.advance(1_000)
    for (let period = 0; period < 3; period++) {
      const gate = deferred()
      let asked = 0
      const calls = Array.from({ length: 100 }, () =>
        watched(
          bank.call(async () => {
            asked++
            await gate.promise
          }, scope),
        ),
      )
      await clock.settle()
      expect(asked).toBe(1)
      expect(calls.filter(({ thrown }) => thrown instanceof DependencyRefusal)).toHaveLength(99)
      gate.reject(new Error('still down'))
      await clock.advance(1_000)
    }
    await expect(bank.call(async () => 'fine', scope)).resolves.toBe('fine')
    await expect(Promise.all([1, 2, 3].map((value) => bank.call(() => value, scope)))).resolves.toEqual([
      1, 2, 3,
    ])
  })

  // A25
  it('neither business errors nor aborts open it', async () => {
    const { call, clock, mode, controller } = scene({ breaker: { failures: 2 } })
    for (let round = 0; round < 5; round++) {
      call(() => Promise.reject(new BusinessError('CARD_DECLINED')))
      call(() => Promise.reject(new DOMException('aborted', 'AbortError')))
    }
    const hanging = Array.from({ length: 5 }, () =>
      call(
        (signal) =>
          new Promise((_, no) => signal.addEventListener('abort', () => no(new Error('socket hang up')))),
      ),
    )
    await clock.settle()
    controller.abort(new Error('shutdown'))
    await clock.settle()
    expect(hanging.map(({ state }) => state)).toEqual(new Array(5).fill('rejected'))
    expect(mode()).toBe('closed')
  })

  it('a dependency that hangs opens it, with a timeout of its own and without', async () => {
    for (const timeout of [{ timeout: 1_000 }, {}]) {
      const { call, clock, mode, left } = scene(
        { ...timeout, breaker: { failures: 2 } },
        { timeLeftMs: 5_000 },
      )
      const calls = [1, 2].map(() => call(() => new Promise(() => {})))
      await clock.advance(5_000)
      expect(calls.map(({ thrown }) => thrown instanceof TimeLimitError)).toEqual([true, true])
      expect(mode()).toBe('open')
      expect(left()).toEqual({ timers: 0, listeners: 0 })
    }
  })

  it('a call that was cut short by the end of its attempt does not', async () => {
    const { call, clock, mode } = scene({ timeout: '10s', breaker: { failures: 1 } }, { timeLeftMs: 1_000 })
    const cut = call(() => new Promise(() => {}))
    await clock.advance(1_000)
    expect(cut.thrown).toMatchObject({ cutShort: true })
    expect(mode()).toBe('closed')
  })

  // A29
  it('the third of two waits, and is deferred for five seconds', async () => {
    const { call, clock } = scene({ bulkhead: 2 })
    call(() => new Promise(() => {}))
    call(() => new Promise(() => {}))
    const third = call(() => 1)
    await clock.advance(999)
    expect(third.state).toBe('pending')
    await clock.advance(1)
    expect(third.thrown).toBeInstanceOf(DependencyRefusal)
    const { by, delayMs, message } = third.thrown as DependencyRefusal
    expect([by, message]).toEqual([
      'bulkhead',
      'the bulkhead of stripe is full: all 2 places were taken for 1000 ms',
    ])
    expect(delayMs).toBeGreaterThanOrEqual(5_000)
    expect(delayMs).toBeLessThanOrEqual(6_000)
  })

  it('defers the job when an answer asks to come back later than a try may wait', async () => {
    const { call, clock } = scene({ retry: {} })
    const error = Object.assign(new Error('slow down'), {
      status: 429,
      headers: new Headers({ 'retry-after': '120' }),
    })
    const asked = call(() => Promise.reject(error))
    await clock.settle()
    expect(asked.thrown).toBeInstanceOf(DependencyRefusal)
    const refusal = asked.thrown as DependencyRefusal
    expect([refusal.by, refusal.message]).toEqual(['retry_after', 'stripe asks to come back in 2m'])
    expect(refusal.delayMs).toBeGreaterThanOrEqual(120_000)
    expect(refusal.delayMs).toBeLessThanOrEqual(144_000)
  })

  it('a refusal is a deferral to whoever judges a throw, and costs no retry', async () => {
    const { call, clock } = scene({ breaker: { failures: 1 } })
    call(down)
    await clock.settle()
    const refused = call(() => 1)
    await clock.settle()
    const outcome = outcomeOfThrow(refused.thrown, { now: 0, businessErrors: new Set() })
    expect(outcome).toMatchObject({ kind: 'defer', until: (refused.thrown as DependencyRefusal).delayMs })
    expect(refused.thrown).toBeInstanceOf(DeferError)
  })

  it('an open breaker ends the retry even of a handler that calls everything transient', async () => {
    const { call, clock, retried } = scene({
      retry: { attempts: 5, delay: 1, isTransient: () => true },
      breaker: { failures: 2 },
    })
    let asked = 0
    const end = call(() => {
      asked++
      return Promise.reject(new Error('odd'))
    })
    await clock.advance(1_000)
    // One wait between the two tries, and one before the try that was not let through.
    expect([asked, end.thrown instanceof DependencyRefusal, retried.length]).toEqual([2, true, 2])
  })

  it('calls nothing when the attempt is over, and throws its reason', async () => {
    for (const option of [{}, whole, { bulkhead: 1 }, { retry: {} }, { breaker: {} }]) {
      const { call, clock, controller, set } = scene(option)
      const reason = new Error('the job was cancelled')
      controller.abort(reason)
      let asked = 0
      const ended = call(() => asked++)
      await clock.settle()
      expect([ended.thrown, asked]).toEqual([reason, 0])
      expect(set.breakers().every(({ mode }) => mode === 'closed')).toBe(true)
    }
  })

  it('throws the reason of an abort even where the breaker would not have let it through', async () => {
    const { call, clock, controller } = scene({ breaker: { failures: 1 } })
    call(down)
    await clock.settle()
    const reason = new Error('the job was cancelled')
    controller.abort(reason)
    const ended = call(() => 1)
    await clock.settle()
    expect(ended.thrown).toBe(reason)
  })

  it('calls nothing when the abort comes while a permit is asked for, and says nothing against the dependency', async () => {
    const { clock, random, controller, signal, timeLeftMs } = attemptScope()
    const verdicts: string[] = []
    const slow: SharedBreaker = {
      ...rowOf({ mode: 'half_open', generation: 1 }),
      async change(event) {
        await clock.sleep(10)
        if (event.kind === 'release') verdicts.push(event.verdict)
        return event.kind === 'acquire' ? { generation: 1, permit: 1 } : null
      },
    }
    const set = new Dependencies({ clock, random, sharedBreaker: () => slow })
    const bank = set
      .declare('pay', normaliseDependencies({ bank: { breaker: {} } }, { type: 'pay', timeoutMs: 1_000 }))
      .get('bank')!
    let asked = 0
    const ended = watched(bank.call(() => asked++, { signal, timeLeftMs }))
    const reason = new Error('the job was cancelled')
    controller.abort(reason)
    await clock.advance(20)
    expect([ended.thrown, asked, verdicts]).toEqual([reason, 0, ['excluded']])
  })

  it('keeps the this of the scope that it is given', async () => {
    class Scope {
      readonly signal = new AbortController().signal
      readonly leftMs = 1_000
      timeLeftMs() {
        return this.leftMs
      }
      onRetry() {
        this.timeLeftMs()
      }
    }
    const { stripe, clock } = scene({ ...whole, bulkhead: 1 })
    const first = watched(stripe.call(() => clock.sleep(300), new Scope()))
    const second = watched(stripe.call(down, new Scope()))
    await clock.advance(2_000)
    expect([first.state, (second.thrown as Error).message]).toEqual(['resolved', 'down'])
  })
})

describe('the dependencies of a process', () => {
  it('share breaker and bulkhead by name, over handlers', async () => {
    const { clock, declare, signal, timeLeftMs, set } = scene({})
    const breaker = { failures: 1, openFor: '1m' }
    const a = dependencyNamed(declare('a', { bank: { breaker, timeout: '1s' } }), 'bank', 'a')
    const b = dependencyNamed(declare('b', { bank: { breaker, timeout: '2s' } }), 'bank', 'b')
    watched(a.call(down, { signal, timeLeftMs }))
    await clock.settle()
    await expect(b.call(() => 1, { signal, timeLeftMs })).rejects.toBeInstanceOf(DependencyRefusal)
    expect(set.breakers()).toMatchObject([{ name: 'bank', shared: true, mode: 'open', retryInMs: 60_000 }])
  })

  it('refuse two handlers that say different things about what they share', () => {
    const { declare } = scene({})
    declare('a', { bank: { breaker: { openFor: '30s' }, bulkhead: 5 }, other: {} })
    const other = () => declare('b', { bank: { breaker: { openFor: '1m' } } })
    expect(other).toThrow(
      'handler "b": dependencies.bank.breaker: openForMs is 60000 here and 30000 in handler "a"; both share one',
    )
    expect(() => declare('c', { bank: { bulkhead: 6 } })).toThrow(
      'handler "c": dependencies.bank.bulkhead: limit is 6 here and 5 in handler "a"',
    )
    expect(() =>
      declare('d', { bank: { breaker: { isExcluded: () => true }, timeout: 5 }, other: { bulkhead: 1 } }),
    ).not.toThrow()
  })

  it('say which name was meant', () => {
    const { declare } = scene({})
    const declared = declare('a', { stripe: {}, smtp: {} })
    for (const [name, message, hint] of [
      ['strip', 'handler "a" calls "strip", which is none of its dependencies', 'did you mean stripe?'],
      ['database', 'handler "a" calls "database"', 'it declares stripe, smtp'],
      [undefined, 'handler "a" calls undefined', 'it declares stripe, smtp'],
      ['constructor', 'handler "a" calls "constructor"', 'it declares stripe, smtp'],
    ] as const) {
      expect(() => dependencyNamed(declared, name, 'a')).toThrow(
        expect.objectContaining({ code: 'invalid_handler', message: expect.stringContaining(message), hint }),
      )
    }
    expect(() => dependencyNamed(new Map(), 'x', 'a')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('declare it') }),
    )
  })

  it('use the shared breaker where there is one, and the own one for shared: false', () => {
    const { clock, random } = attemptScope()
    const made: string[] = []
    const set = new Dependencies({
      clock,
      random,
      sharedBreaker: (name) => {
        made.push(name)
        return rowOf({ mode: 'open', generation: 7, expiresAt: 5 })
      },
    })
    set.declare(
      'a',
      normaliseDependencies(
        { bank: { breaker: {} }, own: { breaker: { shared: false } } },
        { type: 'a', timeoutMs: 1_000 },
      ),
    )
    expect(made).toEqual(['bank'])
    expect(set.breakers()).toMatchObject([
      { name: 'bank', shared: true, generation: 7 },
      { name: 'own', shared: false, generation: 1 },
    ])
  })
})
