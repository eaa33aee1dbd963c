/** The list of breakers: shared by all workers, and local to one process. */
import type { InspectedBreaker } from '../../engine/breaker-admin.ts'
import {
  heldInAll,
  heldJobs,
  localBreakers,
  type InspectedLocalBreaker,
} from '../../engine/local-breakers.ts'
import type { Reader } from '../../engine/engine.ts'
import type { TypeView } from '../../store/views.ts'
import { breakerColumns, breakerDocument, type ShownBreaker } from '../../views/breaker-view.ts'
import { inspectedBreakers } from './breakers-command.ts'
import { iso } from '../../terminal/json.ts'
import type { Column } from '../../terminal/table.ts'
import { thousands } from '../../terminal/time.ts'

export interface ListedBreaker extends ShownBreaker {
  /** The worker's id; null for a shared breaker. */
  worker: string | null
  /** Jobs that it blocks; null if another worker may start them. */
  held: number | null
  document: object
}

export async function listedBreakers(store: Reader): Promise<readonly ListedBreaker[]> {
  const now = store.now()
  const [types, workers] = [await store.types(now), await store.workers(now)]
  const isHeld = (type: string) => heldInAll(type, workers, now).length > 0
  return [
    ...(await inspectedBreakers(store)).map((breaker) => sharedOne(breaker, types)),
    ...localBreakers(workers, now).map((local) => localOne(local, types, isHeld)),
  ]
}

function sharedOne(breaker: InspectedBreaker, types: readonly TypeView[]): ListedBreaker {
  const held = breaker.mode === 'closed' ? 0 : heldJobs(breaker.types, types)
  return { ...breaker, worker: null, held, document: { ...breakerDocument(breaker), worker: null, held } }
}

/** Counts the blocked jobs only if every living worker of its types is blocked. */
function localOne(
  local: InspectedLocalBreaker,
  types: readonly TypeView[],
  isHeld: (type: string) => boolean,
): ListedBreaker {
  const all = local.types.every(isHeld) ? heldJobs(local.types, types) : null
  const held = local.mode === 'closed' ? 0 : all
  const { name, mode, generation, changedAt, expiresAt, retryInMs, worker } = local
  const openUntil = mode === 'open' ? iso(expiresAt) : null
  const document = {
    ...{ name, mode, generation, changedAt: iso(changedAt), openUntil, retryInMs },
    types: local.types,
    worker,
    held,
  }
  return { ...local, who: '', reason: null, held, document }
}

export function listedBreakerColumns(
  listed: readonly ListedBreaker[],
  now: number,
): readonly Column<ListedBreaker>[] {
  const [name, state, since, callsIn, ...rest] = breakerColumns(now)
  const held: Column<ListedBreaker> = {
    title: 'HELD',
    value: formatHeld,
    align: 'right',
    optional: 1,
  }
  const worker: Column<ListedBreaker> = {
    title: 'WORKER',
    value: (breaker) => breaker.worker ?? 'all',
    shrinkTo: 12,
  }
  const whose = listed.some((breaker) => breaker.worker !== null) ? [worker] : []
  return [name, state, ...whose, since, callsIn, held, ...rest].filter((column) => column !== undefined)
}

function formatHeld({ mode, held }: ListedBreaker): string {
  if (mode === 'closed') return ''
  return held === null ? '?' : thousands(held)
}
