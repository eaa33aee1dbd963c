/** Tells whether this process has slept (suspended machine, stopped process, long lock) or the wall clock was set. */
import type { Clock } from '../clock.ts'

export interface Observed {
  /** More time passed than a round of work explains, by either clock. */
  slept: boolean
  /** Ms that the wall clock gained on monotonic time; negative when it was set back. */
  steppedMs: number
}

export interface SleepDetector {
  /** To be called every `intervalMs`; compares with the call before, the first one with the making of the detector. */
  observe(): Observed
}

/** @param now the wall clock that leases are judged by */
export function createSleepDetector(clock: Clock, now: () => number, intervalMs: number): SleepDetector {
  let before = { wall: now(), monotonic: clock.monotonic() }
  return {
    observe() {
      const at = { wall: now(), monotonic: clock.monotonic() }
      const wallMs = at.wall - before.wall
      const passedMs = at.monotonic - before.monotonic
      before = at
      return { slept: passedMs > 2 * intervalMs || wallMs > 2 * intervalMs, steppedMs: wallMs - passedMs }
    },
  }
}
