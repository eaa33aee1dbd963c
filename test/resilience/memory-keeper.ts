/** Keeps a shared breaker in memory, as a store would in a row; each process sees it through a view that is up to a second old. */
import {
  type BreakerState,
  close,
  enter,
  leave,
  newBreaker,
  openIf,
  trip,
} from '../../src/resilience/breaker-state.ts'
import { type BreakerTerms, keeperAt, type SharedBreaker } from '../../src/resilience/shared-breaker.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'

export class MemoryKeeper {
  readonly clock: FakeClock
  readonly terms: BreakerTerms
  state: BreakerState
  /** What was asked of it, in order. */
  readonly asked: string[] = []
  /** Every request fails while it is set. */
  failure: Error | null = null
  readonly #views = new Set<View>()

  constructor(clock: FakeClock, terms: BreakerTerms) {
    this.clock = clock
    this.terms = terms
    this.state = newBreaker(this.at())
  }

  at() {
    return keeperAt(this.terms, this.clock.now())
  }

  /** Like any transaction: it takes a moment, and happens as a whole or not at all. */
  async apply<T>(what: string, change: () => T): Promise<T> {
    this.asked.push(what)
    await Promise.resolve()
    if (this.failure) throw this.failure
    return change()
  }

  async trip({ forMs }: { forMs: number }): Promise<void> {
    await this.apply('trip', () => {
      this.state = trip(this.state, this.at(), forMs)
    })
  }

  async close(): Promise<void> {
    await this.apply('close', () => {
      this.state = close(this.state, this.at())
    })
  }

  view(): View {
    const view = new View(this)
    this.#views.add(view)
    return view
  }

  /** Every process looks. */
  look(): void {
    for (const view of this.#views) view.look()
  }
}

export class View implements SharedBreaker {
  readonly #keeper: MemoryKeeper
  #state: BreakerState

  constructor(keeper: MemoryKeeper) {
    this.#keeper = keeper
    this.#state = keeper.state
  }

  look(): void {
    this.#state = this.#keeper.state
  }

  now(): number {
    return this.#keeper.clock.now()
  }

  read(): BreakerState {
    return this.#state
  }

  async open({ generation }: { generation: number }): Promise<void> {
    const keeper = this.#keeper
    await keeper.apply('open', () => {
      keeper.state = openIf(keeper.state, keeper.at(), generation)
      this.look()
    })
  }

  async acquire({ holder }: { holder: string }): ReturnType<SharedBreaker['acquire']> {
    const keeper = this.#keeper
    return await keeper.apply('acquire', () => {
      const { state, ticket } = enter(keeper.state, keeper.at(), holder)
      // A keeper that is closed gives no permits: whoever asks counts for itself.
      if (state.mode !== 'closed') keeper.state = state
      this.look()
      return state.mode === 'closed' ? null : ticket
    })
  }

  async release({ ticket, verdict }: Parameters<SharedBreaker['release']>[0]): Promise<void> {
    const keeper = this.#keeper
    await keeper.apply('release', () => {
      keeper.state = leave(keeper.state, keeper.at(), { ticket, verdict })
      this.look()
    })
  }
}
