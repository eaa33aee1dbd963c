/** What attempts came to, counted: the jobs that came to rest by their state, the others by what happened to the attempt. */
import type { Settlement } from '../domain/outcome.ts'
import type { Settled } from '../store/port.ts'

export type OutcomeKey =
  | 'completed'
  | 'rejected'
  | 'failed'
  | 'dead'
  | 'retried'
  | 'deferred'
  | 'returned'
  | 'lost'

export type OutcomeCounts = Partial<Record<OutcomeKey, number>>

/** Null: it changed nothing. What the store would not take has stopped its job. */
export function outcomeKey(
  { next, outcome }: Pick<Settlement, 'next' | 'outcome'>,
  result: Settled,
): OutcomeKey | null {
  if (result !== 'applied') return result === 'refused' ? 'failed' : null
  const { state } = next
  if (state === 'completed' || state === 'rejected' || state === 'failed' || state === 'dead') return state
  if (outcome === 'defer') return 'deferred'
  if (outcome === 'interrupted') return 'returned'
  return outcome === 'lost' ? 'lost' : 'retried'
}

export function count(counts: OutcomeCounts, key: OutcomeKey | null, by = 1): void {
  if (key !== null) counts[key] = (counts[key] ?? 0) + by
}

export function sumOf(all: Iterable<OutcomeCounts>): OutcomeCounts {
  const sum: OutcomeCounts = {}
  for (const counts of all) for (const [key, by] of Object.entries(counts)) count(sum, key as OutcomeKey, by)
  return sum
}

/** Attempts that say that jobs get somewhere: not those that a process lost, or gave back because it ended. */
export function workDone({
  completed = 0,
  rejected = 0,
  failed = 0,
  dead = 0,
  retried = 0,
  deferred = 0,
}: OutcomeCounts): number {
  return completed + rejected + failed + dead + retried + deferred
}

/** Jobs that stopped and wait for a person. */
export function stopped({ failed = 0, dead = 0 }: OutcomeCounts): number {
  return failed + dead
}

const atRest = {
  completed: 'completed',
  rejected: 'rejected',
  failed: 'stopped with an incident',
  dead: 'set aside as dead letters',
} as const

/** One job can have had several of them, and what became of it is counted above. */
const otherAttempts = {
  retried: 'failed',
  deferred: 'put off',
  returned: 'given back',
  lost: 'lost with their process',
} as const

/** `jobs: 1,990 completed, 10 rejected; other attempts: 3 failed`; `no job` when nothing happened. */
export function outcomeSummary(counts: OutcomeCounts): string {
  const [jobs, attempts] = [partsOf(counts, atRest), partsOf(counts, otherAttempts)]
  if (jobs.length === 0 && attempts.length === 0) return 'no job'
  const rest = jobs.length === 0 ? 'no job came to rest' : `jobs: ${jobs.join(', ')}`
  return attempts.length === 0 ? rest : `${rest}; other attempts: ${attempts.join(', ')}`
}

function partsOf(counts: OutcomeCounts, words: Partial<Record<OutcomeKey, string>>): readonly string[] {
  return Object.entries(words).flatMap(([key, word]) => {
    const by = counts[key as OutcomeKey] ?? 0
    return by > 0 ? [`${by.toLocaleString('en-US')} ${word}`] : []
  })
}
