/**
 * Waiting for another connection's lock. SQLite's own busy handler sleeps inside the call, so it would stop heartbeats,
 * signals and timers, and it is unfair; every connection here has a busy timeout of 0 and waits on a timer instead.
 */
import type { Clock } from '../../../clock.ts'
import type { Random } from '../../../random.ts'
import { isLocked, storeError } from './sqlite-errors.ts'

export interface LockWait {
  clock: Clock
  random: Random
  /** Gives up after this time with WfError `store_locked`; null waits forever. */
  lockTimeoutMs: number | null
  /** For messages. */
  location: string
}

/** Short at first, because most locks are short; with jitter, so that waiters don't retry in step; longer when the lock lasts. */
export function lockDelayMs(tries: number, random: Random): number {
  if (tries === 0) return 1
  return tries < 250 ? 1 + random() * 3 : 25
}

/** Runs `attempt` until it meets no lock. It must be atomic, because it is repeated from its start. Rejects with WfErrors. */
export async function whileLocked<T>(wait: LockWait, attempt: () => T): Promise<T> {
  const { clock, random, lockTimeoutMs, location } = wait
  const startedAt = clock.monotonic()
  for (let tries = 0; ; tries++) {
    try {
      return attempt()
    } catch (error) {
      if (!isLocked(error) || (lockTimeoutMs !== null && clock.monotonic() - startedAt >= lockTimeoutMs))
        throw storeError(error, location)
    }
    await clock.sleep(lockDelayMs(tries, random))
  }
}
