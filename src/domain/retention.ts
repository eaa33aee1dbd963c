/** How long ended rows are kept, and dead letters that an operator deletes. */
import type { DeadLetter } from './dead-letter.ts'

export interface RetentionPolicy {
  /** Age in ms after which rows go; null keeps them. */
  finishedMs: number | null
  deadLettersMs: number | null
  idempotencyKeysMs: number | null
  statsMs: number | null
}

export interface Purge {
  /** The key of the letter's job. */
  jobKey: number
  /** Open ones too: their jobs are cancelled for good first. Without it an open one is passed by. */
  open: boolean
  who: string
  reason: string | null
  /** What became of each is written as a target of this operation. */
  operation?: number
}

/** Why a letter stays; null when it may go. */
export function keptBecause(
  jobKey: number,
  letter: Pick<DeadLetter, 'closedAt'> | null,
  { open }: Pick<Purge, 'open'>,
): { status: 'not_found' | 'skipped'; why: string } | null {
  if (letter === null) return { status: 'not_found', why: `there is no dead letter of job ${jobKey}` }
  if (letter.closedAt !== null || open) return null
  return {
    status: 'skipped',
    why: `the dead letter of job ${jobKey} is open: retry or discard it, or purge with --open`,
  }
}
