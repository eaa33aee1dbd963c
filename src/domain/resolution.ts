/** What a person does to a job: the roads out of a stop, and changes to one that waits. */
import type { DeadLetter } from './dead-letter.ts'
import type { Incident } from './incident.ts'
import type { Job, JobState } from './job.ts'
import type { NextJob } from './outcome.ts'

export type ResolutionVerb = 'resolve' | 'retry' | 'dlq_retry' | 'cancel' | 'discard' | 'update'

/** Verbs that send a job to work again. */
export function runsAgain(verb: ResolutionVerb): boolean {
  return verb === 'resolve' || verb === 'retry' || verb === 'dlq_retry'
}

export interface Resolution {
  jobKey: number
  verb: ResolutionVerb
  /** 1 or more; unset: what is left, else the number enqueued with. */
  retries?: number
  /** Epoch ms; unset: the deadline is cleared. */
  deadlineAt?: number
  /** Only of `update`. −1,000,000 … 1,000,000. */
  priority?: number
  /** Only of `update`. Epoch ms; not in the future: due now. */
  runAt?: number
  /** Changes of the variables, in order. `value` is any JSON value; a path that does not exist needs `add`. */
  set?: readonly VariableChange[]
  /** Bytes of JSON that the changed variables may have; unset: 1 MiB. */
  variablesBytes?: number
  /** Its effects are made anew: its steps are forgotten, and other sides are told another key. */
  newEffects?: boolean
  who: string
  reason: string | null
  /** What became of the job is written as a target of this operation, in the transaction of the change. */
  operation?: number
}

export interface VariableChange {
  /** `amount`, `customer.address.city`. */
  path: string
  value: unknown
  /** The value was typed as bare text. It takes the place of text, of null and of nothing, but not of a number that was meant to be another one. */
  isBareText?: boolean
  /** What stands there is taken away; `value` says nothing. Not out of lists: those are set as a whole. */
  remove?: boolean
  add: boolean
}

export interface Applied {
  jobKey: number
  status: 'changed' | 'skipped' | 'failed' | 'not_found'
  from: JobState | null
  to: JobState | null
  /** A finished sentence for people; empty when changed. */
  why: string
}

export interface Stopped {
  job: Job
  openIncident: Pick<Incident, 'id'> | null
  openDeadLetter: Pick<DeadLetter, 'receivedAt'> | null
  /** JSON text; looked at only when the resolution changes it. */
  variables: string
  resolution: Resolution
  now: number
}

/** Every column of the job's row that a resolution can change. `workerId` and `runUntil` become null with it. */
export interface ResolvedJob extends Omit<NextJob, 'state'> {
  state: 'available' | 'waiting' | 'cancelled'
  priority: number
  retriesGiven: boolean
  deadlineAt: number | null
}

export type ResolutionEvent = 'resolved' | 'retried' | 'dlq_retried' | 'cancelled' | 'discarded' | 'updated'

export type Resolved =
  | {
      status: 'changed'
      next: ResolvedJob
      /** JSON text; only when the resolution changed them. */
      variables?: string
      /** What to close with it; `resolution` of either row is the verb. */
      close: { incident: boolean; deadLetter: boolean }
      /** Of the history row. */
      event: ResolutionEvent
      /** For the history row: what changed. */
      detail: Record<string, unknown>
    }
  /** Nothing to do; `why` is a finished sentence for people. */
  | { status: 'skipped'; why: string }
  /** Not from this state, or not with these values. */
  | { status: 'failed'; why: string }
