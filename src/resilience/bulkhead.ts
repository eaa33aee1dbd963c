/**
 * Keeps one slow downstream from taking every slot of a process: at most `limit` calls at once, the others stand in line,
 * first come, first served. Owns the line and its timers; knows nothing of what a call does.
 */
import type { Clock } from '../clock.ts'
import { onAbort } from './abort-relay.ts'

export interface BulkheadPolicy {
  /** Calls at once in this process. */
  limit: number
  /** How long a call stands in line before it is refused. */
  waitMs: number
}

/** It stood in line for as long as it may. */
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
  /** In the order of their coming; each is called when it gets a place. */
  readonly #line = new Set<() => void>()
  #active = 0

  constructor(policy: BulkheadPolicy, clock: Clock) {
    this.#policy = policy
    this.#clock = clock
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#line.size
  }

  /** What `fn` gives. Rejects with BulkheadFull, or with the signal's reason when it aborts in line; then `fn` is not called. */
  async run<T>(fn: () => Promise<T>, scope: Scope): Promise<T> {
    scope.signal.throwIfAborted()
    if (this.#active < this.#policy.limit) this.#active++
    else await this.#stand(scope)
    try {
      return await fn()
    } finally {
      this.#leave()
    }
  }

  /** The place goes to the next in line without ever being free, so that nobody who comes meanwhile gets before it. */
  #leave(): void {
    const [next] = this.#line
    if (next) next()
    else this.#active--
  }

  #stand(scope: Scope): Promise<void> {
    const { signal } = scope
    const waitMs = Math.max(0, Math.min(this.#policy.waitMs, scope.timeLeftMs()))
    return new Promise((resolve, reject) => {
      const step = (then: () => void) => () => {
        this.#line.delete(enter)
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
      this.#line.add(enter)
    })
  }
}
