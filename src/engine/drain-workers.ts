/**
 * Asks workers to drain, from anywhere: the wish stands in their rows, and each hears of it with its next renewal. A run
 * drains as a whole, whichever of its processes is named. Watching them go is part of it; it judges nobody.
 */
import type { Clock } from '../clock.ts'
import { namedTargets } from '../domain/operation.ts'
import type { Store } from '../store/port.ts'
import { asOperation } from './operation-log.ts'
import { setWorkerState } from './plans/workers.ts'
import { untilSeen } from './wait-until.ts'

export interface DrainWish {
  workerIds: readonly string[]
  who: string
  reason: string | null
}

/** Answers the number of the record. */
export async function drainWorkers(store: Store, { workerIds, who, reason }: DrainWish): Promise<number> {
  const named = {
    verb: 'drain' as const,
    who,
    reason,
    selector: namedTargets(workerIds),
    flags: {},
    matched: workerIds.length,
  }
  const { operation } = await asOperation(store, named, (id) =>
    store.transact(
      setWorkerState,
      workerIds.map((worker) => ({
        id: worker,
        state: 'draining' as const,
        drain: { who, reason, operation: id },
      })),
      store.now(),
    ),
  )
  return operation.id
}

export interface DrainWatch {
  store: Pick<Store, 'workers' | 'now' | 'watch'>
  clock: Clock
  workerIds: readonly string[]
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** Between two looks when nobody tells of a change. */
const mostMs = 1_000

/** Ids of those that are still there when all have gone, the time is over, or the signal aborts. */
export async function untilDrained({ workerIds, ...watch }: DrainWatch): Promise<readonly string[]> {
  const { store } = watch
  const meant = new Set(workerIds)
  const left = async () =>
    (await store.workers(store.now())).filter(
      ({ id, leaseUntil }) => meant.has(id) && leaseUntil > store.now(),
    )
  await untilSeen({ ...watch, mostMs, look: async () => ((await left()).length === 0 ? 'gone' : null) })
  return (await left()).map(({ id }) => id)
}
