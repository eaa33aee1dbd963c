import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import pRetry from 'p-retry'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BusinessError } from '../../src/domain/handler-errors.ts'
import { retry, RetryAfter, type RetryPolicy } from '../../src/resilience/retry.ts'
import { isTransient } from '../../src/resilience/transient.ts'
import { attemptScope, watched } from './scope.ts'

const plain: RetryPolicy = {
  attempts: 3,
  delayMs: 100,
  factor: 2,
  maxMs: 2_000,
  jitter: 0,
  isTransient: null,
}
const down = (headers = {}) => Object.assign(new Error('down'), { status: 503, headers })

/** A dependency that does what `answers` say, one a try, and notes when it was asked. */
function scene(
  answers: readonly unknown[],
  options: Parameters<typeof attemptScope>[0] & { policy?: Partial<RetryPolicy> } = {},
) {
  const scope = attemptScope(options)
  const startedAt = scope.clock.monotonic()
  const asked: number[] = []
  const retried: number[] = []
  const fn = async () => {
    asked.push(scope.clock.monotonic() - startedAt)
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (answer instanceof Error) throw answer
    return answer
  }
  const start = () =>
    watched(
      retry(
        fn,
        { ...plain, ...options.policy },
        { ...scope, onRetry: (_error, waitMs) => retried.push(waitMs) },
      ),
    )
  return { ...scope, asked, retried, start, fn }
}

afterEach(() => void vi.useRealTimers())

describe('retry', () => {
  // A28
  it('calls once when the error is not transient', async () => {
    for (const error of [
      new Error('no'),
      new BusinessError('CARD_DECLINED'),
      Object.assign(new Error('bad'), { status: 400 }),
      new TypeError('x'),
    ]) {
      const { start, clock, asked } = scene([error])
      const call = start()
      await clock.advance(60_000)
      expect(call.thrown).toBe(error)
      expect(asked).toEqual([0])
    }
  })

  it('waits 100 ms, then twice as long, and gives what the last try gives', async () => {
    const { start, clock, asked, retried } = scene([down(), down(), 'fine'])
    const call = start()
    await clock.advance(300)
    expect(call.value).toBe('fine')
    expect(asked).toEqual([0, 100, 300])
    expect(retried).toEqual([100, 200])
    expect(clock.pendingTimers).toBe(0)
  })

  it('throws the very thing that the last try threw, whatever it is', async () => {
    for (const thrown of [down(), 'down', null, undefined, 503]) {
      const { clock, random, signal, timeLeftMs } = attemptScope()
      const policy = { ...plain, isTransient: () => true }
      const call = watched(
        retry(async () => Promise.reject(thrown), policy, { clock, random, signal, timeLeftMs }),
      )
      await clock.advance(1_000)
      expect(call).toEqual({ state: 'rejected', thrown })
    }
  })

  // A28
  it('ends within 50 ms of an abort during a wait, with its reason, and asks nothing more', async () => {
    const { start, clock, controller, asked } = scene([down()], { policy: { delayMs: 2_000 } })
    const call = start()
    await clock.advance(700)
    const reason = new Error('the worker is shutting down')
    controller.abort(reason)
    await clock.advance(50)
    expect(call.thrown).toBe(reason)
    await clock.advance(60_000)
    expect(asked).toEqual([0])
    expect([clock.pendingTimers, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0])
  })

  it('does not ask at all when the abort came before, even with a reason that is no error', async () => {
    for (const attempts of [1, 3]) {
      const { start, clock, controller, asked } = scene(['fine'], { policy: { attempts } })
      controller.abort('stop')
      const call = start()
      await clock.settle()
      expect(call).toEqual({ state: 'rejected', thrown: 'stop' })
      expect(asked).toEqual([])
    }
  })

  it('keeps what a try returns although the abort came meanwhile: its effect has happened', async () => {
    const { clock, random, signal, timeLeftMs, controller } = attemptScope()
    const call = watched(
      retry(
        async () => {
          controller.abort(new Error('stop'))
          return 'charged'
        },
        plain,
        { clock, random, signal, timeLeftMs },
      ),
    )
    await clock.settle()
    expect(call.value).toBe('charged')
  })

  // A28
  it('never waits past the time left: it fails at once instead', async () => {
    const { start, clock, asked } = scene([down()], { timeLeftMs: 250 })
    const call = start()
    await clock.advance(100)
    expect(call.thrown).toMatchObject({ message: 'down' })
    expect(asked).toEqual([0, 100])
    expect(clock.monotonic()).toBe(100)
  })

  it('honours Retry-After, never sooner and not all at once', async () => {
    const times = new Set<number>()
    for (let seed = 1; seed <= 20; seed++) {
      const { start, clock, asked } = scene([down({ 'retry-after': '3' }), 'fine'], {
        seed,
        policy: { jitter: 0.2 },
      })
      const call = start()
      await clock.advance(2_999)
      expect(asked).toEqual([0])
      await clock.advance(400)
      expect(call.value).toBe('fine')
      times.add(asked[1] ?? 0)
    }
    expect(times.size).toBeGreaterThan(10)
  })

  it('says when to come back if Retry-After lies beyond the time left, beyond ten seconds of waiting, or after the last try', async () => {
    for (const [after, timeLeftMs, attempts] of [
      ['3', 2_500, 3],
      ['11', 60_000, 3],
      ['60', 60_000, 1],
    ] as const) {
      const error = down({ 'retry-after': after })
      const { start, clock, asked } = scene([error], { timeLeftMs, policy: { attempts } })
      const call = start()
      await clock.settle()
      expect(call.thrown).toBeInstanceOf(RetryAfter)
      expect(call.thrown).toMatchObject({ delayMs: Number(after) * 1_000, cause: error })
      expect(asked).toEqual([0])
    }
    const lasting = Object.assign(new Error('no'), { status: 400, headers: { 'retry-after': '60' } })
    const { start, clock } = scene([lasting])
    const call = start()
    await clock.settle()
    expect(call.thrown).toBe(lasting)
  })

  it('does not speak of coming back when the attempt was aborted meanwhile', async () => {
    const { clock, random, signal, timeLeftMs, controller } = attemptScope()
    const error = down({ 'retry-after': '60' })
    const fn = async () => {
      controller.abort(new Error('stop'))
      throw error
    }
    const call = watched(retry(fn, { ...plain, attempts: 1 }, { clock, random, signal, timeLeftMs }))
    await clock.settle()
    expect(call.thrown).toBe(error)
  })

  it('waits at most ten seconds in all for answers that ask to come back', async () => {
    const { start, clock, asked } = scene([down({ 'retry-after': '4' })], {
      policy: { attempts: 5, delayMs: 1, factor: 1 },
    })
    const call = start()
    await clock.advance(60_000)
    expect(call.thrown).toBeInstanceOf(RetryAfter)
    expect(asked).toHaveLength(3)
  })

  it('lets a handler judge, and judges itself where that gives nothing or throws', async () => {
    const tries = async (isOwn: (error: unknown) => boolean | undefined, error: Error) => {
      const { start, clock, asked } = scene([error], { policy: { isTransient: isOwn } })
      start()
      await clock.advance(10_000)
      return asked.length
    }
    const broken = () => {
      throw new Error('oops')
    }
    expect(await tries(() => true, new TypeError('odd'))).toBe(3)
    expect(await tries(() => false, down())).toBe(1)
    expect(await tries(() => undefined, down())).toBe(3)
    expect(await tries(broken, down())).toBe(3)
    expect(await tries(broken, new Error('no'))).toBe(1)
  })

  it('draws each wait from ± the jitter, differently for each seed', async () => {
    const drawn = new Set<number>()
    for (let seed = 1; seed <= 50; seed++) {
      const { start, clock, retried } = scene([down()], { seed, policy: { jitter: 0.5 } })
      start()
      await clock.advance(1_000)
      const [first = 0, second = 0] = retried
      expect([first >= 50 && first <= 150, second >= 100 && second <= 300]).toEqual([true, true])
      drawn.add(first)
    }
    expect(drawn.size).toBeGreaterThan(20)
  })

  it('asks as often and as late as p-retry with the same numbers and no jitter', async () => {
    const answer = fc.constantFrom(
      'fine',
      down(),
      new Error('no'),
      Object.assign(new Error('gone'), { code: 'ECONNRESET' }),
    )
    const cases = fc.record({
      answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
      attempts: fc.integer({ min: 1, max: 5 }),
      delayMs: fc.integer({ min: 1, max: 500 }),
      factor: fc.integer({ min: 1, max: 4 }),
      maxMs: fc.integer({ min: 500, max: 2_000 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ answers, ...policy }) => {
        const ours = scene(answers, { policy })
        const call = ours.start()
        await ours.clock.advance(20_000)
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
        const theirs = scene(answers)
        const startedAt = performance.now()
        const asked: number[] = []
        const theirCall = watched(
          pRetry(
            async () => {
              asked.push(performance.now() - startedAt)
              return await theirs.fn()
            },
            {
              retries: policy.attempts - 1,
              minTimeout: policy.delayMs,
              factor: policy.factor,
              maxTimeout: policy.maxMs,
              shouldRetry: ({ error }) => isTransient(error),
            },
          ),
        )
        await vi.advanceTimersByTimeAsync(20_000)
        vi.useRealTimers()
        expect(ours.asked).toEqual(asked)
        expect(call).toEqual(theirCall)
      }),
      { numRuns: 200 },
    )
  })
})
