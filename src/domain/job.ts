/** A job: one unit of work, as it is stored. States and fields are those of the life of a job (docs/design.md). */

export type JobState =
  | 'available'
  | 'waiting'
  | 'running'
  | 'completed'
  | 'rejected'
  | 'failed'
  | 'dead'
  | 'cancelled'

export const jobStates: readonly JobState[] = [
  'available',
  'waiting',
  'running',
  'completed',
  'rejected',
  'failed',
  'dead',
  'cancelled',
]

/** No road leads out of these. */
export const finalStates: readonly JobState[] = ['completed', 'rejected', 'cancelled']

export type WaitReason = 'delay' | 'backoff' | 'deferred'

export interface Job {
  /** Grows with time, never reused; below 2^53. */
  key: number
  /** Selects the handler; the type is the queue. */
  type: string
  state: JobState
  /** Set exactly while `waiting`. */
  waitReason: WaitReason | null
  /** Higher is claimed first; −1,000,000 … 1,000,000. */
  priority: number
  /** Epoch ms; not claimed before. */
  runAt: number
  /** Executions left, 0 or more. A failure spends one. */
  retries: number
  /** True when a producer or operator chose `retries`; otherwise the handler's own number replaces it at the first claim. */
  retriesGiven: boolean
  /** What `retries` was at the start, for a resolution that names no number. */
  enqueuedRetries: number
  /** Number of the current or last claim; only grows; the fence. */
  attempt: number
  /** Failed, lost (in a row) and deferred attempts since enqueue or the last resolution. */
  failures: number
  crashes: number
  deferrals: number
  /** Epoch ms of the first deferral of the present unbroken row of them. */
  deferringSince: number | null
  /** Set exactly while `running`, as is `runUntil`. */
  workerId: string | null
  /** Epoch ms of the last claim. */
  startedAt: number | null
  /** Epoch ms; the claim ends then whatever its worker's lease says. */
  runUntil: number | null
  /** Epoch ms; last instant at which an attempt may start. */
  deadlineAt: number | null
  createdAt: number
  /** Set exactly in completed, rejected and cancelled. */
  finishedAt: number | null
  /** Key of the job whose attempt enqueued this one. */
  parentKey: number | null
}

/** A job in a worker's hands. */
export interface ClaimedJob extends Job {
  /** The job's variables as JSON text; not yet parsed, and not promised to be readable. */
  variables: string
  /** How often a person has asked for its effects to be made anew. From 1 on it is part of the key that other sides know them by. */
  effectsEpoch: number
}

/** A worker's right to settle one attempt. */
export interface Fence {
  jobKey: number
  attempt: number
  workerId: string
}

/** What a producer hands over, checked and with every default filled in. */
export interface NewJob {
  type: string
  /** JSON text of an object, at most `SizeLimits.variablesBytes`. */
  variables: string
  priority: number
  runAt: number
  retries: number
  retriesGiven: boolean
  deadlineAt: number | null
  parentKey: number | null
  /** The producer's own key and the hash of type and canonical variables it stands for. */
  idempotency: { key: string; hash: string } | null
}

/** A job that an attempt enqueues, created in the transaction that settles the attempt, or not at all. */
export interface ChildJob extends NewJob {
  /** `success`: only if the attempt completes the job; `stopped`: only if it ends it as failed, dead or rejected. */
  when: 'success' | 'stopped'
}

/** Bytes and counts that no job may exceed. */
export const limits = {
  typeCharacters: 200,
  idempotencyKeyCharacters: 500,
  errorBytes: 16 * 1024,
  childrenPerAttempt: 100,
  retries: 1000,
  priority: 1_000_000,
} as const

/** What the settings of a process allow, in bytes of JSON text as UTF-8. */
export interface SizeLimits {
  variablesBytes: number
  resultBytes: number
}

export const defaultSizes: SizeLimits = { variablesBytes: 1024 * 1024, resultBytes: 1024 * 1024 }

/** Where they are set, for refusals. */
export const sizeSettings = {
  variables: 'limits.variables (WF_MAX_VARIABLES)',
  result: 'limits.result (WF_MAX_RESULT)',
} as const

export const defaultRetries = 3
