/**
 * The breakers that all workers of a store go through: resilience's port on the store. States are seen without I/O, at
 * most a second old; nothing is written while one is closed, and no lock is held while a call is under way. It knows no
 * dependency and no handler.
 */
import type { Cancel, Clock } from '../clock.ts'
import type { NamedBreaker } from '../domain/breaker-row.ts'
import { WfError } from '../errors.ts'
import { type BreakerState, enter, leave, openIf, type Ticket } from '../resilience/breaker-state.ts'
import { type BreakerTerms, keeperAt, type SharedBreaker } from '../resilience/shared-breaker.ts'
import type { Store } from '../store/port.ts'
import { changeOf, unopened } from './breakers-change.ts'
import { changeBreaker } from './plans/breakers.ts'
import { transactOne } from './transact-one.ts'

export interface Breakers {
  /** The breaker of a dependency. The first one that is asked for starts the looking. */
  shared(name: string): SharedBreaker
  /** Those that were ever opened, as last seen. */
  all(): readonly NamedBreaker[]
  /** Looks now. */
  look(): Promise<void>
  /** Ends the looking; what was seen last stays. */
  close(): void
}

export interface BreakersParts {
  store: Pick<Store, 'breakers' | 'transact' | 'watch' | 'now'>
  clock: Clock
  /** Whose calls they are: the worker's id, which the history names. */
  who: string
  /** The store could not be looked at; told once until it can be again. */
  onTrouble?(error: unknown): void
}

/** Between looks where nothing tells of a change, and at least between two where something does. */
const pollMs = 500
const restMs = 50
/** How long whoever asks waits for the store: a call is waiting. */
const patienceMs = 3_000

export function createBreakers(parts: BreakersParts): Breakers {
  const view = new BreakerView(parts)
  const shared = new Map<string, SharedBreaker>()
  return {
    shared(name) {
      view.start()
      const found = shared.get(name) ?? new StoreBreaker(name, { ...parts, view })
      shared.set(name, found)
      return found
    },
    all: () => view.all(),
    look: () => view.look(),
    close: () => view.close(),
  }
}

/** What this process has last seen of the breakers. */
class BreakerView {
  readonly #parts: BreakersParts
  #rows = new Map<string, NamedBreaker>()
  /** Which own changes have been seen: a look that began before one must not undo what it shows. */
  #changes = 0
  readonly #changedAt = new Map<string, number>()
  #state: 'idle' | 'looking' | 'closed' | 'new' = 'new'
  #again = false
  #isTroubled = false
  #cancelTimer: Cancel = () => {}
  #endWatch: () => void = () => {}
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: BreakersParts) {
    this.#parts = parts
  }

  start(): void {
    if (this.#state !== 'new') return
    this.#state = 'idle'
    this.#endWatch = this.#parts.store.watch(() => this.#soon())
    void this.look()
  }

  close(): void {
    this.#state = 'closed'
    this.#cancelTimer()
    this.#endWatch()
  }

  all(): readonly NamedBreaker[] {
    return [...this.#rows.values()]
  }

  get(name: string): BreakerState {
    return this.#rows.get(name) ?? unopened
  }

  changed(name: string, row: NamedBreaker | null): void {
    this.#changes += 1
    this.#changedAt.set(name, this.#changes)
    if (row) this.#rows.set(name, row)
  }

  async look(): Promise<void> {
    const isKept = this.#state === 'idle'
    if (isKept) this.#state = 'looking'
    const began = this.#changes
    try {
      const rows = await this.#parts.store.breakers()
      for (const row of rows) if ((this.#changedAt.get(row.name) ?? 0) <= began) this.#rows.set(row.name, row)
      this.#isTroubled = false
    } catch (error) {
      if (!this.#isTroubled && this.#state !== 'closed') this.#parts.onTrouble?.(error)
      this.#isTroubled = true
    }
    if (isKept) this.#looked()
  }

  #looked(): void {
    if (this.#state !== 'looking') return
    this.#state = 'idle'
    this.#lookedAtMs = this.#parts.clock.monotonic()
    this.#after(this.#again ? restMs : pollMs)
    this.#again = false
  }

  /** A busy store changes all the time. */
  #soon(): void {
    if (this.#state === 'looking') this.#again = true
    if (this.#state !== 'idle') return
    const leftMs = this.#lookedAtMs + restMs - this.#parts.clock.monotonic()
    if (leftMs > 0) this.#after(leftMs)
    else void this.look()
  }

  #after(ms: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#parts.clock.after(ms, () => void this.look(), { unref: true })
  }
}

/** One change, as it is asked for. */
interface Asked {
  terms: BreakerTerms
  /** For the history. */
  reason: string | null
  apply(state: BreakerState): BreakerState
}

class StoreBreaker implements SharedBreaker {
  readonly #name: string
  readonly #parts: BreakersParts & { view: BreakerView }

  constructor(name: string, parts: BreakersParts & { view: BreakerView }) {
    this.#name = name
    this.#parts = parts
  }

  now(): number {
    return this.#parts.store.now()
  }

  read(): BreakerState {
    return this.#parts.view.get(this.#name)
  }

  async open({ generation, terms, reason }: Parameters<SharedBreaker['open']>[0]): Promise<void> {
    await this.#soon(
      this.#change({
        terms,
        reason,
        apply: (state) => openIf(state, keeperAt(terms, this.now()), generation),
      }),
    )
  }

  async acquire({ holder, terms }: Parameters<SharedBreaker['acquire']>[0]): Promise<Ticket | null> {
    let isAwaited = true
    const asked = this.#acquire(holder, terms).then((ticket) => {
      // Nobody waits for it any more, and a place that nobody takes would be missing for an open period.
      if (ticket && !isAwaited) this.release({ ticket, verdict: 'excluded', terms }).catch(() => undefined)
      return ticket
    })
    try {
      return await this.#soon(asked)
    } finally {
      isAwaited = false
    }
  }

  async release({ ticket, verdict, terms }: Parameters<SharedBreaker['release']>[0]): Promise<void> {
    const reason = verdict === 'failure' ? 'a probe failed' : 'its probes succeeded'
    await this.#soon(
      this.#change({
        terms,
        reason,
        apply: (state) => leave(state, keeperAt(terms, this.now()), { ticket, verdict }),
      }),
    )
  }

  async #acquire(holder: string, terms: BreakerTerms): Promise<Ticket | null> {
    let got: Ticket | null = null
    const apply = (state: BreakerState) => {
      const entered = enter(state, keeperAt(terms, this.now()), holder)
      // While it is closed whoever asks counts for itself, and nothing is written.
      const isClosed = entered.state.mode === 'closed'
      got = isClosed ? null : entered.ticket
      return isClosed ? state : entered.state
    }
    await this.#change({ terms, reason: null, apply })
    return got
  }

  async #change({ terms, reason, apply }: Asked): Promise<void> {
    const { store, view, who } = this.#parts
    const row = await transactOne(
      store,
      changeBreaker,
      changeOf(this.#name, { terms: () => terms, who, reason, apply }),
    )
    view.changed(this.#name, row)
  }

  /** What was asked may still happen after that. */
  async #soon<T>(asked: Promise<T>): Promise<T> {
    let cancel: Cancel = () => {}
    const late = new Promise<never>((_, reject) => {
      cancel = this.#parts.clock.after(patienceMs, () => reject(this.#tooLate()), { unref: true })
    })
    try {
      return await Promise.race([asked, late])
    } finally {
      cancel()
    }
  }

  #tooLate(): WfError {
    return new WfError(
      'store_locked',
      `the store did not answer within ${patienceMs / 1_000} s about the breaker of ${this.#name}`,
    )
  }
}
