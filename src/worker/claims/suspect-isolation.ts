/**
 * Suspects (jobs with two losses in a row) in a process that has no quarantine child beside it: one runs only while
 * nothing else does, so that what kills the process takes no neighbour with it. They wait for a quiet moment; after ten
 * seconds without one, others wait for them.
 */
import type { Clock } from '../../clock.ts'

export const suspectCrashes = 2
const patienceMs = 10_000

export class SuspectTurn {
  readonly #clock: Clock
  /** Monotonic ms since a suspect is known to be due; null when none is. */
  #dueSince: number | null = null
  #runs = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isDue(): void {
    this.#dueSince ??= this.#clock.monotonic()
  }

  /** The suspect was taken by another, or runs now. */
  claimed(found: boolean): void {
    this.#dueSince = null
    this.#runs = found
  }

  ended(): void {
    this.#runs = false
  }

  /** What may be claimed while `occupied` others run. */
  next(occupied: number): 'usual' | 'suspect' | 'nothing' {
    if (this.#runs) return 'nothing'
    if (this.#dueSince === null) return 'usual'
    if (occupied === 0) return 'suspect'
    return this.#clock.monotonic() - this.#dueSince > patienceMs ? 'nothing' : 'usual'
  }
}
