/**
 * Limits the time of one call. Limits cascade: a call gets its own timeout or what is left of the attempt, whichever is
 * less, and the signal that it is given aborts at that limit and whenever the attempt's does.
 */
import type { Clock } from '../clock.ts'
import { formatDuration } from '../text/duration.ts'
import { onAbort } from './abort-relay.ts'

/** The name is the one that the platform gives its timeouts. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeoutError'
  readonly code = 'WF_CALL_TIMEOUT'
  readonly limitMs: number
  /** It had less than half of its own timeout, or was not even started: the attempt was nearly over, and the other side is not to blame. */
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
  /** Who is called, for the error's message. */
  what: string
  /** The call's own timeout; null: only what is left limits it. */
  timeoutMs: number | null
  /** Ms until the attempt's signal aborts; Infinity where nothing limits it. */
  timeLeftMs: number
  /** The attempt's. */
  signal: AbortSignal
}

/** An abort that comes this close before the limit is the same clock's, seen through another timer. */
const sameInstantMs = 5

/**
 * What `fn` gives; a TimeLimitError at the limit, whether `fn` listens to its signal or not. An abort of the attempt is
 * only passed on: what `fn` still returns counts, because its effect has happened. No timer and no listener stays behind.
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
    // Inside a promise of its own, so that a throw before the first await ends like any other.
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
