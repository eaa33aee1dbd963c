/** What attempts came to, counted: the jobs that came to rest by their state, the others by what happened to the attempt. */
import type { Settlement } from '../domain/outcome.ts'

export type TallyKey = 'completed' | 'rejected' | 'failed' | 'dead' | 'retried' | 'deferred' | 'returned' | 'lost'

export type Tally = Partial<Record<TallyKey, number>>

export function tallyKey({ next, outcome }: Pick<Settlement, 'next' | 'outcome'>): TallyKey {
  const { state } = next
  if (state === 'completed' || state === 'rejected' || state === 'failed' || state === 'dead') return state
  if (outcome === 'defer') return 'deferred'
  if (outcome === 'interrupted') return 'returned'
  return outcome === 'lost' ? 'lost' : 'retried'
}

export function count(tally: Tally, key: TallyKey, by = 1): void {
  tally[key] = (tally[key] ?? 0) + by
}

export function sumOf(tallies: Iterable<Tally>): Tally {
  const sum: Tally = {}
  for (const tally of tallies) for (const [key, by] of Object.entries(tally)) count(sum, key as TallyKey, by)
  return sum
}

/** Attempts that say that jobs get somewhere: not those that a process lost, or gave back because it ended. */
export function workDone({ completed = 0, rejected = 0, failed = 0, dead = 0, retried = 0, deferred = 0 }: Tally): number {
  return completed + rejected + failed + dead + retried + deferred
}

/** Jobs that stopped and wait for a person. */
export function stopped({ failed = 0, dead = 0 }: Tally): number {
  return failed + dead
}

const words: Record<TallyKey, string> = {
  completed: 'completed',
  rejected: 'rejected',
  failed: 'stopped with an incident',
  dead: 'set aside as dead letters',
  retried: 'to be tried again',
  deferred: 'put off',
  returned: 'given back',
  lost: 'lost with their process',
}

/** `1,990 completed, 10 rejected`; `no job` when nothing happened. */
export function wordsOfTally(tally: Tally): string {
  const parts = Object.entries(words).flatMap(([key, word]) => {
    const by = tally[key as TallyKey] ?? 0
    return by > 0 ? [`${by.toLocaleString('en-US')} ${word}`] : []
  })
  return parts.length === 0 ? 'no job' : parts.join(', ')
}
