/** The port's part about what has been going on: figures of a window of time, and what is new since a mark. It counts and reads; it judges nothing. */
import type { OutcomeKind } from '../domain/outcome.ts'
import type { WaitReason } from '../domain/job.ts'
import type { Happening, Marks } from '../domain/feed-event.ts'

export type ActivityBy = 'type' | 'outcome' | 'minute'

/** Ended attempts of one group, outcome and duration. */
export interface AttemptTotal {
  /** The type, the outcome, or the start of the minute as epoch ms in digits. */
  group: string
  outcome: OutcomeKind
  /** Index into `durationBucketsMs` (metrics/names.ts). */
  bucket: number
  count: number
}

/** Stops of one group. `group` is the kind or the reason when they are told by outcome. */
export interface StopTotal {
  group: string
  incidents: number
  deadLetters: number
}

export interface ActivityQuery {
  /** Epoch ms: at it or later. Attempts are kept by the minute: those of the whole minute count. */
  since: number
  by: ActivityBy
  types?: readonly string[]
}

export interface WaitingTotal {
  type: string
  reason: WaitReason
  count: number
}

export interface News {
  /** In the order of their instants. */
  happenings: readonly Happening[]
  /** What to ask with next. */
  marks: Marks
  /** There was more than is read at once: ask again, whether or not anything has changed. */
  more: boolean
}

export interface ActivityReader {
  attemptTotals(query: ActivityQuery): Promise<readonly AttemptTotal[]>
  stopTotals(query: ActivityQuery): Promise<readonly StopTotal[]>
  /** Jobs that wait, from their partial index. */
  waitingTotals(): Promise<readonly WaitingTotal[]>
  /** Where news begin: at the instant `since`. */
  marksAt(since: number, now: number): Promise<Marks>
  /** What came since. Of each sort at most `limit` one by one; of a sort with more, counts by type. */
  newsSince(marks: Marks, limit: number, now: number): Promise<News>
}
