/**
 * Limits the calls of one process to a dependency, so that a slow one can't take every slot: at most `limit` at once, the others
 * wait in a queue, first come, first served.
 */
import type { Clock } from '../clock.ts'
import { onAbort } from './abort-relay.ts'

export interface BulkheadPolicy {
  /** Calls at once in this process. */
  limit: number
  /** Longest time in the queue before a call is refused, in ms. */
  waitMs: number
}

/** A call waited in the queue as long as it may. */
export class BulkheadFull extends Error {
  override readonly name = 'BulkheadFull'
}

interface Scope {
  signal: AbortSignal
  timeLeftMs(): number
}

export class Bulkhead {
  readonly #policy: BulkheadPolicy
  readonly #clock: Clock
  /** In order of arrival; each is called when it gets a place. */
  readonly #queue = new Set<() => void>()
  #active = 0

  constructor(policy: BulkheadPolicy, clock: Clock) {
    this.#policy = policy
    this.#clock = clock
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#queue.size
  }

  /**
   * Returns what `fn` returns. Rejects without calling `fn`: with BulkheadFull, or with the signal's reason if it aborts in the
   * queue.
   */
  async run<T>(fn: () => Promise<T>, scope: Scope): Promise<T> {
    scope.signal.throwIfAborted()
    if (this.#active < this.#policy.limit) this.#active++
    else await this.#enqueue(scope)
    try {
      return await fn()
    } finally {
      this.#leave()
    }
  }

  /** Passes the place to the first in the queue without freeing it, so that a new call can't overtake. */
  #leave(): void {
    const [next] = this.#queue
    if (next) next()
    else this.#active--
  }

  #enqueue(scope: Scope): Promise<void> {
    const { signal } = scope
    const waitMs = Math.max(0, Math.min(this.#policy.waitMs, scope.timeLeftMs()))
    return new Promise((resolve, reject) => {
      const step = (then: () => void) => () => {
        this.#queue.delete(enter)
        cancel()
        unlisten()
        then()
      }
      const enter = step(resolve)
      const cancel = this.#clock.after(
        waitMs,
        step(() =>
          reject(
            new BulkheadFull(`all ${this.#policy.limit} places were taken for ${Math.round(waitMs)} ms`),
          ),
        ),
      )
      const unlisten = onAbort(
        signal,
        step(() => reject(signal.reason)),
      )
      this.#queue.add(enter)
    })
  }
}
