/**
 * One breaker as a worker sees it who would claim jobs that need what is behind it. Open: none. Half-open: as many as
 * there are probes. After it has closed: one job in the first second, two in the next, then four …, until that is as many
 * as may run at once; whoever was down is not met by all that waited. It counts; it asks no breaker and claims nothing.
 */
import { rampStep, rampStepLeftMs } from '../../domain/ramp.ts'
import type { BreakerSnapshot } from '../../resilience/circuit-breaker.ts'

export interface GateParts {
  /** Of the breaker: calls that it lets through while half-open. */
  probes: number
  /** Of the breaker: a probe that takes longer has lost its place to another. */
  openForMs: number
  /** Jobs at once of all types that need it, in this process: the ramp ends there. */
  concurrency: number
}

export class Gate {
  readonly #parts: GateParts
  #now = 0
  #seen: BreakerSnapshot | null = null
  /** Jobs claimed since it is half-open, which are its probes or will be, and when: monotonic ms. */
  readonly #probing = new Map<number, number>()
  #ramp: { from: number; claimed: number } | null = null

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  /** `now`: monotonic ms. Asked before each of the questions below. */
  see(snapshot: BreakerSnapshot, now: number): void {
    const before = this.#seen
    this.#seen = snapshot
    this.#now = now
    if (before && snapshot.generation !== before.generation) this.#probing.clear()
    if (snapshot.mode !== 'closed') this.#ramp = null
    else if (before && before.mode !== 'closed') this.#ramp = { from: now - snapshot.ageMs, claimed: 0 }
    if (this.#ramp && 2 ** this.#step(this.#ramp.from) >= this.#parts.concurrency) this.#ramp = null
  }

  /** How many jobs may be claimed now; Infinity where it holds nobody. */
  get room(): number {
    const { mode, retryInMs } = this.#seen ?? { mode: 'closed', retryInMs: 0 }
    if (mode === 'open' || retryInMs > 0) return 0
    if (mode === 'half_open') return Math.max(0, this.#parts.probes - this.#underWay)
    if (!this.#ramp) return Number.POSITIVE_INFINITY
    return Math.max(0, 2 ** (this.#step(this.#ramp.from) + 1) - 1 - this.#ramp.claimed)
  }

  /** Ms until there is more room by time alone; null where time alone changes nothing. */
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

  get #underWay(): number {
    return [...this.#probing.values()].filter((claimedAt) => this.#now - claimedAt < this.#parts.openForMs)
      .length
  }

  #step(from: number): number {
    return rampStep(this.#now - from)
  }
}
