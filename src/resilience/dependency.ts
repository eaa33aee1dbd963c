/**
 * A downstream as a handler calls it: bulkhead → retry → breaker → time limit, each where the handler names it, so that
 * the breaker sees every try, a probe is one request, and waits between tries do not give up the place in the bulkhead.
 * Owns the order and what each guard's refusal means for the job. It must not know jobs, stores and handlers.
 */
import type { Clock } from '../clock.ts'
import { formatDuration } from '../text/duration.ts'
import type { Random } from '../random.ts'
import { verdictOf } from './breaker-policy.ts'
import { type Bulkhead, BulkheadFull } from './bulkhead.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { DependencyPolicy } from './dependency-policy.ts'
import { DependencyRefusal } from './dependency-refused.ts'
import { retry, RetryAfter } from './retry.ts'
import { withTimeLimit } from './timeout.ts'

/** What an attempt brings to its calls. */
export interface CallScope {
  /** The attempt's. */
  readonly signal: AbortSignal
  /** Ms until that signal aborts because the attempt's time is up; Infinity where nothing limits it. */
  timeLeftMs(): number
  /** For logs and statistics: called before each wait between tries. */
  onRetry?(dependency: string, error: unknown): void
  /** A try was let through and failed, as its breaker counts failures. */
  onFailure?(dependency: string, error: unknown): void
}

export interface DependencyParts {
  name: string
  policy: DependencyPolicy
  /** One for all who call the dependency in this process; null as in the policy. */
  bulkhead: Bulkhead | null
  breaker: CircuitBreaker | null
  clock: Clock
  random: Random
}

/** A full bulkhead empties in seconds. */
const bulkheadDeferMs = 5_000

export class Dependency {
  readonly #parts: DependencyParts

  constructor(parts: DependencyParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.name
  }

  /**
   * What `fn` gives. Rejects with what its last try threw; with the signal's reason when that aborted before or between
   * tries; with a DependencyRefusal where it was not let through, or is to come back later than a try may wait.
   */
  async call<T>(fn: (signal: AbortSignal) => PromiseLike<T> | T, scope: CallScope): Promise<T> {
    scope.signal.throwIfAborted()
    const { bulkhead } = this.#parts
    if (!bulkhead) return this.#retried(fn, scope)
    try {
      return await bulkhead.run(() => this.#retried(fn, scope), scope)
    } catch (thrown) {
      throw thrown instanceof BulkheadFull ? this.#refusal('bulkhead', bulkheadDeferMs, thrown) : thrown
    }
  }

  async #retried<T>(fn: (signal: AbortSignal) => PromiseLike<T> | T, scope: CallScope): Promise<T> {
    const { name, policy, clock, random } = this.#parts
    if (!policy.retry) return this.#tried(fn, scope)
    const { signal } = scope
    const timeLeftMs = () => scope.timeLeftMs()
    try {
      return await retry(() => this.#tried(fn, scope), policy.retry, {
        clock,
        random,
        signal,
        timeLeftMs,
        onRetry: (error) => scope.onRetry?.(name, error),
      })
    } catch (thrown) {
      throw thrown instanceof RetryAfter ? this.#refusal('retry_after', thrown.delayMs, thrown) : thrown
    }
  }

  #tried<T>(fn: (signal: AbortSignal) => PromiseLike<T> | T, scope: CallScope): Promise<T> {
    const { name, policy, breaker } = this.#parts
    if (!breaker || !policy.breaker) return this.#limited(fn, scope)
    const own = policy.breaker
    return breaker.run(
      () => this.#limited(fn, scope),
      (thrown) => {
        const verdict = verdictOf(thrown, own, scope.signal)
        if (verdict === 'failure') scope.onFailure?.(name, thrown)
        return verdict
      },
    )
  }

  #limited<T>(fn: (signal: AbortSignal) => PromiseLike<T> | T, scope: CallScope): Promise<T> {
    // It may have aborted while a permit was asked for.
    if (scope.signal.aborted) return Promise.reject(scope.signal.reason)
    const { name, policy, clock } = this.#parts
    return withTimeLimit(fn, {
      clock,
      what: name,
      timeoutMs: policy.timeoutMs,
      timeLeftMs: scope.timeLeftMs(),
      signal: scope.signal,
    })
  }

  #refusal(by: 'bulkhead' | 'retry_after', waitMs: number, cause: Error): DependencyRefusal {
    const { name, random } = this.#parts
    // Jitter: those that were refused together do not come back together.
    const delayMs = Math.ceil(waitMs * (1 + random() * 0.2))
    const words = {
      bulkhead: `the bulkhead of ${name} is full: ${cause.message}`,
      retry_after: `${name} asks to come back in ${formatDuration(waitMs)}`,
    }
    return new DependencyRefusal({ dependency: name, by, delayMs, message: words[by], cause })
  }
}
