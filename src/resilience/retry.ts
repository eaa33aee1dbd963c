/**
 * Repeats a call within one attempt of its job, for faults that pass in a moment. Longer faults are left to the job's
 * backoff or a deferral, because an attempt that waits occupies a slot.
 */
import pRetry from 'p-retry'
import type { Clock } from '../clock.ts'
import { type Backoff, backoffDelayMs } from '../domain/backoff.ts'
import type { Random } from '../random.ts'
import { onAbort } from './abort-relay.ts'
import { retryAfterMs } from './http-answer.ts'
import { predicateResult } from './error-chain.ts'
import { DependencyRefusal } from './dependency-refused.ts'
import { isTransient } from './transient.ts'

export interface RetryPolicy {
  /** Tries in all; 1 … 5. */
  attempts: number
  /** Before jitter, the wait after the nth failure is delay × factor^(n − 1), at most `maxMs`. */
  delayMs: number
  factor: number
  maxMs: number
  /** 0 … 1: each wait is drawn from ± this part of it. */
  jitter: number
  /** The handler's own predicate; where it returns undefined, or is null, `isTransient` decides. */
  isTransient: ((error: unknown) => boolean | undefined) | null
}

/** Most ms that one call may wait between all its tries. */
export const longestWaitMs = 10_000

/** The other side asks for a longer wait than this call may take. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter'
  readonly delayMs: number
  constructor(delayMs: number, cause: unknown) {
    super(`it asks to come back in ${Math.ceil(delayMs / 1_000)} s`, { cause })
    this.delayMs = delayMs
  }
}

export interface RetryScope {
  clock: Clock
  random: Random
  signal: AbortSignal
  /** Ms until the attempt's signal aborts. */
  timeLeftMs(): number
  /** Called before each wait. */
  onRetry?(error: unknown, waitMs: number): void
}

/** Calls `fn` up to `attempts` times and returns its result. Rejects with the last error, the signal's reason, or RetryAfter. */
export async function retry<T>(fn: () => Promise<T>, policy: RetryPolicy, scope: RetryScope): Promise<T> {
  scope.signal.throwIfAborted()
  try {
    return await fn()
  } catch (thrown) {
    return await again(fn, thrown, { policy, scope })
  }
}

/**
 * p-retry runs the loop, from the first failure on, since most calls have none. The wait is ours: p-retry's uses the
 * machine's timers and Math.random, which neither an injected clock nor a seed controls, and can't honour Retry-After.
 * With `minTimeout` 0 it sets no timer. It isn't given the signal, because it would drop the result of a call that
 * returned after the abort, although its effect has happened.
 */
async function again<T>(
  fn: () => Promise<T>,
  first: unknown,
  { policy, scope }: { policy: RetryPolicy; scope: RetryScope },
): Promise<T> {
  const waits = new Waits(policy, scope)
  const tried = async (attempt: number) => {
    if (attempt === 1) throw new Failed(first)
    try {
      return await fn()
    } catch (thrown) {
      throw new Failed(thrown)
    }
  }
  try {
    const retries = policy.attempts - 1
    return await pRetry(tried, {
      retries,
      minTimeout: 0,
      shouldRetry: ({ error, attemptNumber }) => waits.after(unwrapped(error), attemptNumber),
    })
  } catch (error) {
    throw waits.askedBeyond(unwrapped(error)) ?? unwrapped(error)
  }
}

/** Wraps what was thrown, so that p-retry neither judges it by its class nor replaces it. */
class Failed extends Error {
  readonly thrown: unknown
  constructor(thrown: unknown) {
    super()
    this.thrown = thrown
  }
}

function unwrapped(error: unknown): unknown {
  return error instanceof Failed ? error.thrown : error
}

class Waits {
  readonly #policy: RetryPolicy
  readonly #scope: RetryScope
  readonly #backoff: Backoff
  #waitedMs = 0

  constructor(policy: RetryPolicy, scope: RetryScope) {
    const { delayMs: baseMs, factor, maxMs, jitter } = policy
    this.#policy = policy
    this.#scope = scope
    this.#backoff = { strategy: 'exponential', baseMs, factor, maxMs, jitter }
  }

  /** Waits before the next try; returns false if there is none. Rejects with the signal's reason. */
  async after(error: unknown, failures: number): Promise<boolean> {
    const { clock, random, signal } = this.#scope
    signal.throwIfAborted()
    if (!judged(error, this.#policy) || this.askedBeyond(error)) return false
    const ownMs = backoffDelayMs(this.#backoff, failures, random)
    const askedMs = retryAfterMs(error, clock.now())
    // Never before the requested time, and spread, so that not all calls come back at once.
    const waitMs =
      askedMs === null ? ownMs : Math.max(askedMs, Math.min(askedMs + random() * ownMs, this.#mostMs() - 1))
    if (waitMs >= this.#scope.timeLeftMs()) return false
    this.#scope.onRetry?.(error, waitMs)
    this.#waitedMs += waitMs
    await wait(clock, { ms: waitMs, signal })
    signal.throwIfAborted()
    return true
  }

  /** Returns a RetryAfter if `error` asks for a longer wait than a try may take, else null. */
  askedBeyond(error: unknown): RetryAfter | null {
    const { clock, signal } = this.#scope
    const askedMs = retryAfterMs(error, clock.now())
    if (askedMs === null || askedMs < this.#mostMs() || signal.aborted || !judged(error, this.#policy))
      return null
    return new RetryAfter(askedMs, error)
  }

  #mostMs(): number {
    return Math.min(longestWaitMs - this.#waitedMs, this.#scope.timeLeftMs())
  }
}

/** Returns whether another try may help. A call that the breaker or bulkhead rejected is never repeated. */
function judged(error: unknown, { isTransient: own }: RetryPolicy): boolean {
  return !(error instanceof DependencyRefusal) && (predicateResult(own, error) ?? isTransient(error))
}

function wait(clock: Clock, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      cancel()
      unlisten()
      resolve()
    }
    const cancel = clock.after(ms, wake)
    const unlisten = onAbort(signal, wake)
  })
}
