/** The process-local breakers of living workers, and how many jobs a breaker blocks. */
import type { LocalBreaker } from '../domain/breaker-row.ts'
import type { TypeView, WorkerView } from '../store/views.ts'

export interface InspectedLocalBreaker extends LocalBreaker {
  /** The worker's id. */
  worker: string
  ageMs: number
  /** Ms until a call may pass; 0 if one may now. */
  retryInMs: number
}

/** Returns their state now: half-open once the open period is over. Breakers of dead workers are dropped. */
export function localBreakers(workers: readonly WorkerView[], now: number): readonly InspectedLocalBreaker[] {
  const reported = workers
    .filter(({ leaseUntil }) => leaseUntil > now)
    .flatMap(({ id, breakers = [] }) => breakers.map((each) => ({ ...each, worker: id })))
  return reported
    .map((each) => {
      const retryInMs = each.mode === 'open' ? Math.max(0, (each.expiresAt ?? now) - now) : 0
      const mode = each.mode === 'open' && retryInMs === 0 ? ('half_open' as const) : each.mode
      return { ...each, mode, retryInMs, ageMs: Math.max(0, now - each.changedAt) }
    })
    .sort((a, b) => compare(a.name, b.name) || compare(a.worker, b.worker))
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** Returns the local breakers that block a type in every worker that takes it; empty if one of the workers would start its jobs. */
export function heldInAll(
  type: string,
  workers: readonly WorkerView[],
  now: number,
): readonly InspectedLocalBreaker[] {
  const takers = workers.filter(
    ({ leaseUntil, quarantine, types }) => leaseUntil > now && !quarantine && types.includes(type),
  )
  const closed = takers.map((worker) =>
    localBreakers([worker], now).filter(({ mode, types }) => mode !== 'closed' && types.includes(type)),
  )
  return closed.every((each) => each.length > 0) ? closed.flat() : []
}

/** Counts the unfinished jobs of these types that don't run: what a breaker that isn't closed blocks. */
export function heldJobs(types: readonly string[], views: readonly TypeView[]): number {
  return views
    .filter(({ type }) => types.includes(type))
    .reduce((sum, { counts }) => sum + (counts.available ?? 0) + (counts.waiting ?? 0), 0)
}
