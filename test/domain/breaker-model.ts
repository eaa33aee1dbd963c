/**
 * gobreaker as its source reads (Execute, beforeRequest, afterRequest, currentState, setState), with mutable fields, and
 * the two additions of ours written down in another way: each half-open request is a row that is there until it ends or
 * is an open period old.
 */
import type { BreakerMode, Verdict } from '../../src/domain/breaker.ts'

export interface ModelRules {
  failures: number
  intervalMs: number | null
  openForMs: number
  probes: number
}

export class BreakerModel {
  mode: BreakerMode = 'closed'
  generation = 1
  requests = 0
  successes = 0
  failures = 0
  exclusions = 0
  successesInARow = 0
  failuresInARow = 0
  expiry: number | null
  /** Instants at which half-open requests of this generation were let through, by their number; those that ended are gone. */
  flying = new Map<number, number>()
  /** Half-open requests let through, with their instants, for ever. */
  readonly probed: number[] = []
  readonly rules: ModelRules

  constructor(rules: ModelRules, now: number) {
    this.rules = rules
    this.expiry = rules.intervalMs === null ? null : now + rules.intervalMs
  }

  beforeRequest(now: number): { generation: number; number: number } | null {
    this.currentState(now)
    if (this.mode === 'open') return null
    if (this.mode === 'half_open') {
      for (const [number, at] of this.flying) if (now - at >= this.rules.openForMs) this.flying.delete(number)
      if (this.flying.size + this.successesInARow >= this.rules.probes) return null
    }
    this.requests++
    if (this.mode === 'half_open') {
      this.flying.set(this.requests, now)
      this.probed.push(now)
    }
    return { generation: this.generation, number: this.requests }
  }

  afterRequest(before: { generation: number; number: number }, verdict: Verdict, now: number): void {
    this.currentState(now)
    if (this.generation !== before.generation) return
    this.flying.delete(before.number)
    if (verdict === 'excluded') this.exclusions++
    else if (verdict === 'success') {
      this.successes++
      this.successesInARow++
      this.failuresInARow = 0
      if (this.mode === 'half_open' && this.successesInARow >= this.rules.probes) this.setState('closed', now)
    } else {
      this.failures++
      this.failuresInARow++
      this.successesInARow = 0
      if (this.mode === 'half_open' || this.failuresInARow >= this.rules.failures) this.setState('open', now)
    }
  }

  currentState(now: number): void {
    if (this.mode === 'closed' && this.expiry !== null && this.expiry <= now) this.toNewGeneration(now)
    if (this.mode === 'open' && this.expiry !== null && this.expiry <= now) this.setState('half_open', now)
  }

  setState(mode: BreakerMode, now: number, forMs = this.rules.openForMs): void {
    this.mode = mode
    this.toNewGeneration(now)
    if (mode === 'open') this.expiry = now + forMs
  }

  toNewGeneration(now: number): void {
    this.generation++
    this.requests =
      this.successes =
      this.failures =
      this.exclusions =
      this.successesInARow =
      this.failuresInARow =
        0
    this.flying.clear()
    this.expiry =
      this.mode === 'closed' && this.rules.intervalMs !== null ? now + this.rules.intervalMs : null
  }
}
