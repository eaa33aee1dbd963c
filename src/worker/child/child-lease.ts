/**
 * A child hears of each renewal. When it hears nothing until the end of its lease, its supervisor hangs or is stopped,
 * and others may run its jobs: it has to fence itself.
 */
import type { Cancel, Clock } from '../../clock.ts'

/** After a blocked event loop timers fire before messages are read: those that came meanwhile are owed a look first. */
const readingMs = 100

export class LeaseWatch {
  readonly #clock: Clock
  readonly #onOver: () => void
  #cancel: Cancel = () => {}
  #goodUntil = Number.POSITIVE_INFINITY

  constructor(clock: Clock, onOver: () => void) {
    this.#clock = clock
    this.#onOver = onOver
  }

  held(leaseLeftMs: number): void {
    this.#goodUntil = this.#clock.monotonic() + leaseLeftMs
    this.#wait(leaseLeftMs)
  }

  end(): void {
    this.#cancel()
  }

  #wait(ms: number): void {
    this.#cancel()
    this.#cancel = this.#clock.after(ms, () => this.#look(), { unref: true })
  }

  #look(): void {
    const seen = this.#goodUntil
    this.#cancel = this.#clock.after(
      readingMs,
      () => {
        if (this.#goodUntil === seen) this.#onOver()
      },
      { unref: true },
    )
  }
}
