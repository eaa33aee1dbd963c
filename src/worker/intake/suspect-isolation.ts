/**
 * Isolates suspects (jobs lost twice in a row) in a process without a quarantine process beside it: one runs only while nothing
 * else does, so a job that kills the process takes no neighbour with it. Suspects wait for a moment in which nothing runs; after
 * ten seconds without one, other jobs wait for them.
 */
import type { Clock } from '../../clock.ts'

export const suspectCrashes = 2
const patienceMs = 10_000

export class SuspectIsolation {
  readonly #clock: Clock
  /** Monotonic ms since a suspect is known to be due; null when none is. */
  #dueSince: number | null = null
  #running = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isDue(): void {
    this.#dueSince ??= this.#clock.monotonic()
  }

  /** `found`: it runs here now. Otherwise another worker took it. */
  claimed(found: boolean): void {
    this.#dueSince = null
    this.#running = found
  }

  ended(): void {
    this.#running = false
  }

  /** What may be claimed while `occupied` other jobs run. */
  next(occupied: number): 'usual' | 'suspect' | 'nothing' {
    if (this.#running) return 'nothing'
    if (this.#dueSince === null) return 'usual'
    if (occupied === 0) return 'suspect'
    return this.#clock.monotonic() - this.#dueSince > patienceMs ? 'nothing' : 'usual'
  }
}
