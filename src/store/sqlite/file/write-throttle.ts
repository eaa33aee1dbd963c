/** How long to leave the write lock alone between two transactions, so that others get it and the event loop gets to run. */

/**
 * While others want the lock, each gets to see it free for a quarter of the time. A fixed gap would be nothing beside long
 * transactions and most of the time beside short ones.
 */
const gapPerTransaction = 1 / 3
const longestGapMs = 4
const contentionLastsMs = 1_000
/** Above this a commit is felt: a slow disk must not leave handlers less than half of the time. */
const slowCommitMs = 5

/** All instants are monotonic. */
export interface Committed {
  beganMs: number
  /** When its COMMIT began. */
  commitMs: number
  endedMs: number
}

export interface Pace {
  /** Another connection held the lock. */
  contended(nowMs: number): void
  committed(transaction: Committed): void
  /** Ms to wait before the next transaction; 0 for none. `handlersRun`: all that waits for it can wait while handlers run. */
  restMs(nowMs: number, handlersRun: boolean): number
}

export function createPace(): Pace {
  let contendedUntil = Number.NEGATIVE_INFINITY
  let last: Committed | null = null
  return {
    contended(nowMs) {
      contendedUntil = nowMs + contentionLastsMs
    },
    committed(transaction) {
      last = transaction
    },
    restMs(nowMs, handlersRun) {
      if (last === null) return 0
      const { beganMs, commitMs, endedMs } = last
      const gapMs =
        nowMs < contendedUntil ? Math.min(longestGapMs, (endedMs - beganMs) * gapPerTransaction) : 0
      const recoveryMs = handlersRun && endedMs - commitMs > slowCommitMs ? endedMs - commitMs : 0
      return Math.max(0, endedMs + Math.max(gapMs, recoveryMs) - nowMs)
    },
  }
}
