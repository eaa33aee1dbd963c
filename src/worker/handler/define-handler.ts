/** The public types of a handler. Options are checked when a worker loads the module (handler-schema.ts). */
import type { StandardSchemaV1 } from './standard-schema.ts'
import type { BackoffOption } from '../../domain/backoff.ts'
import type { EnqueueInput } from '../../domain/new-job.ts'
import type { Logger } from '../../logger.ts'
import type { DependencyOption } from '../../resilience/dependency-policy.ts'

/** Milliseconds, or text: `250ms`, `30s`, `5m`, `2h`. */
export type Duration = number | string

/** The job that an attempt runs. */
export interface ActivatedJob<V> {
  readonly key: number
  readonly type: string
  readonly variables: V
  /** Number of this attempt in the job's life; from 1. */
  readonly attempt: number
  /** Executions left, including this one. */
  readonly retries: number
  readonly createdAt: Date
  readonly deadlineAt: Date | null
}

export interface HandlerContext {
  /** Aborts shortly before the timeout or the end of the grace period, on cancel, and when the lease is lost; `reason` is an AbortReason. */
  readonly signal: AbortSignal
  /** Ms until this attempt's timeout; never negative. */
  timeLeftMs(): number
  readonly attempt: number
  /** The same for all attempts of a job, globally unique: `wf-job-<key>-<storeId>`. */
  readonly idempotencyKey: string
  readonly log: Logger
  /**
   * Calls a declared dependency through its bulkhead, retries, breaker and timeout. Rejects if the breaker or bulkhead
   * lets no call pass; the job is then deferred and spends no retry.
   */
  call<T>(dependency: string, fn: DependencyCall<T>): Promise<T>
  /**
   * Runs `fn` once in the life of the job and returns its stored result ever after, as JSON (undefined becomes null); at
   * most 256 KiB. If an earlier attempt began the step and its outcome is unknown, `verify` runs first.
   */
  once<T>(step: string, fn: () => PromiseLike<T> | T, options?: OnceOptions<T>): Promise<T>
  /** Runs what the job can do without: returns undefined on failure, which is counted and logged. Gets at most 10 s and half of the time left. */
  optional<T>(feature: string, fn: DependencyCall<T>): Promise<T | undefined>
  /** Reports progress: `fraction` 0 … 1, stored at most once a second. */
  progress(fraction: number, note?: string): void
  /** Creates a child job in the transaction that settles this attempt. At most 100 per attempt. */
  enqueue(type: string, variables: object, options?: ChildOptions): void
}

/** `signal` aborts at the call's timeout and with the attempt's. */
export type DependencyCall<T> = (signal: AbortSignal) => PromiseLike<T> | T

export interface OnceOptions<T> {
  /** Queries the other side: returns the step's result, or undefined if it was not done. Without it `fn` runs again. */
  verify?: () => PromiseLike<T | undefined> | T | undefined
}

export type ChildOptions = Omit<EnqueueInput, 'type' | 'variables' | 'parentKey'> & {
  when?: 'success' | 'stopped'
}

export interface Handler<V = Record<string, unknown>, R = unknown> {
  /** The queue that it serves: 1 … 200 characters, without surrounding blanks or control characters. */
  type: string
  run(job: ActivatedJob<V>, ctx: HandlerContext): Promise<R> | R
  /** Any Standard Schema (zod, valibot, arktype …). Variables that fail it are poison: the handler doesn't start. */
  variables?: StandardSchemaV1<unknown, V>
  /** Executions of a job whose producer named no number; 1 … 1,000 (default: 3). */
  retries?: number
  backoff?: BackoffOption
  /** What to open when no retries are left (default: `incident`). */
  onExhausted?: 'incident' | 'dead-letter'
  /** Codes of a BusinessError that reject the job instead of opening an incident. */
  businessErrors?: readonly string[]
  /** Of one attempt; 1 ms … 24 h (default: 5 m). */
  timeout?: Duration
  /** Jobs at once in one process; 1 … 1,000 (default: 10). */
  concurrency?: number
  /** Jobs claimed at once, at most twice the concurrency (default: concurrency). */
  maxJobsActivated?: number
  /** Unfinished jobs of this type at which producers are refused; 1 … 1,000,000,000 (default: no limit). */
  backlogLimit?: number
  /** The only top-level variables that the handler and its schema see (default: all). */
  fetchVariables?: readonly string[]
  /** Dependencies of `ctx.call`, by name. Handlers that use the same name share its breaker and bulkhead. */
  dependencies?: Readonly<Record<string, DependencyOption>>
}

/** Any handler, whatever its variables and its result. */
export type AnyHandler = Handler<unknown, unknown>

/** Returns the handler unchanged, typed: `variables` from the schema, the result from `run`. */
export function defineHandler<V = Record<string, unknown>, R = unknown>(
  handler: Handler<V, R>,
): Handler<V, R> {
  return handler
}
