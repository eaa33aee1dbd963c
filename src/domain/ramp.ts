/**
 * How held work is let go: one start in the first second, two in the next, then four …, so that whoever was spared is
 * not met by all that waited at once.
 */

const stepMs = 1_000

/** From then on nothing limits it: 1,023 have been let go. */
export const rampMs = 10 * stepMs

export interface RampPlace {
  /** Ms since it began; before that counts as its first instant. */
  sinceMs: number
  /** What has been let go since. */
  started: number
}

/** How many more may be let go now. */
export function rampRoom({ sinceMs, started }: RampPlace): number {
  return sinceMs >= rampMs
    ? Number.POSITIVE_INFINITY
    : Math.max(0, 2 ** (rampStep(sinceMs) + 1) - 1 - started)
}

/** Whole steps since it began: in the nth, counted from 0, 2ⁿ are let go. */
export function rampStep(sinceMs: number): number {
  return Math.floor(Math.max(0, sinceMs) / stepMs)
}

/** Ms until the next step. */
export function rampStepLeftMs(sinceMs: number): number {
  return stepMs - (Math.max(0, sinceMs) % stepMs)
}
