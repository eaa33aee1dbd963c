/**
 * Asks workers to drain, from anywhere: the wish stands in their rows, and each hears of it with its next renewal. A run
 * drains as a whole, whichever of its processes is named. Watching them go is part of it; it judges nobody.
 */
import type { Clock } from '../clock.ts'
import { namedWords } from '../domain/operation-words.ts'
import type { Store } from '../store/store.ts'
import { asOperation } from './operations.ts'

export interface DrainWish {
  workerIds: readonly string[]
  who: string
  reason: string | null
}

/** Answers the number of the record. */
export async function drainWorkers(store: Store, { workerIds, who, reason }: DrainWish): Promise<number> {
  const named = { verb: 'drain' as const, who, reason, selector: namedWords(workerIds), flags: {}, matched: workerIds.length }
  const { operation } = await asOperation(store, named, (id) =>
    store.setWorkerState(workerIds, 'draining', store.now(), { who, reason, operation: id }),
  )
  return operation.id
}

export interface DrainWatch {
  store: Pick<Store, 'workers' | 'now' | 'watch'>
  clock: Clock
  workerIds: readonly string[]
  timeoutMs: number
  signal?: AbortSignal
}

/** Between two looks when nobody tells of a change. */
const lookEveryMs = 1_000

/** Ids of those that are still there when all have gone, the time is over, or the signal aborts. */
export async function untilDrained({ store, clock, workerIds, timeoutMs, signal }: DrainWatch): Promise<readonly string[]> {
  const meant = new Set(workerIds)
  const endAt = clock.monotonic() + timeoutMs
  let wake: () => void = () => {}
  const unwatch = store.watch(() => wake())
  try {
    for (;;) {
      // Before the look, so that a change during it is not missed.
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const left = (await store.workers(store.now())).filter(({ id, leaseUntil }) => meant.has(id) && leaseUntil > store.now()).map(({ id }) => id)
      const leftMs = endAt - clock.monotonic()
      if (left.length === 0 || leftMs <= 0 || signal?.aborted) return left
      await wokenOr(changed, { clock, ms: Math.min(leftMs, lookEveryMs), signal })
    }
  } finally {
    unwatch()
  }
}

async function wokenOr(changed: Promise<void>, { clock, ms, signal }: { clock: Clock; ms: number; signal: AbortSignal | undefined }): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([changed, clock.sleep(ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal)])
  } finally {
    over.abort()
  }
}
