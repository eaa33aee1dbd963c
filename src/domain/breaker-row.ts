/**
 * A breaker that the processes of a store share, as it is kept. What each event makes of it is resilience's business
 * (breaker-state.ts, whose state this is in part); a store reads it, applies a function and writes it back.
 */

/** Of the present generation; all zero while closed, when each process counts for itself. */
export interface BreakerCounts {
  readonly requests: number
  readonly successes: number
  readonly failures: number
  readonly exclusions: number
  readonly consecutiveSuccesses: number
  readonly consecutiveFailures: number
}

/** A probe that was let through and has not told its end. */
export interface BreakerPermit {
  readonly permit: number
  /** A worker's id. */
  readonly holder: string
  /** Epoch ms; free again from then on, whatever became of its holder. */
  readonly expiresAt: number
}

/** Every instant is epoch ms of the store's clock. */
export interface BreakerRow {
  readonly mode: 'closed' | 'half_open' | 'open'
  readonly generation: number
  readonly counts: BreakerCounts
  readonly by: 'calls' | 'operator'
  readonly changedAt: number
  readonly expiresAt: number | null
  readonly probes: readonly BreakerPermit[]
  /** By which it was last changed. */
  readonly terms: { readonly openForMs: number; readonly probes: number }
}

export interface NamedBreaker extends BreakerRow {
  /** The dependency. */
  readonly name: string
  /** Who made it what it is: the id of the worker whose calls did, or a person. */
  readonly who: string
  readonly reason: string | null
}

/** A breaker that a worker shares with nobody, as the worker last told it. */
export interface LocalBreaker {
  readonly name: string
  readonly mode: 'closed' | 'half_open' | 'open'
  readonly generation: number
  readonly changedAt: number
  /** Of an open one: epoch ms from which calls may probe. */
  readonly expiresAt: number | null
  /** The types of that worker whose calls go through it. */
  readonly types: readonly string[]
}

/** One transaction: read, apply, write back. */
export interface BreakerChange {
  name: string
  /** Pure, and may be called more than once. Null before: nobody has opened it yet. Null or the same object: nothing is written. */
  apply(before: BreakerRow | null): BreakerRow | null
  /** For the history, where the generation changes. */
  who: string
  reason: string | null
  /** What became of it is written as a target of this operation. */
  operation?: number
}

export const breakerNameCharacters = 200
