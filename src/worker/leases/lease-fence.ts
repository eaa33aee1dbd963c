/**
 * Tells when the kept workers must be taken to have lost their leases: the time that this process was awake since the
 * last successful renewal reaches the lease. Time in which nothing here could run (a stopped process, a suspended
 * machine) does not count, because the first renewal after it is owed a chance: it tells what is still held.
 */
import type { Clock } from '../../clock.ts'

export interface FenceOptions {
  clock: Clock
  leaseMs: number
  renewMs: number
  /** The wall clock went forward, or the machine slept: leases are shorter than they seem. */
  onJump(): void
  onFence(): void
}

/** A wall clock that gained this much on monotonic time was set, or the machine was suspended. */
const jumpMs = 2000

export class LeaseFence {
  readonly #options: FenceOptions
  readonly #tickMs: number
  #awakeMs = 0
  #closed = false
  #tickedAt: number
  #wallAt: number

  constructor(options: FenceOptions) {
    this.#options = options
    this.#tickMs = Math.min(1000, options.renewMs / 2)
    this.#tickedAt = options.clock.monotonic()
    this.#wallAt = options.clock.now()
  }

  /** A renewal that began at this monotonic instant was stored. */
  renewed(begunAt: number): void {
    this.#awakeMs = Math.min(this.#awakeMs, this.#options.clock.monotonic() - begunAt)
    this.#closed = false
  }

  /** Watches until `ended`. */
  async watch(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.#options.clock.sleep(this.#tickMs, ended)
      if (!ended.aborted) this.#tick()
    }
  }

  #tick(): void {
    const { clock, leaseMs, onJump, onFence } = this.#options
    const passed = clock.monotonic() - this.#tickedAt
    const jumped = clock.now() - this.#wallAt - passed > jumpMs
    this.#tickedAt += passed
    this.#wallAt = clock.now()
    this.#awakeMs += Math.min(passed, 2 * this.#tickMs)
    if (jumped) onJump()
    if (this.#closed || this.#awakeMs < leaseMs) return
    this.#closed = true
    onFence()
  }
}
