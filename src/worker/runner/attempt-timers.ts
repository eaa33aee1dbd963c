/**
 * One timer for all running attempts. A timer for each would cost more than a quick handler does: nearly all of them
 * end long before their timeout. The timer is left set when the attempt it was set for ends; it then fires once for nothing.
 */
import type { Cancel, Clock } from '../../clock.ts'
import type { Attempt } from './attempt.ts'
import type { Running } from './running-attempts.ts'

export class AttemptTimers {
  readonly #clock: Clock
  readonly #running: Running
  readonly #wake: (attempt: Attempt, now: number) => void
  #cancel: Cancel | null = null
  /** Monotonic ms that the timer is set for; infinite when none is. */
  #setFor = Number.POSITIVE_INFINITY

  /** `wake` is called for every attempt whose `wakeAt` has come, and moves it on or ends the attempt. */
  constructor(clock: Clock, running: Running, wake: (attempt: Attempt, now: number) => void) {
    this.#clock = clock
    this.#running = running
    this.#wake = wake
  }

  /** Sees that something happens at `wakeAt`. */
  expect(wakeAt: number, now: number): void {
    if (wakeAt >= this.#setFor) return
    this.#cancel?.()
    this.#setFor = wakeAt
    this.#cancel = this.#clock.after(Math.max(0, wakeAt - now), this.#fire, { unref: true })
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#setFor = Number.POSITIVE_INFINITY
  }

  readonly #fire = (): void => {
    this.#setFor = Number.POSITIVE_INFINITY
    const now = this.#clock.monotonic()
    // A real timer may fire a fraction of a millisecond early.
    for (const attempt of [...this.#running]) if (attempt.wakeAt <= now + 1) this.#wake(attempt, now)
    let next = Number.POSITIVE_INFINITY
    for (const attempt of this.#running) next = Math.min(next, attempt.wakeAt)
    if (next !== Number.POSITIVE_INFINITY) this.expect(next, now)
  }
}
