/**
 * What a handler module exports. Types only, and one function that carries them: checking happens when the module is
 * loaded (loaded-handler.ts), so that a module of many handlers can name every mistake in it with its file.
 */
import type { StandardSchemaV1 } from './standard-schema.ts'
import type { BackoffOption } from '../../domain/backoff.ts'
import type { EnqueueInput } from '../../domain/new-job.ts'
import type { Logger } from '../../logger.ts'
import type { DependencyOption } from '../../resilience/dependency-policy.ts'

/** Milliseconds, or text: `250ms`, `30s`, `5m`, `2h`. */
export type Duration = number | string

/** A job in its handler's hands. */
export interface ActivatedJob<V> {
  readonly key: number
  readonly type: string
  readonly variables: V
  /** Number of this attempt over the job's life; from 1. */
  readonly attempt: number
  /** Executions left, this one included. */
  readonly retries: number
  readonly createdAt: Date
  readonly deadlineAt: Date | null
}

export interface HandlerContext {
  /** Aborts shortly before the timeout or the end of a shutdown's grace, on cancel, and when the lease is lost; `reason` is an AbortReason. */
  readonly signal: AbortSignal
  /** Ms until this attempt's timeout; never negative. */
  timeLeftMs(): number
  readonly attempt: number
  /** The same for all attempts of a job, unique in the world: `wf-job-<key>-<storeId>`. */
  readonly idempotencyKey: string
  readonly log: Logger
  /**
   * Calls a dependency that the handler declares, through its bulkhead, retries, breaker and timeout. What is not let
   * through rejects, and the job comes back later at no retry.
   */
  call<T>(dependency: string, fn: DependencyCall<T>): Promise<T>
  /**
   * The first result that `fn` gave in the life of the job, as JSON keeps it (undefined becomes null); at most 256 KiB.
   * An earlier attempt may have begun it without saying how it ended: then `verify` is asked first.
   */
  once<T>(step: string, fn: () => PromiseLike<T> | T, options?: OnceOptions<T>): Promise<T>
  /** What the job can do without: a failure is counted and told, and gives undefined. At most 10 s, and half of what is left. */
  optional<T>(feature: string, fn: DependencyCall<T>): Promise<T | undefined>
  /** `fraction` 0 … 1, stored at most once a second. */
  progress(fraction: number, note?: string): void
  /** Created in the transaction that settles this attempt, or not at all. At most 100 an attempt. */
  enqueue(type: string, variables: object, options?: ChildOptions): void
}

/** `signal` aborts at the call's timeout and with the attempt's. */
export type DependencyCall<T> = (signal: AbortSignal) => PromiseLike<T> | T

export interface OnceOptions<T> {
  /** Asks the other side what became of the step: its result, or undefined when it was not done. Without it `fn` runs again. */
  verify?: () => PromiseLike<T | undefined> | T | undefined
}

export type ChildOptions = Omit<EnqueueInput, 'type' | 'variables' | 'parentKey'> & {
  when?: 'success' | 'stopped'
}

export interface Handler<V = Record<string, unknown>, R = unknown> {
  /** The queue that it serves; 1 … 200 characters, no blanks around it, no control characters. */
  type: string
  run(job: ActivatedJob<V>, ctx: HandlerContext): Promise<R> | R
  /** Any Standard Schema (zod, valibot, arktype …). Variables that fail it are poison; the handler does not start. */
  variables?: StandardSchemaV1<unknown, V>
  /** Executions of a job whose producer named no number; 1 … 1,000; default 3. */
  retries?: number
  backoff?: BackoffOption
  /** What happens when no retries are left; default `incident`. */
  onExhausted?: 'incident' | 'dead-letter'
  /** Codes of BusinessError that are an expected end. */
  businessErrors?: readonly string[]
  /** Of one attempt; 1 ms … 24 h; default 5 minutes. */
  timeout?: Duration
  /** Running at once in one process; 1 … 1,000; default 10. */
  concurrency?: number
  /** Claimed at once; default concurrency; above 2 × it is refused. */
  maxJobsActivated?: number
  /** Unfinished jobs of this type beyond which producers are refused; 1 … 1,000,000,000; default no limit. */
  backlogLimit?: number
  /** Only these top-level variables are given to the handler; a schema sees only them too. */
  fetchVariables?: readonly string[]
  /** What it calls through `ctx.call`, by name. Handlers of a process that use a name share its breaker and its bulkhead. */
  dependencies?: Readonly<Record<string, DependencyOption>>
}

/** Any handler, whatever its variables and its result. */
export type AnyHandler = Handler<unknown, unknown>

/**
 * Gives a handler its types: `variables` from the schema, the result from `run`. It returns the handler as it came;
 * what it says is checked when a worker loads it.
 */
export function defineHandler<V = Record<string, unknown>, R = unknown>(
  handler: Handler<V, R>,
): Handler<V, R> {
  return handler
}
