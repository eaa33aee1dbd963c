/**
 * Tries a call again within one attempt of its job, for faults that are gone in a moment. What takes longer is the job's
 * own backoff or a deferral: an attempt that waits holds a slot. Owns the waits between tries and when there is no other.
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
  /** The handler's own judgement; undefined from it leaves the judgement to `isTransient`. Null: there is none. */
  isTransient: ((error: unknown) => boolean | undefined) | null
}

/** All waits of one call together. */
export const longestWaitMs = 10_000

/** The other side said when to come back, and that is later than this call may wait. */
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

/** What `fn` gives, asked up to `attempts` times. Rejects with what the last try threw, with the signal's reason, or with RetryAfter. */
export async function retry<T>(fn: () => Promise<T>, policy: RetryPolicy, scope: RetryScope): Promise<T> {
  scope.signal.throwIfAborted()
  try {
    return await fn()
  } catch (thrown) {
    return await again(fn, thrown, { policy, scope })
  }
}

/**
 * The loop is p-retry's, from the first failure on: most calls never have one, and should not pay for it. Its wait is not:
 * it runs on the machine's timers and Math.random, so that neither a fake clock nor a seed drives it; with `minTimeout` 0
 * it sets no timer, and the wait is ours. It is not given the signal either, because it throws away what a call returned
 * when the abort came first, and a return is an effect that has happened.
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

/** Keeps p-retry from judging what was thrown by its class, and from turning it into another error. */
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

  /** Waits before the next try; false: there is none. Rejects with the signal's reason. */
  async after(error: unknown, failures: number): Promise<boolean> {
    const { clock, random, signal } = this.#scope
    signal.throwIfAborted()
    if (!judged(error, this.#policy) || this.askedBeyond(error)) return false
    const ownMs = backoffDelayMs(this.#backoff, failures, random)
    const askedMs = retryAfterMs(error, clock.now())
    // Never before the time that was asked for, and not all at that very instant.
    const waitMs =
      askedMs === null ? ownMs : Math.max(askedMs, Math.min(askedMs + random() * ownMs, this.#mostMs() - 1))
    if (waitMs >= this.#scope.timeLeftMs()) return false
    this.#scope.onRetry?.(error, waitMs)
    this.#waitedMs += waitMs
    await wait(clock, { ms: waitMs, signal })
    signal.throwIfAborted()
    return true
  }

  /** What to say instead of `error` when it asks for a time that a try may not wait; null when it does not. */
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

/** Whatever a handler's own judgement says, what was not let through is not tried again. */
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
