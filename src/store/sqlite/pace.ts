/** How long to leave the write lock alone between two transactions, so that others get it and the event loop gets to run. */

/** A writer that commits back to back would starve the others: their retries come every 1 to 4 ms. */
const contendedGapMs = 4
const contentionLastsMs = 1_000
/** Above this a commit is felt: a slow disk must not leave handlers less than half of the time. */
const slowCommitMs = 5

export interface Pace {
  /** Another connection held the lock. */
  contended(nowMs: number): void
  committed(commit: { tookMs: number; endedMs: number; byWorker: boolean }): void
  /** Ms to wait before the next transaction; 0 for none. */
  restMs(nowMs: number): number
}

/** All instants are monotonic. */
export function createPace(): Pace {
  let contendedUntil = Number.NEGATIVE_INFINITY
  let lastEnded = Number.NEGATIVE_INFINITY
  let recoveryMs = 0
  return {
    contended(nowMs) {
      contendedUntil = nowMs + contentionLastsMs
    },
    committed({ tookMs, endedMs, byWorker }) {
      lastEnded = endedMs
      recoveryMs = byWorker && tookMs > slowCommitMs ? tookMs : 0
    },
    restMs(nowMs) {
      const gap = Math.max(recoveryMs, nowMs < contendedUntil ? contendedGapMs : 0)
      return gap === 0 ? 0 : Math.max(0, lastEnded + gap - nowMs)
    },
  }
}
