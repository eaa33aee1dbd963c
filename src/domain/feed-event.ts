/** What happens in a store, for those who watch it. */

/**
 * `enqueued`: new jobs. `completed`: attempts that came through, counted by their workers about once a second, or jobs of which somebody keeps track. `attempt`: one that did
 * not. `incident` and `dead_letter`: a job stopped. `operation`: somebody changed something. `change`: what was done to a job, a type, a
 * breaker or a worker. `worker`: one came or went.
 */
export type HappeningKind =
  | 'enqueued'
  | 'completed'
  | 'attempt'
  | 'incident'
  | 'dead_letter'
  | 'operation'
  | 'change'
  | 'worker'

export const happeningKinds: readonly HappeningKind[] = [
  ...([
    'enqueued',
    'completed',
    'attempt',
    'incident',
    'dead_letter',
    'operation',
    'change',
    'worker',
  ] as const),
]

export interface Happening {
  /** Epoch ms. */
  at: number
  kind: HappeningKind
  /** Null for what concerns no type. */
  type: string | null
  /** Null for what concerns no single job. */
  jobKey: number | null
  /** More than 1: a sum of as many. */
  count: number
  /** Outcome, incident kind, reason, verb or event; null when the kind says it all. */
  what: string | null
  /** The error, or what was meant; null when there is nothing to say. */
  detail: string | null
  /** Who did it: a person, or a worker. */
  who: string | null
}

/** How far what is only dated has been read. */
export interface DatedMark {
  /** Epoch ms: what is later is read. */
  from: number
  /** What is later and was told already. */
  seen: readonly string[]
}

/** How far somebody has read. Plain data: it may be kept and used later. */
export interface Marks {
  job: number
  incident: number
  history: number
  operation: number
  /** Operations that had not ended. */
  open: readonly number[]
  attempts: DatedMark
  letters: DatedMark
  /** Epoch ms: from this minute on attempts that came through are counted, less those that were told. */
  minute: number
  completed: Readonly<Record<string, number>>
  /** Ids of workers, and how they stood. */
  workers: Readonly<Record<string, string>>
}
