/** What the queries of a store answer. Every instant is epoch ms. */
import type { LocalBreaker } from '../domain/breaker-row.ts'
import type { DeadLetter } from '../domain/dead-letter.ts'
import type { FeedEvent, FeedPosition } from '../domain/feed-event.ts'
import type { Incident } from '../domain/incident.ts'
import type { Job, JobState, WaitReason } from '../domain/job.ts'
import type { AttemptRecord, OutcomeKind } from '../domain/outcome.ts'
import type { Step } from '../domain/step.ts'

export interface PausedType {
  type: string
  /** Epoch ms. */
  since: number
  /** Epoch ms at which it ends by itself. */
  untilAt: number | null
  /** `wf` for the automatic pause. */
  by: string
  reason: string | null
}

export interface WorkerRow {
  /** `label#incarnation`. */
  id: string
  label: string
  pid: number
  host: string
  startedAt: number
  leaseUntil: number
  state: 'running' | 'draining'
  concurrency: number
  types: readonly string[]
  /** Takes only suspects, one at a time. */
  quarantine: boolean
}

export interface WorkerView extends WorkerRow {
  /** Number of jobs leased to it. */
  running: number
  /** Process-local breakers; absent until the worker first reports them. */
  breakers?: readonly LocalBreaker[]
}

/** What a worker declares of a type that it handles. */
export interface TypeDeclaration {
  type: string
  timeoutMs: number
  concurrency: number
  retries: number
  /** Maximum number of unfinished jobs of the type; null for no limit. */
  backlogLimit: number | null
  onExhausted: 'incident' | 'dead-letter'
  /** Names of the shared breakers that block its jobs while they are open (default: none). */
  breakers?: readonly string[]
}

export interface TypeView {
  type: string
  declaration: TypeDeclaration | null
  pausedAt: number | null
  /** Epoch ms at which the pause ends by itself. */
  pausedUntil: number | null
  pausedBy: string | null
  pauseReason: string | null
  /** Poison or incident outcomes in a row without a success. */
  badStreak: number
  counts: Partial<Record<JobState, number>>
  /** runAt of the oldest available job; null if there is none. */
  oldestDueAt: number | null
  /** Living workers that handle it. */
  workers: number
}

/** Everything about one job. Lists carry no variables. */
export interface JobDetail {
  job: Job
  variables: string
  result: string | null
  attempts: readonly AttemptRecord[]
  incidents: readonly Incident[]
  deadLetter: DeadLetter | null
  history: readonly HistoryRow[]
  progress: { fraction: number; note: string | null; at: number } | null
  idempotencyKey: string | null
  children: readonly number[]
  steps: readonly Step[]
  /** As in `ClaimedJob`. */
  effectsEpoch: number
}

/** A transition that is not an attempt: enqueue by key, resolution, cancel, changed variables, pause. */
export interface HistoryRow {
  id: number
  /** Null for an event of a type, breaker or worker. */
  jobKey: number | null
  at: number
  event: string
  who: string
  reason: string | null
  /** JSON text of an object with what changed; null if there is nothing more. */
  detail: string | null
}

export interface IncidentView extends Incident {
  job: Job
}

export interface ExpiredLease {
  job: Job
  reason: 'lease_expired' | 'run_until_passed'
}

export interface StoreInfo {
  /** Absolute path, or a URL without password. */
  location: string
  storeId: string
  schemaVersion: number
  engineVersion: string
}

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

/** Stops of one group. By outcome, `group` is the kind of the incident or the reason of the dead letter. */
export interface StopTotal {
  group: string
  incidents: number
  deadLetters: number
}

export interface ActivityQuery {
  /** Epoch ms, inclusive. Attempts are counted by the minute, so those of the whole minute count. */
  since: number
  by: ActivityBy
  types?: readonly string[]
}

export interface WaitingTotal {
  type: string
  reason: WaitReason
  count: number
}

export interface Feed {
  /** In the order of their instants. */
  events: readonly FeedEvent[]
  /** What to ask with next. */
  position: FeedPosition
  /** There was more than is read at once: ask again, whether or not anything has changed. */
  more: boolean
}

/** Variables as JSON text, without long ones. */
export interface CauseVariables {
  /** Of jobs of the cause. */
  members: readonly string[]
  /** Of jobs of the same type that ended in another way. */
  others: readonly string[]
}
