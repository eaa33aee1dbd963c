/** The row of a breaker that all workers of a store share, and what events do to it; breakers of single processes, as reported. */
import {
  type At,
  type BreakerState,
  type BreakerTerms,
  close,
  current,
  enter,
  leave,
  openIf,
  type Ticket,
  trip,
  turned,
  type Verdict,
} from './breaker.ts'

/** Events of a breaker that processes share. The counting of calls while closed is no event: it writes nothing. */
export type BreakerEvent =
  /** A process has counted enough failures in `generation`. */
  | { kind: 'open'; generation: number }
  | { kind: 'acquire'; holder: string }
  | { kind: 'release'; ticket: Ticket; verdict: Verdict }
  | { kind: 'trip'; forMs: number }
  | { kind: 'close' }

/** The row of a shared breaker. Instants are epoch ms of the store's clock. */
export interface NamedBreaker extends BreakerState {
  /** The dependency. */
  readonly name: string
  /** Those of its last change. */
  readonly terms: BreakerTerms
  /** Who caused this mode: the id of the worker whose calls did, or a person. */
  readonly who: string
  readonly reason: string | null
}

export const breakerNameCharacters = 200

/** A breaker of a single process, as its worker last reported it. */
export interface LocalBreaker
  extends Pick<NamedBreaker, 'name' | 'mode' | 'generation' | 'changedAt' | 'expiresAt'> {
  /** Types of that worker whose calls go through it. */
  readonly types: readonly string[]
}

/** The rules of a shared row: it counts no calls while closed, and so never opens by itself. */
export function sharedAt({ openForMs, probes }: BreakerTerms, now: number): At {
  return { now, rules: { openForMs, probes, intervalMs: null, shouldTrip: () => false } }
}

/** Applies an event to a shared breaker. Returns `before` itself if nothing changes. Only `acquire` returns a ticket, while not closed. */
export function applyEvent(
  before: BreakerState,
  event: BreakerEvent,
  at: At,
): { state: BreakerState; ticket: Ticket | null } {
  switch (event.kind) {
    case 'open':
      return { state: openIf(before, at, event.generation), ticket: null }
    case 'acquire': {
      const { state, ticket } = enter(before, at, event.holder)
      return state.mode === 'closed' ? { state: before, ticket: null } : { state, ticket }
    }
    case 'release':
      return { state: leave(before, at, event), ticket: null }
    case 'trip':
      return { state: trip(before, at, event.forMs), ticket: null }
    case 'close':
      return {
        state: current(before, at).mode === 'closed' ? before : close(before, at),
        ticket: null,
      }
  }
}

/**
 * Brings an earlier mode back, in a new generation. A breaker that was half-open opens with its period over, so that a probe may
 * pass at once.
 */
export function restore(
  state: BreakerState,
  earlier: Pick<BreakerState, 'mode' | 'by' | 'expiresAt'> | null,
  at: At,
): BreakerState {
  if (earlier === null || earlier.mode === 'closed')
    return { ...turned(state, 'closed', at), by: 'operator', expiresAt: null }
  const { mode, by, expiresAt } = earlier
  return { ...turned(state, 'open', at), by, expiresAt: mode === 'open' ? expiresAt : at.now }
}
