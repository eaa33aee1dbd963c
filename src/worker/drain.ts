/** The times of a shutdown, all counted from its start. Everything here is bounded: a shutdown ends whatever handlers and the store do. */

export interface DrainTimes {
  /** When handlers that still run are told to abort. */
  abortInMs: number
  /** When what is unfinished is given back. */
  graceMs: number
  /** When processes that are still there are killed. */
  killInMs: number
  /** When the supervisor ends, even if the store did not take what it had to give back. */
  endInMs: number
}

const longestAbortMs = 5000

export function drainTimes(graceMs: number): DrainTimes {
  return {
    abortInMs: graceMs - Math.min(longestAbortMs, graceMs / 2),
    graceMs,
    killInMs: graceMs + 450,
    endInMs: graceMs + 900,
  }
}

/** An operator who is not willing to wait. */
export const stopTimes: Pick<DrainTimes, 'killInMs' | 'endInMs'> = { killInMs: 600, endInMs: 1000 }
