/**
 * One process's part of a shared breaker: counts while it is closed, asks for it to be opened, and takes permits for
 * probes. Where the keeper does not answer it goes on alone with what it has counted: a store in trouble must neither
 * let a flood through nor hold a dependency that is well.
 */
import { attempt } from '../text/preview.ts'
import { rulesOf } from './breaker-policy.ts'
import {
  type At,
  type BreakerRules,
  type BreakerState,
  close,
  current,
  enter,
  freePlaces,
  leave,
  newBreaker,
  type Ticket,
  type Verdict,
} from './breaker-state.ts'
import {
  type Breaker,
  type BreakerParts,
  type BreakerSnapshot,
  guarded,
  heldBy,
  snapshotOf,
  tell,
} from './circuit-breaker.ts'
import { type BreakerTerms, keeperAt, type SharedBreaker, termsOf } from './shared-breaker.ts'

export interface SharedBreakerParts extends BreakerParts {
  shared: SharedBreaker
  /** The worker's id: who holds a permit. */
  holder: string
  /** The keeper did not answer; what was asked of it is not known to have happened. */
  onTrouble?(error: unknown): void
}

/** A call that was let through; told how it ended. */
type End = (verdict: Verdict) => void

/** How soon a keeper that did not answer is asked again. */
const troubleMs = 5_000

export class SharedCircuitBreaker implements Breaker {
  readonly #parts: SharedBreakerParts
  readonly #rules: BreakerRules
  readonly #terms: BreakerTerms
  /** As the keeper last gave it. */
  #seen: BreakerState
  /** What this process has counted since; it means something only while the keeper's is closed. */
  #local: BreakerState
  /** Permits that are being asked for. */
  #asking = 0

  constructor(parts: SharedBreakerParts) {
    this.#parts = parts
    this.#rules = rulesOf(parts.policy)
    this.#terms = termsOf(parts.policy)
    this.#seen = parts.shared.read()
    this.#local = newBreaker(this.#at())
  }

  async run<T>(fn: () => Promise<T>, judge: (thrown: unknown) => Verdict): Promise<T> {
    const end = this.#follow().mode === 'closed' ? this.#enter() : await this.#probe()
    return guarded(fn, { judge, end })
  }

  snapshot(): BreakerSnapshot {
    const seen = this.#follow()
    const local = current(this.#local, this.#at())
    return seen.mode === 'closed' && local.mode !== 'closed'
      ? snapshotOf(local, this.#at())
      : snapshotOf(seen, this.#keeperAt())
  }

  /** What was counted in another generation counts no more, and calls that began in it end as late. */
  #follow(): BreakerState {
    const before = this.#seen
    const state = this.#parts.shared.read()
    if (state === before) return state
    this.#seen = state
    if (state.generation !== before.generation) this.#local = close(this.#local, this.#at())
    if (state.mode !== before.mode) tell(this.#parts, before.mode, state)
    return state
  }

  #enter(): End {
    const at = this.#at()
    const { state, ticket, retryAt } = enter(this.#local, at)
    this.#local = state
    if (ticket) return (verdict) => this.#leave(ticket, verdict)
    throw heldBy(this.#parts, { mode: state.mode, retryInMs: retryAt - at.now })
  }

  #leave(ticket: Ticket, verdict: Verdict): void {
    const { generation } = this.#follow()
    const before = this.#local
    this.#local = leave(before, this.#at(), { ticket, verdict })
    if (before.mode === 'open' || this.#local.mode !== 'open') return
    const inARow = before.counts.consecutiveFailures + 1
    const reason = `${inARow} failures in a row, ${before.counts.failures + 1} of ${before.counts.requests} calls`
    this.#tell(() => this.#parts.shared.open({ generation, terms: this.#terms, reason }))
  }

  async #probe(): Promise<End> {
    // A hundred calls at its expiry are not a hundred questions to the keeper.
    if (freePlaces(this.#seen, this.#keeperAt()) <= this.#asking) throw this.#held()
    const ticket = await this.#acquired()
    const { mode } = this.#follow()
    if (ticket)
      return (verdict) =>
        this.#tell(() => this.#parts.shared.release({ ticket, verdict, terms: this.#terms }))
    if (mode === 'closed') return this.#enter()
    throw this.#held()
  }

  async #acquired(): Promise<Ticket | null> {
    const { shared, holder } = this.#parts
    this.#asking++
    try {
      return await shared.acquire({ holder, terms: this.#terms })
    } catch (error) {
      this.#trouble(error)
      throw heldBy(this.#parts, { mode: 'open', retryInMs: Math.min(troubleMs, this.#terms.openForMs) })
    } finally {
      this.#asking--
    }
  }

  #held() {
    const { mode, retryInMs } = snapshotOf(this.#seen, this.#keeperAt())
    return heldBy(this.#parts, { mode, retryInMs: retryInMs || this.#terms.openForMs })
  }

  /** Not waited for: the call that led to it is over, and its result is not the keeper's business. */
  #tell(keeper: () => Promise<void>): void {
    const told = async () => {
      await keeper()
      this.#follow()
    }
    told().catch((error: unknown) => this.#trouble(error))
  }

  #trouble(error: unknown): void {
    attempt(() => this.#parts.onTrouble?.(error), undefined)
  }

  #at(): At {
    return { now: this.#parts.clock.monotonic(), rules: this.#rules }
  }

  #keeperAt(): At {
    return keeperAt(this.#terms, this.#parts.shared.now())
  }
}
