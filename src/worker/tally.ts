/** How many attempts ended how. */
import type { OutcomeKind } from '../domain/outcome.ts'
import type { Tally } from './messages.ts'

export type TallySum = Partial<Record<OutcomeKind, number>>

export function addTally(sum: TallySum, tally: Tally): void {
  for (const [outcome, count] of Object.entries(tally)) sum[outcome as OutcomeKind] = (sum[outcome as OutcomeKind] ?? 0) + count
}

/** Attempts that say that jobs get somewhere: not those that a process gave back because it ended. */
export function workDone(tally: Tally): number {
  return Object.entries(tally).reduce((sum, [outcome, count]) => (outcome === 'interrupted' || outcome === 'lost' ? sum : sum + count), 0)
}

/** `1,990 completed, 10 failed`; null when nothing happened. */
export function wordsOfTally(tally: Tally): string | null {
  const parts = Object.entries(tally).filter(([, count]) => count > 0)
  if (parts.length === 0) return null
  return parts.map(([outcome, count]) => `${count.toLocaleString('en-US')} ${words[outcome as OutcomeKind]}`).join(', ')
}

const words: Record<OutcomeKind, string> = {
  success: 'completed',
  fail: 'failed',
  defer: 'deferred',
  incident: 'stopped as incidents',
  poison: 'set aside as poison',
  business_error: 'rejected',
  interrupted: 'given back',
  lost: 'lost',
  result_invalid: 'with a result that cannot be stored',
}
