/** The breaker of one process: holds the state, asks the clock, tells of changes. What the events make of it is breaker-state.ts. */
import type { Clock } from '../clock.ts'
import { formatDuration } from '../text/duration.ts'
import { attempt } from '../text/preview.ts'
import type { Random } from '../random.ts'
import { type BreakerPolicy, rulesOf } from './breaker-policy.ts'
import {
  type At,
  type BreakerMode,
  type BreakerRules,
  type BreakerState,
  close,
  current,
  enter,
  leave,
  newBreaker,
  type Ticket,
  trip,
  type Verdict,
} from './breaker-state.ts'
import { DependencyRefusal } from './dependency-refused.ts'

/** What a call goes through, wherever its state is kept. */
export interface Breaker {
  /** What `fn` gives; a DependencyRefusal, without calling it, where the breaker lets nothing through. `judge` is asked what a throw means. */
  run<T>(fn: () => Promise<T>, judge: (thrown: unknown) => Verdict): Promise<T>
  snapshot(): BreakerSnapshot
}

export interface BreakerSnapshot {
  mode: BreakerMode
  generation: number
  /** Ms for which it has been in this mode, and until it may let a call through; 0 when it may now. */
  ageMs: number
  retryInMs: number
}

export interface BreakerChange {
  name: string
  from: BreakerMode
  to: BreakerMode
  generation: number
  by: BreakerState['by']
}

export interface BreakerParts {
  /** The dependency's. */
  name: string
  policy: BreakerPolicy
  clock: Clock
  random: Random
  onChange?(change: BreakerChange): void
}

export class CircuitBreaker implements Breaker {
  readonly #parts: BreakerParts
  readonly #rules: BreakerRules
  #state: BreakerState

  constructor(parts: BreakerParts) {
    this.#parts = parts
    this.#rules = rulesOf(parts.policy)
    this.#state = newBreaker(this.#at())
  }

  async run<T>(fn: () => Promise<T>, judge: (thrown: unknown) => Verdict): Promise<T> {
    const ticket = this.enter()
    return guarded(fn, { judge, end: (verdict) => this.leave(ticket, verdict) })
  }

  /** Throws a DependencyRefusal. Each ticket is handed in once, by `leave`. */
  enter(): Ticket {
    const at = this.#at()
    const { state, ticket, retryAt } = enter(this.#state, at)
    this.#becomes(state)
    if (ticket) return ticket
    throw heldBy(this.#parts, { mode: state.mode, retryInMs: retryAt - at.now })
  }

  leave(ticket: Ticket, verdict: Verdict): void {
    this.#becomes(leave(this.#state, this.#at(), { ticket, verdict }))
  }

  trip(forMs: number): void {
    this.#becomes(trip(this.#state, this.#at(), forMs))
  }

  close(): void {
    this.#becomes(close(this.#state, this.#at()))
  }

  get state(): BreakerState {
    return this.#state
  }

  snapshot(): BreakerSnapshot {
    return snapshotOf(this.#state, this.#at())
  }

  #at(): At {
    return { now: this.#parts.clock.monotonic(), rules: this.#rules }
  }

  #becomes(state: BreakerState): void {
    const before = this.#state
    this.#state = state
    if (before.mode !== state.mode) tell(this.#parts, before.mode, state)
  }
}

/** Runs a call that was let through; whatever its end, `end` is told once. */
export async function guarded<T>(
  fn: () => Promise<T>,
  { judge, end }: { judge: (thrown: unknown) => Verdict; end: (verdict: Verdict) => void },
): Promise<T> {
  let verdict: Verdict = 'excluded'
  try {
    const value = await fn()
    verdict = 'success'
    return value
  } catch (thrown) {
    verdict = attempt(() => judge(thrown), 'failure')
    throw thrown
  } finally {
    end(verdict)
  }
}

export function snapshotOf(before: BreakerState, at: At): BreakerSnapshot {
  const state = current(before, at)
  const { mode, generation } = state
  return {
    mode,
    generation,
    ageMs: Math.max(0, at.now - state.changedAt),
    retryInMs: enter(state, at).retryAt - at.now,
  }
}

/** A listener that throws is the listener's fault. */
export function tell(
  { name, onChange }: BreakerParts,
  from: BreakerMode,
  { mode: to, generation, by }: BreakerState,
): void {
  attempt(() => onChange?.({ name, from, to, generation, by }), undefined)
}

/** Back a little after the breaker may let calls through: a fifth of its open period, so that those held do not all return at once. */
export function heldBy(
  { name, policy, random }: BreakerParts,
  { mode, retryInMs }: { mode: BreakerMode; retryInMs: number },
): DependencyRefusal {
  const why = mode === 'half_open' ? 'a probe is on its way' : `open for another ${formatDuration(retryInMs)}`
  const delayMs = Math.ceil(retryInMs + random() * policy.openForMs * 0.2)
  return new DependencyRefusal({
    dependency: name,
    by: 'breaker',
    delayMs,
    message: `the breaker of ${name} lets nothing through: ${why}`,
  })
}
