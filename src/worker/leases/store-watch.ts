/**
 * Looks whether the store can still be worked with. One that was replaced, damaged or upgraded by a newer wf never comes
 * back by itself, so a worker that has lost its store ends; one that is missing may have been moved for a moment, and is
 * given a few seconds.
 */
import type { Clock } from '../../clock.ts'
import { isStoreGone, type WfError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { Store } from '../../store/port.ts'

export interface StoreWatchOptions {
  store: Pick<Store, 'version'>
  clock: Clock
  log: Logger
  ended: AbortSignal
}

const lookEveryMs = 1_000
const missingMs = 5_000

/** The error to end with once the store is lost; null when `ended` came first. Other troubles of the store are not its business. Never rejects. */
export async function untilLost({ store, clock, log, ended }: StoreWatchOptions): Promise<WfError | null> {
  let missingSince: number | null = null
  while (!ended.aborted) {
    const { error, isThere } = await lookAt(store)
    const now = clock.monotonic()
    if (error !== null && error.code !== 'store_missing') return error
    if (error !== null) {
      if (missingSince === null) log.warn(`${error.message}; it has ${missingMs / 1_000} s to come back`)
      missingSince ??= now
      if (now - missingSince >= missingMs) return error
    } else if (isThere && missingSince !== null) {
      log.info('the store is there again')
      missingSince = null
    }
    await clock.sleep(lookEveryMs, ended)
  }
  return null
}

/** Of one that can be read neither way nobody knows whether it is there. */
async function lookAt(
  store: StoreWatchOptions['store'],
): Promise<{ error: WfError | null; isThere: boolean }> {
  try {
    await store.version()
    return { error: null, isThere: true }
  } catch (error) {
    return { error: isStoreGone(error) ? error : null, isThere: false }
  }
}
