/** When a process that died is replaced, and when that has become pointless. Pure but for the clock. */
import type { Clock } from '../../clock.ts'

/** Deaths within `windowMs` without one settled job between them after which nothing is started any more. */
export const giveUp = { deaths: 5, windowMs: 60_000 }

const firstDelayMs = 250
const longestDelayMs = 30_000

export class Restarts {
  readonly #clock: Clock
  #deaths: number[] = []
  #inRow = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A job was settled: the processes are of use. */
  worked(): void {
    this.#deaths = []
    this.#inRow = 0
  }

  /** Ms until the replacement may start: 0 the first time, then doubling from 250 ms to 30 s. Null: give up. */
  died(): number | null {
    const now = this.#clock.monotonic()
    this.#deaths = [...this.#deaths.filter((at) => now - at < giveUp.windowMs), now]
    if (this.#deaths.length >= giveUp.deaths) return null
    const delay = this.#inRow === 0 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#inRow - 1))
    this.#inRow++
    return delay
  }
}
