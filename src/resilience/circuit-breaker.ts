/**
 * The breaker of a dependency, as one process sees it. Counts its own calls in memory. If the breaker is shared by all workers
 * of a store, that counting opens the shared row, and while the row isn't closed the row decides and hands out the permits of
 * probes. If the row can't be reached, the process goes on alone with what it has counted: a store in trouble must neither let
 * a flood through nor block a healthy dependency.
 */
import type { Clock } from '../clock.ts'
import {
  type At,
  type BreakerMode,
  type BreakerRules,
  type BreakerState,
  type BreakerTerms,
  close,
  current,
  enter,
  freePlaces,
  leave,
  newBreaker,
  type Ticket,
  unopened,
  type Verdict,
} from '../domain/breaker.ts'
import { type BreakerEvent, sharedAt } from '../domain/breaker-row.ts'
import type { Random } from '../random.ts'
import { formatDuration } from '../text/duration.ts'
import { attempt } from '../text/preview.ts'
import { type BreakerPolicy, rulesOf } from './breaker-policy.ts'
import { DependencyRefusal } from './dependency-refused.ts'

/** The row of a shared breaker. Instants are epoch ms of `now()`. */
export interface SharedBreaker {
  /** Holds the permits of this process: the worker's id. */
  readonly holder: string
  /** The clock of the store. */
  now(): number
  /**
   * The row as last read, without any I/O: called before each call. At most a second old, and never older than the last
   * `change` that resolved; `unopened` before the first read and if there is no row.
   */
  read(): BreakerState
  /**
   * Applies an event to the row; resolves to the ticket of an `acquire`, null if no place is free or the row is closed. Rejects
   * within seconds if the store doesn't answer; the event may still be applied then. `reason`: for the history.
   */
  change(event: BreakerEvent, terms: BreakerTerms, reason?: string): Promise<Ticket | null>
}

export interface BreakerSnapshot {
  mode: BreakerMode
  generation: number
  /** Ms in this mode. */
  ageMs: number
  /** Ms until a call may pass; 0 if one may now. */
  retryInMs: number
}

export interface BreakerChange {
  name: string
  from: BreakerMode
  to: BreakerMode
  generation: number
  by: BreakerState['by']
}

export interface CircuitBreakerOptions {
  /** The dependency's. */
  name: string
  policy: BreakerPolicy
  clock: Clock
  random: Random
  /** Null: the breaker of this process alone. */
  shared: SharedBreaker | null
  /** Called at each change of mode; of a shared breaker, when this process sees it. */
  onChange?(change: BreakerChange): void
}

/** Ends a call that was let through. */
type End = (verdict: Verdict) => void

/** How soon a store that did not answer is asked for a permit again. */
const storeRetryMs = 5_000

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  readonly #rules: BreakerRules
  readonly #terms: BreakerTerms
  /** What this process has counted. Of a shared breaker it decides only while the row is closed. */
  #local: BreakerState
  /** As last seen; always closed if the breaker isn't shared. */
  #row: BreakerState
  /** Permits being requested. */
  #requested = 0

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
    const { policy, shared } = options
    this.#rules = rulesOf(policy)
    this.#terms = { openForMs: policy.openForMs, probes: policy.probes }
    this.#row = shared?.read() ?? unopened
    this.#local = newBreaker(this.#at())
  }

  /**
   * Returns what `fn` returns. Rejects with a DependencyRefusal, without calling `fn`, if the breaker lets nothing through.
   * `judge` says what a throw means for the breaker; if it throws itself, the call counts as a failure.
   */
  async run<T>(fn: () => Promise<T>, judge: (thrown: unknown) => Verdict): Promise<T> {
    const { shared } = this.#options
    const end = shared && this.#follow(shared).mode !== 'closed' ? await this.#probe(shared) : this.enter()
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

  snapshot(): BreakerSnapshot {
    const { shared } = this.#options
    const local = current(this.#local, this.#at())
    if (shared === null) return snapshotOf(local, this.#at())
    const row = this.#follow(shared)
    return row.mode === 'closed' && local.mode !== 'closed'
      ? snapshotOf(local, this.#at())
      : snapshotOf(row, this.#sharedAt(shared))
  }

  /** Counts a call in this process. Throws a DependencyRefusal if it may not pass; call what it returns once, when the call ends. */
  enter(): End {
    const at = this.#at()
    const { state, ticket, retryAt } = enter(this.#local, at)
    this.#become(state)
    if (ticket) return (verdict) => this.#leave(ticket, verdict)
    throw this.#refusal(state.mode, retryAt - at.now)
  }

  #leave(ticket: Ticket, verdict: Verdict): void {
    const { shared } = this.#options
    const row = shared && this.#follow(shared)
    const before = this.#local
    this.#become(leave(before, this.#at(), { ticket, verdict }))
    if (!shared || !row || before.mode === 'open' || this.#local.mode !== 'open') return
    const { consecutiveFailures, failures, requests } = before.counts
    const reason = `${consecutiveFailures + 1} failures in a row, ${failures + 1} of ${requests} calls`
    this.#report(shared, { kind: 'open', generation: row.generation }, reason)
  }

  async #probe(shared: SharedBreaker): Promise<End> {
    // If a hundred calls arrive as it half-opens, only as many ask the store as there are places.
    if (freePlaces(this.#row, this.#sharedAt(shared)) <= this.#requested) throw this.#rowRefusal(shared)
    const ticket = await this.#acquire(shared)
    const row = this.#follow(shared)
    if (ticket) return (verdict) => this.#report(shared, { kind: 'release', ticket, verdict })
    if (row.mode === 'closed') return this.enter()
    throw this.#rowRefusal(shared)
  }

  async #acquire(shared: SharedBreaker): Promise<Ticket | null> {
    this.#requested++
    try {
      return await shared.change({ kind: 'acquire', holder: shared.holder }, this.#terms)
    } catch {
      throw this.#refusal('open', Math.min(storeRetryMs, this.#terms.openForMs))
    } finally {
      this.#requested--
    }
  }

  /** Isn't waited for: the call is over, and its result doesn't depend on the store. */
  #report(shared: SharedBreaker, event: BreakerEvent, reason?: string): void {
    shared.change(event, this.#terms, reason).then(
      () => this.#follow(shared),
      () => undefined,
    )
  }

  /** Reads the row. A new generation resets what this process has counted, so that calls of the old one end late. */
  #follow(shared: SharedBreaker): BreakerState {
    const before = this.#row
    const row = shared.read()
    if (row === before) return row
    this.#row = row
    if (row.generation !== before.generation) this.#local = close(this.#local, this.#at())
    if (row.mode !== before.mode) this.#emit(before.mode, row)
    return row
  }

  #become(state: BreakerState): void {
    const before = this.#local
    this.#local = state
    if (this.#options.shared === null && before.mode !== state.mode) this.#emit(before.mode, state)
  }

  /** Ignores what a listener throws. */
  #emit(from: BreakerMode, { mode: to, generation, by }: BreakerState): void {
    const { name, onChange } = this.#options
    attempt(() => onChange?.({ name, from, to, generation, by }), undefined)
  }

  #rowRefusal(shared: SharedBreaker): DependencyRefusal {
    const { mode, retryInMs } = snapshotOf(this.#row, this.#sharedAt(shared))
    return this.#refusal(mode, retryInMs || this.#terms.openForMs)
  }

  /** Adds up to a fifth of the open period, so that the deferred jobs don't all return at once. */
  #refusal(mode: BreakerMode, retryInMs: number): DependencyRefusal {
    const { name, policy, random } = this.#options
    const why =
      mode === 'half_open' ? 'a probe is under way' : `open for another ${formatDuration(retryInMs)}`
    return new DependencyRefusal({
      dependency: name,
      by: 'breaker',
      delayMs: Math.ceil(retryInMs + random() * policy.openForMs * 0.2),
      message: `the breaker of ${name} lets nothing through: ${why}`,
    })
  }

  #at(): At {
    return { now: this.#options.clock.monotonic(), rules: this.#rules }
  }

  #sharedAt(shared: SharedBreaker): At {
    return sharedAt(this.#terms, shared.now())
  }
}

function snapshotOf(before: BreakerState, at: At): BreakerSnapshot {
  const state = current(before, at)
  const { mode, generation } = state
  return {
    mode,
    generation,
    ageMs: Math.max(0, at.now - state.changedAt),
    retryInMs: enter(state, at).retryAt - at.now,
  }
}
