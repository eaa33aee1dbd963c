/** The breakers that workers share with nobody, as those that live have told; and how many jobs a breaker holds. */
import type { LocalBreaker } from '../domain/breaker-row.ts'
import type { TypeView, WorkerView } from '../store/views.ts'

export interface InspectedLocalBreaker extends LocalBreaker {
  /** The worker's id: another start of it has breakers of its own. */
  worker: string
  ageMs: number
  /** Until a call may be let through; 0 when one may now. */
  retryInMs: number
}

/** As they are now: an opening that is over lets a probe through. Those of dead workers are nobody's. */
export function localBreakers(workers: readonly WorkerView[], now: number): readonly InspectedLocalBreaker[] {
  const told = workers
    .filter(({ leaseUntil }) => leaseUntil > now)
    .flatMap(({ id, breakers = [] }) => breakers.map((each) => ({ ...each, worker: id })))
  return told
    .map((each) => {
      const retryInMs = each.mode === 'open' ? Math.max(0, (each.expiresAt ?? now) - now) : 0
      const mode = each.mode === 'open' && retryInMs === 0 ? ('half_open' as const) : each.mode
      return { ...each, mode, retryInMs, ageMs: Math.max(0, now - each.changedAt) }
    })
    .sort((a, b) => compare(a.name, b.name) || compare(a.worker, b.worker))
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** Of a type: the own breakers that hold its jobs in every worker that takes it; empty where one of them would start a job. */
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

/** Unfinished jobs of these types that do not run: what a breaker that is not closed holds. */
export function heldJobs(types: readonly string[], views: readonly TypeView[]): number {
  return views
    .filter(({ type }) => types.includes(type))
    .reduce((sum, { counts }) => sum + (counts.available ?? 0) + (counts.waiting ?? 0), 0)
}
