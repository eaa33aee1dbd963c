/** What one attempt came to. Produced by the executor, the supervisor and the sweeper; judged by `decide`. */
import type { ErrorRecord } from './error-record.ts'
import type { ChildJob, Fence, Job, JobState, WaitReason } from './job.ts'
import type { DeadLetterReason } from './dead-letter.ts'
import type { IncidentKind } from './incident.ts'

export type Outcome =
  | { kind: 'success'; result?: string /* JSON text */ }
  /** Any throw without a meaning of its own, and an attempt's timeout. `delayMs` overrides the backoff (RetryError). */
  | { kind: 'fail'; error: ErrorRecord; category: FailureCategory; delayMs?: number }
  /** Come back at `until` (epoch ms); costs nothing. `by` says who asked: what a breaker or a pause holds back does not count towards 24 hours. */
  | {
      kind: 'defer'
      until: number
      reason: string
      by: DeferredBy
      failure?: ErrorRecord /* of an own call, before what let no other through */
    }
  | { kind: 'incident'; incident: 'raised' | 'non_retryable'; error: ErrorRecord }
  | { kind: 'poison'; error: ErrorRecord }
  | { kind: 'business_error'; code: string; message: string; declared: boolean; error: ErrorRecord }
  /** Given back by a shutdown. */
  | { kind: 'interrupted'; reason: string }
  /** `released`: a person said that its worker is dead. */
  | {
      kind: 'lost'
      reason: 'lease_expired' | 'worker_died' | 'run_until_passed' | 'released'
      detail: string
    }
  /** The handler returned something that cannot be stored; its effect has happened. */
  | { kind: 'result_invalid'; error: ErrorRecord }

export type DeferredBy = 'handler' | 'breaker' | 'bulkhead' | 'retry_after' | 'pause'

export type OutcomeKind = Outcome['kind']

/** Why an attempt failed, for statistics and filters. */
export type FailureCategory = 'error' | 'timeout' | 'hung'

/** How a type's attempts are judged. Comes from its handler; every number in ms. */
export interface Policy {
  retries: number
  backoff: import('./backoff.ts').Backoff
  onExhausted: 'incident' | 'dead-letter'
}

/** An attempt that has ended, before it is settled. */
export interface Ended {
  job: Job
  outcome: Outcome
  policy: Policy
  children: readonly ChildJob[]
  /** How long the handler ran, in monotonic ms; for statistics. */
  durationMs: number
  onlyIfExpiredAt?: number
}

/** The row that an attempt leaves unless it succeeded. */
export interface AttemptRecord {
  jobKey: number
  attempt: number
  workerId: string
  startedAt: number
  finishedAt: number
  outcome: OutcomeKind | 'stale'
  error: ErrorRecord | null
  failureCategory: FailureCategory | null
  nonRetryable: boolean
  backoffMs: number | null
  nextRunAt: number | null
}

/** Everything that one outcome changes, decided. The store applies it in one transaction, or not at all. */
export interface Settlement {
  fence: Fence
  type: string
  outcome: OutcomeKind
  startedAt: number
  /** What the job row becomes. */
  next: NextJob
  attempt: AttemptRecord | null
  incident: NewIncident | null
  deadLetter: NewDeadLetter | null
  /** JSON text; null keeps no result. */
  result: string | null
  children: readonly NewChildJob[]
  /** A sweeper's settlement holds only if the lease is still expired at this instant (epoch ms). */
  onlyIfExpiredAt?: number
}

/** `when` has been judged already: these are to be created. */
export type NewChildJob = Omit<ChildJob, 'when'>

export interface NextJob {
  state: Exclude<JobState, 'running' | 'cancelled'>
  waitReason: WaitReason | null
  runAt: number
  retries: number
  failures: number
  crashes: number
  deferrals: number
  deferringSince: number | null
  finishedAt: number | null
}

export interface NewIncident {
  kind: IncidentKind
  error: ErrorRecord
  fingerprint: string
}

export interface NewDeadLetter {
  reason: DeadLetterReason
  error: ErrorRecord
}
