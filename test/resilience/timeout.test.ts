import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isTransient } from '../../src/resilience/transient.ts'
import { TimeLimitError, withTimeLimit } from '../../src/resilience/timeout.ts'
import { attemptScope, deferred, watched } from './scope.ts'

function limit(timeoutMs: number | null, options: Parameters<typeof attemptScope>[0] = {}) {
  const scope = attemptScope(options)
  const { clock, signal } = scope
  const run = <T>(fn: (signal: AbortSignal) => Promise<T> | T) =>
    withTimeLimit(fn, { clock, what: 'stripe', timeoutMs, timeLeftMs: options.timeLeftMs ?? 60_000, signal })
  const left = () => ({ timers: clock.pendingTimers, listeners: getEventListeners(signal, 'abort').length })
  return { ...scope, run, left }
}
const nothing = { timers: 0, listeners: 0 }

describe('the time limit of a call', () => {
  it('gives what the call gives and leaves nothing behind, whichever way it ends', async () => {
    const { run, left } = limit(1_000)
    await expect(run(async () => 7)).resolves.toBe(7)
    await expect(run(() => 7)).resolves.toBe(7)
    await expect(run(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const thrower = () => {
      throw new Error('at once')
    }
    await expect(run(thrower)).rejects.toThrow('at once')
    expect(left()).toEqual(nothing)
  })

  it('ends a call that ignores its signal, and aborts the signal', async () => {
    const { run, left, clock } = limit(1_000)
    let given: AbortSignal | undefined
    const call = watched(
      run((signal) => {
        given = signal
        return new Promise(() => {})
      }),
    )
    await clock.advance(999)
    expect(call.state).toBe('pending')
    await clock.advance(1)
    expect(call.thrown).toBeInstanceOf(TimeLimitError)
    expect(call.thrown).toMatchObject({
      name: 'TimeoutError',
      limitMs: 1_000,
      cutShort: false,
      message: 'stripe did not answer within 1s',
    })
    expect(given?.reason).toBe(call.thrown)
    expect(isTransient(call.thrown)).toBe(true)
    expect(left()).toEqual(nothing)
  })

  it('swallows what an abandoned call still does', async () => {
    const { run, clock } = limit(10)
    const late = deferred<number>()
    const call = watched(run(() => late.promise))
    await clock.advance(10)
    late.reject(new Error('late'))
    await clock.settle()
    expect(call.thrown).toBeInstanceOf(TimeLimitError)
  })

  it('is what is left of the attempt when that is less; with less than half of its own the other side is not to blame', async () => {
    for (const [timeoutMs, timeLeftMs, cutShort] of [
      [1_000, 400, true],
      [1_000, 600, false],
      [null, 600, false],
    ] as const) {
      const { run, clock } = limit(timeoutMs, { timeLeftMs })
      const call = watched(run(() => new Promise(() => {})))
      await clock.advance(timeLeftMs)
      expect(call.thrown).toMatchObject({ limitMs: timeLeftMs, cutShort })
    }
  })

  it('does not start a call for which no time is left', async () => {
    const { run, left } = limit(1_000, { timeLeftMs: 0 })
    let called = false
    await expect(run(() => (called = true))).rejects.toMatchObject({
      cutShort: true,
      message: 'stripe was not called: no time is left',
    })
    expect(called).toBe(false)
    expect(left()).toEqual(nothing)
  })

  it('passes an abort on with its reason and lets the call end: what it still returns counts', async () => {
    const { run, left, controller, clock } = limit(1_000)
    const late = deferred<string>()
    let given: AbortSignal | undefined
    const call = watched(
      run((signal) => {
        given = signal
        return late.promise
      }),
    )
    const reason = new Error('the worker is shutting down')
    controller.abort(reason)
    await clock.settle()
    expect(given?.reason).toBe(reason)
    expect(call.state).toBe('pending')
    late.resolve('charged')
    await clock.settle()
    expect(call.value).toBe('charged')
    expect(left()).toEqual(nothing)
  })

  it('still ends a call that ignores the abort', async () => {
    const { run, controller, clock } = limit(1_000)
    const call = watched(run(() => new Promise(() => {})))
    controller.abort(new Error('stop'))
    await clock.advance(1_000)
    expect(call.thrown).toBeInstanceOf(TimeLimitError)
  })

  it('calls an abort at its own instant what it is: a timeout', async () => {
    const { run, controller, clock } = limit(null, { timeLeftMs: 500 })
    clock.after(500, () => controller.abort(new Error("the attempt's time is nearly up")))
    const call = watched(
      run(
        (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ),
    )
    await clock.advance(500)
    expect(call.thrown).toBeInstanceOf(TimeLimitError)
  })

  it('sets no timer where nothing limits the call, and gives the signal itself', async () => {
    const { run, left, signal } = limit(null, { timeLeftMs: Number.POSITIVE_INFINITY })
    await expect(run((given) => given)).resolves.toBe(signal)
    expect(left()).toEqual(nothing)
  })
})
