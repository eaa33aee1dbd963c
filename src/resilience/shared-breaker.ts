/**
 * A breaker that all workers of a store go through: the port to whoever keeps it. Nothing is written while it is closed:
 * each process counts for itself, and the first to have counted enough opens it for all. What each request does to the
 * state is in breaker-state.ts, so that a store only reads a row, applies a function and writes the row back.
 */
import type { BreakerPolicy } from './breaker-policy.ts'
import type { At, BreakerRules, BreakerState, Ticket, Verdict } from './breaker-state.ts'

/** Of the policy, what is needed once it is no longer closed. */
export interface BreakerTerms {
  readonly openForMs: number
  readonly probes: number
}

/** Instants are epoch ms of `now()`. Whatever is asked ends within seconds, as a rejection where the keeper cannot do it. */
export interface SharedBreaker {
  /** The keeper's clock. */
  now(): number
  /**
   * The state as last seen, without any I/O: asked before each call. Kept at most a second old by whoever implements it;
   * once a method below has ended it shows at least what that did. Before the first look, and where nothing is kept yet, it is
   * `newBreaker`.
   */
  read(): BreakerState
  /** `openIf`: opens it if it is still closed in `generation`. `reason` is for the history. */
  open(request: { generation: number; terms: BreakerTerms; reason: string }): Promise<void>
  /** `enter`: a permit for one probe, kept with its holder until released or an open period old; null: none is free, or it is closed. */
  acquire(request: { holder: string; terms: BreakerTerms }): Promise<Ticket | null>
  /** `leave`: the probe has ended. A permit of an earlier generation changes nothing. */
  release(request: { ticket: Ticket; verdict: Verdict; terms: BreakerTerms }): Promise<void>
}

export function termsOf({ openForMs, probes }: BreakerPolicy): BreakerTerms {
  return { openForMs, probes }
}

/** The rules by which a keeper applies a request: it counts no calls while closed, and so never opens by itself. */
export function keeperAt({ openForMs, probes }: BreakerTerms, now: number): At {
  const rules: BreakerRules = { openForMs, probes, intervalMs: null, shouldTrip: () => false }
  return { now, rules }
}
