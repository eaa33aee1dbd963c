/**
 * Calls a downstream through bulkhead → retry → breaker → timeout, each if the handler configures it. In this order the breaker
 * sees every try, a probe is one request, and a wait between tries keeps its place in the bulkhead. Turns what the bulkhead and
 * the retry refuse into deferrals of the job. Knows no jobs, stores and handlers.
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

/** The attempt that makes a call. */
export interface CallScope {
  /** Aborts the attempt. */
  readonly signal: AbortSignal
  /** Ms until the signal aborts at the attempt's timeout; Infinity if it has none. */
  timeLeftMs(): number
  /** Called before each wait between tries. */
  onRetry?(dependency: string, error: unknown): void
  /** Called when a try fails that counts as a failure for the breaker. */
  onFailure?(dependency: string, error: unknown): void
}

export interface DependencyParts {
  name: string
  policy: DependencyPolicy
  /** Shared by all handlers of the process that call the dependency; null if the policy has none. */
  bulkhead: Bulkhead | null
  breaker: CircuitBreaker | null
  clock: Clock
  random: Random
}

/** A full bulkhead has free places within seconds. */
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
   * Returns what `fn` returns. Rejects with what its last try threw, with the signal's reason if it aborted before or between
   * tries, or with a DependencyRefusal if the call was not let through or may only be repeated after a longer wait.
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
    // The signal may have aborted while a permit was requested.
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
    // Jitter, so that jobs refused together don't return together.
    const delayMs = Math.ceil(waitMs * (1 + random() * 0.2))
    const messages = {
      bulkhead: `the bulkhead of ${name} is full: ${cause.message}`,
      retry_after: `${name} asks to come back in ${formatDuration(waitMs)}`,
    }
    return new DependencyRefusal({ dependency: name, by, delayMs, message: messages[by], cause })
  }
}
