/** Events of a store, for those who follow it. */

/**
 * `enqueued`: a new job. `completed`: a job. `attempt`: an attempt that failed or was lost. `incident` and `dead_letter`: a
 * job stopped. `operation`: an operator's action ended. `change`: an entry in the history of a job, type, breaker or worker.
 */
export const feedEventKinds = [
  'enqueued',
  'completed',
  'attempt',
  'incident',
  'dead_letter',
  'operation',
  'change',
] as const

export type FeedEventKind = (typeof feedEventKinds)[number]

export interface FeedEvent {
  /** Epoch ms. */
  at: number
  kind: FeedEventKind
  /** Null if it concerns no type. */
  type: string | null
  /** Null if it concerns no single job. */
  jobKey: number | null
  /** More than 1 for a sum. */
  count: number
  /** Outcome, incident kind, reason, verb or event; null if the kind says it all. */
  what: string | null
  /** The error, or the targets of an operation; null if there is none. */
  detail: string | null
  /** The person or worker who did it. */
  who: string | null
}

/** How far rows that have only a time have been read. */
export interface DatedMark {
  /** Epoch ms: later rows are read. */
  from: number
  /** Names of later rows that were returned already. */
  seen: readonly string[]
}

/** A position in the feed. Plain data: it may be kept and used later. */
export interface FeedPosition {
  job: number
  incident: number
  history: number
  operation: number
  /** Ids of operations that had not ended. */
  open: readonly number[]
  attempts: DatedMark
  letters: DatedMark
}
