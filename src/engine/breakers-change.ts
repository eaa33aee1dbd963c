/** From what is to become of a breaker to the change that a store applies. */
import type { BreakerChange, BreakerRow } from '../domain/breaker-row.ts'
import type { BreakerState } from '../resilience/breaker-state.ts'
import type { BreakerTerms } from '../resilience/shared-breaker.ts'

/** What a breaker is that nobody has opened yet: the store has no row of it. */
export const unopened: BreakerState = {
  ...{ mode: 'closed', generation: 0, by: 'calls', changedAt: 0, expiresAt: null, probes: [] },
  counts: {
    requests: 0,
    successes: 0,
    failures: 0,
    exclusions: 0,
    consecutiveSuccesses: 0,
    consecutiveFailures: 0,
  },
}

export interface Wanted {
  /** By what it is kept from now on. */
  terms(before: BreakerRow | null): BreakerTerms
  who: string
  reason: string | null
  /** Answers the very state that it was given where nothing changes. */
  apply(state: BreakerState, before: BreakerRow | null): BreakerState
}

export function changeOf(name: string, { terms, who, reason, apply }: Wanted): BreakerChange {
  return {
    ...{ name, who, reason },
    apply(before) {
      const state = before ?? unopened
      const after = apply(state, before)
      return after === state ? before : { ...after, terms: terms(before) }
    },
  }
}
