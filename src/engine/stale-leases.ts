/**
 * Finds leases that are over although the wall clock says that they are not: after a clock was set back, what a dead
 * worker had left of its lease would last until the old time is reached again. Evidence is a lease that has not moved
 * for as long as it was good for, by monotonic time. A living worker moves its own.
 */
import type { WorkerRow } from '../store/views.ts'

/** No honest lease is longer: the configuration refuses it. */
export const longestLeaseMs = 10 * 60_000

export interface LeaseEvidence {
  /** The ids among `workers` whose lease must be over. `now` is the wall clock, `monotonic` ms that never go back. */
  overdue(
    workers: readonly Pick<WorkerRow, 'id' | 'leaseUntil'>[],
    at: { now: number; monotonic: number },
  ): readonly string[]
  /** After a sleep: time passed in which nobody could renew. */
  forget(): void
}

interface Seen {
  leaseUntil: number
  goodUntil: number
}

export function createLeaseEvidence(): LeaseEvidence {
  let seen = new Map<string, Seen>()
  return {
    overdue(workers, { now, monotonic }) {
      const next = new Map<string, Seen>()
      for (const { id, leaseUntil } of workers) {
        const known = seen.get(id)
        const leftMs = Math.min(Math.max(leaseUntil - now, 0), longestLeaseMs)
        next.set(id, known?.leaseUntil === leaseUntil ? known : { leaseUntil, goodUntil: monotonic + leftMs })
      }
      seen = next
      const isOver = ({ id, leaseUntil }: Pick<WorkerRow, 'id' | 'leaseUntil'>) =>
        leaseUntil > now && (next.get(id)?.goodUntil ?? Number.POSITIVE_INFINITY) < monotonic
      return workers.filter(isOver).map(({ id }) => id)
    },
    forget: () => seen.clear(),
  }
}
