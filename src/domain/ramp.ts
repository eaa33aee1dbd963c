/**
 * The ramp on which blocked jobs start: one in the first second, two in the next, then four and so on, so that a recovering
 * dependency isn't hit by the whole backlog.
 */

const stepMs = 1_000

/** Length of the ramp: 1,023 jobs have started by then, and nothing limits them afterwards. */
export const rampMs = 10 * stepMs

export interface RampPlace {
  /** Ms since the ramp began; negative counts as 0. */
  sinceMs: number
  /** Jobs started since. */
  started: number
}

/** Returns how many more jobs may start now. */
export function rampRoom({ sinceMs, started }: RampPlace): number {
  return sinceMs >= rampMs
    ? Number.POSITIVE_INFINITY
    : Math.max(0, 2 ** (rampStep(sinceMs) + 1) - 1 - started)
}

/** Returns the whole steps since the ramp began. In step n, counted from 0, 2ⁿ jobs may start. */
export function rampStep(sinceMs: number): number {
  return Math.floor(Math.max(0, sinceMs) / stepMs)
}

/** Returns the ms until the next step. */
export function rampStepLeftMs(sinceMs: number): number {
  return stepMs - (Math.max(0, sinceMs) % stepMs)
}
