/**
 * Keeps this process's view of the breakers that all workers of a store share, and changes their rows. Reading needs no I/O and is
 * at most a second old; nothing is written while a breaker is closed; no lock is held while a call runs.
 */
import type { Cancel, Clock } from '../clock.ts'
import { type BreakerTerms, type Ticket, unopened } from '../domain/breaker.ts'
import type { BreakerEvent, NamedBreaker } from '../domain/breaker-row.ts'
import { WfError } from '../errors.ts'
import type { SharedBreaker } from '../resilience/circuit-breaker.ts'
import type { Store } from '../store/port.ts'
import { changeBreaker } from './plans/breakers.ts'
import { keepLooking, type Looking } from './poller.ts'
import { transactOne } from './transact-one.ts'

export interface SharedBreakersOptions {
  store: Pick<Store, 'breakers' | 'transact' | 'watch' | 'now'>
  clock: Clock
  /** The worker's id: holds permits and is named in the history. */
  who: string
  /** Called for a failed change, and for a failed read unless the one before failed too. */
  onError?(error: unknown): void
}

/** Two reads are at least 50 ms apart, and at most 500 ms: the poller waits the one and then the other. */
const leastMs = 50
const mostMs = 450
/** How long a caller waits for the store: a handler's call waits for it. */
const answerMs = 3_000

export class SharedBreakers {
  readonly #options: SharedBreakersOptions
  #rows = new Map<string, NamedBreaker>()
  /** Numbers this process's changes: a read that began before a change must not undo what the change showed. */
  #changes = 0
  readonly #changedAt = new Map<string, number>()
  #polling: Looking | null = null
  #isFailing = false
  #isClosed = false

  constructor(options: SharedBreakersOptions) {
    this.#options = options
  }

  /** Returns the port to one breaker's row. The first call starts the polling. */
  of(name: string): SharedBreaker {
    const { store, clock, who: holder } = this.#options
    const look = () => this.#read()
    this.#polling ??= keepLooking({
      ...{ store, clock, mostMs, leastMs, look, onError: () => undefined },
    })
    return {
      holder,
      now: () => store.now(),
      read: () => this.#rows.get(name) ?? unopened,
      change: (event, terms, reason) => this.#change(name, event, { terms, reason }),
    }
  }

  /** Ends the polling. `read` keeps returning what was read last. */
  close(): void {
    this.#isClosed = true
    void this.#polling?.stop()
  }

  async #read(): Promise<void> {
    const began = this.#changes
    try {
      const rows = await this.#options.store.breakers()
      for (const row of rows) if ((this.#changedAt.get(row.name) ?? 0) <= began) this.#rows.set(row.name, row)
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed) this.#options.onError?.(error)
      this.#isFailing = true
    }
  }

  async #change(
    name: string,
    event: BreakerEvent,
    { terms, reason }: { terms: BreakerTerms; reason: string | undefined },
  ): Promise<Ticket | null> {
    const changed = this.#apply(name, event, { terms, reason: reason ?? reasonOf(event) })
    let isLate = false
    changed
      .then((ticket) => {
        // Nobody uses this permit; unreleased, its place would be missing for an open period.
        const unused = { kind: 'release', verdict: 'excluded' } as const
        if (isLate && ticket) return this.#apply(name, { ...unused, ticket }, { terms, reason: null })
        return null
      })
      .catch(() => undefined)
    try {
      return await withinLimit(this.#options.clock, changed, name)
    } catch (error) {
      isLate = true
      this.#options.onError?.(error)
      throw error
    }
  }

  async #apply(
    name: string,
    event: BreakerEvent,
    { terms, reason }: { terms: BreakerTerms; reason: string | null },
  ): Promise<Ticket | null> {
    const { store, who } = this.#options
    const change = { name, event, terms, who, reason }
    const { breaker, ticket } = await transactOne(store, changeBreaker, change)
    this.#changes += 1
    this.#changedAt.set(name, this.#changes)
    if (breaker) this.#rows.set(name, breaker)
    return ticket
  }
}

function reasonOf(event: BreakerEvent): string | null {
  if (event.kind !== 'release') return null
  return event.verdict === 'failure' ? 'a probe failed' : 'probes succeeded'
}

/** Rejects if the store hasn't answered in time; the change may still be applied. */
async function withinLimit<T>(clock: Clock, changed: Promise<T>, name: string): Promise<T> {
  let cancel: Cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    const seconds = answerMs / 1_000
    const error = new WfError(
      'store_locked',
      `the store did not answer within ${seconds} s about the breaker of ${name}`,
    )
    cancel = clock.after(answerMs, () => reject(error), { unref: true })
  })
  try {
    return await Promise.race([changed, late])
  } finally {
    cancel()
  }
}
