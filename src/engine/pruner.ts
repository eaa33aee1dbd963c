/** Retention: takes away what is older than it has to be, in small batches with room between them for others. */
import type { Clock } from '../clock.ts'
import type { RetentionPolicy } from '../domain/retention.ts'
import type { Store } from '../store/port.ts'

export interface Pruner {
  /** One round; does nothing until the last round is a minute old, unless that left rows behind. Answers the number of rows taken. */
  prune(signal: AbortSignal): Promise<number>
}

/** With up to 1,000 rows a batch: 20,000 rows a second at most, more than a store can finish. */
const batchesPerRound = 100
const gapMs = 20
const everyMs = 60_000

export function createPruner({
  store,
  clock,
  retention,
}: {
  store: Store
  clock: Clock
  retention: RetentionPolicy
}): Pruner {
  let nextAt = clock.monotonic()
  return {
    async prune(signal) {
      let taken = 0
      if (clock.monotonic() < nextAt) return taken
      for (let batch = 0; batch < batchesPerRound && !signal.aborted; batch++) {
        const { jobs, deadLetters, idempotencyKeys, stats, more } = await store.prune(retention, store.now())
        taken += jobs + deadLetters + idempotencyKeys + stats
        if (!more) {
          nextAt = clock.monotonic() + everyMs
          return taken
        }
        await clock.sleep(gapMs, signal)
      }
      return taken
    },
  }
}
