/** Goes on trying to write what must not be forgotten, while the store is locked, full or away. */
import type { Clock } from '../../clock.ts'
import { isStoreGone } from '../../errors.ts'
import type { Logger } from '../../logger.ts'

export interface UntilStored<T> {
  /** For the log: `registering a worker`. */
  what: string
  /** Safe to repeat. */
  action: () => Promise<T>
  clock: Clock
  log: Logger
  /** Gives up; also on an action that never comes back. */
  ended: AbortSignal
}

const retryMs = 500

/** Null when `ended` came first. Never rejects. */
export async function untilStored<T>({ what, action, clock, log, ended }: UntilStored<T>): Promise<T | null> {
  for (let tries = 1; !ended.aborted; tries++) {
    try {
      return await orEnded(action(), ended)
    } catch (error) {
      if (tries === 1 && !isStoreGone(error))
        log.warn(
          `${what} did not work yet; trying again: ${error instanceof Error ? error.message : String(error)}`,
        )
      await clock.sleep(retryMs, ended)
    }
  }
  return null
}

function orEnded<T>(promise: Promise<T>, ended: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    ended.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => ended.removeEventListener('abort', stop))
  })
}
