/** A dependency's guards: the options that a handler writes, and the policy that they become (worker/handler/dependency-schema.ts). */
import type { BreakerCounts } from '../domain/breaker.ts'
import type { BreakerPolicy } from './breaker-policy.ts'
import type { BulkheadPolicy } from './bulkhead.ts'
import type { RetryPolicy } from './retry.ts'

/** Milliseconds, or text: `250ms`, `30s`, `5m`. */
type Duration = number | string

export interface DependencyOption {
  /** Of one try; 1 ms … the handler's timeout (default: the time left of the attempt). */
  timeout?: Duration
  retry?: RetryOption
  breaker?: BreakerOption
  /** Calls at once in one process; 1 … 1,000. `wait`: how long a call waits for a slot; 0 … 10 s (default: 1 s). */
  bulkhead?: number | { limit: number; wait?: Duration }
}

/** Repeats transient errors only. All waits together are at most 10 s. */
export interface RetryOption {
  /** Tries in all; 1 … 5 (default: 3). */
  attempts?: number
  /** Wait after the first failure; 1 ms … 10 s (default: 100 ms). */
  delay?: Duration
  /** Each wait is this many times the one before; 1 … 10 (default: 2). */
  factor?: number
  /** Longest wait (default: 2 s, or `delay` if that is more). */
  max?: Duration
  /** Each wait is drawn from ± this part of it; 0 … 1 (default: 0.2). */
  jitter?: number
  /** Returns whether another try may help; undefined leaves it to the default. */
  isTransient?: (error: unknown) => boolean | undefined
}

export interface BreakerOption {
  /** Failures in a row that open it; 1 … 1,000 (default: 5). */
  failures?: number
  /** Instead of `failures`: called after each failure while closed; true opens it. */
  shouldTrip?: (counts: BreakerCounts) => boolean
  /** Counts are reset after it; 1 ms … 24 h, at least twice the timeout (default: never). */
  interval?: Duration
  /** How long it stays open before a probe; 1 ms … 24 h (default: 30 s). */
  openFor?: Duration
  /** Calls that pass after that, and successes in a row that close it; 1 … 100 (default: 1). */
  probes?: number
  /** True: the error counts as a success. False: as a failure. Undefined leaves it to the default. */
  isSuccessful?: (error: unknown) => boolean | undefined
  /** True: the error counts neither way. */
  isExcluded?: (error: unknown) => boolean | undefined
  /** Shared by all workers of the store (default: true). */
  shared?: boolean
  /** While it is open no job of the handler's type starts (default: true). False where the job can do without the dependency. */
  hold?: boolean
}

/** Every number in ms; null: that guard is off. */
export interface DependencyPolicy {
  readonly timeoutMs: number | null
  readonly retry: RetryPolicy | null
  readonly breaker: BreakerPolicy | null
  readonly bulkhead: BulkheadPolicy | null
}
