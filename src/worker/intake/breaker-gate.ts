/**
 * Admits jobs that need one breaker's dependency. Open: none. Half-open: as many as there are probes. After it closed: one job
 * in the first second, two in the next, then four, until that is the worker's concurrency, so a recovering dependency isn't
 * hit by the whole backlog.
 */
import { rampStep, rampStepLeftMs } from '../../domain/ramp.ts'
import type { BreakerSnapshot } from '../../resilience/circuit-breaker.ts'

export interface BreakerGateOptions {
  /** Calls that the breaker lets through while half-open. */
  probes: number
  /** A probe that takes longer gives up its place to another. */
  openForMs: number
  /** Jobs that may run at once in this process and need the dependency; the ramp ends there. */
  concurrency: number
}

export class BreakerGate {
  readonly #parts: BreakerGateOptions
  #now = 0
  #seen: BreakerSnapshot | null = null
  /** Jobs claimed since the breaker is half-open, and when (monotonic ms): they are its probes. */
  readonly #probing = new Map<number, number>()
  #ramp: { from: number; claimed: number } | null = null

  constructor(parts: BreakerGateOptions) {
    this.#parts = parts
  }

  /** Takes the breaker's state at `now`, monotonic ms. Call before the getters below. */
  see(snapshot: BreakerSnapshot, now: number): void {
    const before = this.#seen
    this.#seen = snapshot
    this.#now = now
    if (before && snapshot.generation !== before.generation) this.#probing.clear()
    if (snapshot.mode !== 'closed') this.#ramp = null
    else if (before && before.mode !== 'closed') this.#ramp = { from: now - snapshot.ageMs, claimed: 0 }
    if (this.#ramp && 2 ** this.#step(this.#ramp.from) >= this.#parts.concurrency) this.#ramp = null
  }

  /** How many jobs may be claimed now; Infinity where the breaker doesn't limit. */
  get room(): number {
    const { mode, retryInMs } = this.#seen ?? { mode: 'closed', retryInMs: 0 }
    if (mode === 'open' || retryInMs > 0) return 0
    if (mode === 'half_open') return Math.max(0, this.#parts.probes - this.#inFlight)
    if (!this.#ramp) return Number.POSITIVE_INFINITY
    return Math.max(0, 2 ** (this.#step(this.#ramp.from) + 1) - 1 - this.#ramp.claimed)
  }

  /** Milliseconds until there is more room by time alone; null if time changes nothing. */
  get changesInMs(): number | null {
    const { retryInMs } = this.#seen ?? { retryInMs: 0 }
    if (retryInMs > 0) return retryInMs
    return this.#ramp && rampStepLeftMs(this.#now - this.#ramp.from)
  }

  claimed(jobKey: number): void {
    if (this.#seen?.mode === 'half_open') this.#probing.set(jobKey, this.#now)
    if (this.#ramp) this.#ramp.claimed++
  }

  freed(jobKey: number): void {
    this.#probing.delete(jobKey)
  }

  get #inFlight(): number {
    return [...this.#probing.values()].filter((claimedAt) => this.#now - claimedAt < this.#parts.openForMs)
      .length
  }

  #step(from: number): number {
    return rampStep(this.#now - from)
  }
}
