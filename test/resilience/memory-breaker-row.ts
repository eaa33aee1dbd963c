/** The row of a shared breaker in memory; each process sees it through a view that is up to a second old. */
import { type BreakerState, type BreakerTerms, newBreaker } from '../../src/domain/breaker.ts'
import { applyEvent, type BreakerEvent, sharedAt } from '../../src/domain/breaker-row.ts'
import type { SharedBreaker } from '../../src/resilience/circuit-breaker.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'

export class MemoryBreakerRow {
  readonly clock: FakeClock
  readonly terms: BreakerTerms
  state: BreakerState
  /** The kinds of all events, in order. */
  readonly events: string[] = []
  /** Every change fails while it is set. */
  failure: Error | null = null
  readonly #views = new Set<{ refresh(): void }>()

  constructor(clock: FakeClock, terms: BreakerTerms) {
    this.clock = clock
    this.terms = terms
    this.state = newBreaker(this.at())
  }

  at() {
    return sharedAt(this.terms, this.clock.now())
  }

  /** Like any transaction: it takes a moment, and happens as a whole or not at all. */
  async change(event: BreakerEvent) {
    this.events.push(event.kind)
    await Promise.resolve()
    if (this.failure) throw this.failure
    const { state, ticket } = applyEvent(this.state, event, this.at())
    this.state = state
    return ticket
  }

  trip({ forMs }: { forMs: number }) {
    return this.change({ kind: 'trip', forMs })
  }

  close() {
    return this.change({ kind: 'close' })
  }

  view(holder: string): SharedBreaker {
    let seen = this.state
    const refresh = () => {
      seen = this.state
    }
    this.#views.add({ refresh })
    return {
      holder,
      now: () => this.clock.now(),
      read: () => seen,
      change: async (event) => {
        const ticket = await this.change(event)
        refresh()
        return ticket
      },
    }
  }

  /** Every process reads the row. */
  refresh(): void {
    for (const view of this.#views) view.refresh()
  }
}
