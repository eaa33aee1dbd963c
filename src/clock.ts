/**
 * Time. The only file that touches `Date`, `performance` and timers: everything else takes a Clock,
 * so that tests run on a fake one and a stepped system clock cannot stretch a timeout.
 */
import { performance } from 'node:perf_hooks'

/** Ends a timer that has not fired; harmless afterwards. */
export type Cancel = () => void

export interface Clock {
  /** Epoch milliseconds; may step when the system clock is set. For stored instants. */
  now(): number
  /** Milliseconds since an arbitrary start; never goes back. For elapsed time. */
  monotonic(): number
  /** Calls `fire` once after `ms` (≥ 0, any size). The timer does not keep the process alive when `unref`. */
  after(ms: number, fire: () => void, options?: { unref?: boolean }): Cancel
  /** Resolves after `ms`, or at once (without an error) when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** setTimeout takes 31 bits; a longer wait would fire at once, so it is walked in steps. */
const longestTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fire, options = {}) {
    if (!(ms >= 0) || ms === Number.POSITIVE_INFINITY)
      throw new RangeError(`a timer takes 0 or more finite milliseconds, not ${ms}`)
    let left = ms
    let timer: NodeJS.Timeout
    const step = () => {
      const next = Math.min(left, longestTimerMs)
      left -= next
      timer = setTimeout(left > 0 ? step : fire, next)
      if (options.unref) timer.unref()
    }
    step()
    return () => clearTimeout(timer)
  },
  sleep(ms, signal) {
    return sleepOn(systemClock, ms, signal)
  },
}

/** `sleep` written on `after`, shared by every clock. Leaves no listener behind. */
export function sleepOn(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const wake = () => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(ms, wake)
    signal?.addEventListener('abort', wake, { once: true })
  })
}
