/**
 * The attempts that run now; owns nothing but the list. An array in which each attempt knows its place, and not a Set:
 * a Set that is added to and deleted from all the time leaves tables behind, each of which holds on to its successor,
 * and with one of them in V8's old space every attempt since stays in memory until the next full collection.
 */
import type { Attempt } from './attempt.ts'

/** As others see it. */
export interface Running extends Iterable<Attempt> {
  readonly size: number
}

export class RunningAttempts implements Running {
  readonly #attempts: Attempt[] = []

  get size(): number {
    return this.#attempts.length
  }

  [Symbol.iterator](): Iterator<Attempt> {
    return this.#attempts[Symbol.iterator]()
  }

  add(attempt: Attempt): void {
    attempt.place = this.#attempts.push(attempt) - 1
  }

  /** Harmless when it is not in the list. The last attempt takes its place. */
  delete(attempt: Attempt): void {
    const { place } = attempt
    if (this.#attempts[place] !== attempt) return
    const last = this.#attempts.pop()
    if (last === undefined || last === attempt) return
    this.#attempts[place] = last
    last.place = place
  }
}
