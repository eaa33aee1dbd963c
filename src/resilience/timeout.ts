/**
 * Limits the time of a call and of an optional step. Limits cascade: a call gets the lesser of its own timeout and the time left
 * of the attempt, and its signal aborts at that limit and with the attempt's signal.
 */
import type { Clock } from '../clock.ts'
import { formatDuration } from '../text/duration.ts'
import { attempt } from '../text/preview.ts'
import { onAbort } from './abort-relay.ts'

/** Has the name that the platform gives its timeouts. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'WF_CALL_TIMEOUT'
  readonly limitMs: number
  /** The call had less than half of its own timeout, or was not started: the attempt was nearly over, the dependency isn't to blame. */
  readonly cutShort: boolean
  constructor(what: string, { limitMs, cutShort }: { limitMs: number; cutShort: boolean }) {
    super(
      limitMs > 0
        ? `${what} did not answer within ${formatDuration(limitMs)}`
        : `${what} was not called: no time is left`,
    )
    this.limitMs = limitMs
    this.cutShort = cutShort
  }
}

export interface TimeLimit {
  clock: Clock
  /** Names the dependency in the error's message. */
  what: string
  /** The call's own timeout in ms; null: only the time left limits it. */
  timeoutMs: number | null
  /** Ms until the attempt's signal aborts; Infinity if it has no timeout. */
  timeLeftMs: number
  /** Aborts the attempt. */
  signal: AbortSignal
}

/** An abort this close before the limit is the same timeout, seen through another timer. */
const sameInstantMs = 5

/**
 * Returns what `fn` returns. Rejects with a TimeLimitError at the limit, even if `fn` ignores its signal. An abort of the attempt
 * is only passed on: what `fn` still returns counts, because its effect has happened. Leaves no timer and no listener behind.
 */
export function withTimeLimit<T>(
  fn: (signal: AbortSignal) => PromiseLike<T> | T,
  limit: TimeLimit,
): Promise<T> {
  const { clock, what, timeoutMs, timeLeftMs, signal } = limit
  const limitMs = Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, timeLeftMs)
  if (limitMs === Number.POSITIVE_INFINITY) return new Promise((resolve) => resolve(fn(signal)))
  const cutShort = limitMs <= 0 || (timeoutMs !== null && limitMs < timeoutMs / 2)
  if (limitMs <= 0) return Promise.reject(new TimeLimitError(what, { limitMs, cutShort }))
  return new Promise((resolve, reject) => {
    const controller = new AbortController()
    const startedAt = clock.monotonic()
    const end = () => {
      cancel()
      unlisten()
    }
    const expire = () => {
      end()
      const error = new TimeLimitError(what, { limitMs, cutShort })
      reject(error)
      controller.abort(error)
    }
    const cancel = clock.after(limitMs, expire)
    const unlisten = onAbort(signal, () => {
      if (clock.monotonic() - startedAt >= limitMs - Math.min(sameInstantMs, limitMs / 2)) expire()
      else controller.abort(signal.reason)
    })
    if (signal.aborted) controller.abort(signal.reason)
    // In a promise of its own, so that a synchronous throw rejects like any other.
    new Promise<T>((settle) => settle(fn(controller.signal))).then(
      (value) => {
        end()
        resolve(value)
      },
      (thrown: unknown) => {
        end()
        reject(thrown)
      },
    )
  })
}

export interface OptionalScope extends Pick<TimeLimit, 'clock' | 'signal'> {
  /** Ms until the signal aborts at the attempt's timeout. */
  timeLeftMs(): number
  /** Called once for each step that failed: a missing step that nobody sees stays broken. */
  onDegraded(feature: string, thrown: unknown): void
}

/** A step that hangs gets this long, and at most half of the time left: it must not take the job with it. */
const optionalLimitMs = 10_000

/** Runs a step that its job can do without. Returns what `fn` returns, or undefined if it fails in any way. Never rejects. */
export async function optional<T>(
  feature: string,
  fn: (signal: AbortSignal) => PromiseLike<T> | T,
  scope: OptionalScope,
): Promise<T | undefined> {
  const { clock, signal } = scope
  try {
    signal.throwIfAborted()
    const timeLeftMs = Math.min(optionalLimitMs, scope.timeLeftMs() / 2)
    return await withTimeLimit(fn, { clock, what: feature, timeoutMs: null, timeLeftMs, signal })
  } catch (thrown) {
    attempt(() => scope.onDegraded(feature, thrown), undefined)
    return undefined
  }
}
