/**
 * Who may start: per type and in all. A slot is taken by a claim and free again only when the attempt's settlement is
 * stored, so that a kill re-runs no more handlers than there are slots. Counting only; it claims and starts nothing.
 */
import type { ClaimType } from '../../store/port.ts'
import type { Grants } from './breaker-admission.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'

interface Seat {
  readonly handler: LoadedHandler
  taken: number
}

export interface Wish {
  limit: number
  types: readonly ClaimType[]
}

export class Slots {
  /** Jobs at once over all types. */
  readonly total: number
  readonly #seats: ReadonlyMap<string, Seat>
  readonly #order: readonly Seat[]
  #turn = 0
  #taken = 0

  /** `cap` bounds the sum of the types' own numbers. */
  constructor(handlers: ReadonlyMap<string, LoadedHandler>, cap = Number.POSITIVE_INFINITY) {
    this.#seats = new Map([...handlers].map(([type, handler]) => [type, { handler, taken: 0 }]))
    this.#order = [...this.#seats.values()]
    const sum = this.#order.reduce((total, { handler }) => total + handler.concurrency, 0)
    this.total = Math.min(cap, sum)
  }

  get taken(): number {
    return this.#taken
  }

  take(type: string): void {
    this.#add(type, 1)
  }

  free(type: string): void {
    this.#add(type, -1)
  }

  /** Types of which one more could start. */
  openTypes(): string[] {
    if (this.#taken >= this.total) return []
    return this.#order
      .filter(({ handler, taken }) => taken < handler.concurrency)
      .map(({ handler }) => handler.type)
  }

  /**
   * At most `most` jobs, of the types that have room; null when none has. `leaving` are the types of attempts whose
   * settlement goes into the same transaction: their slots are free by the time a claimed job starts. Each wish begins
   * with another type, so that none is always asked for last. `grants` says what else bounds a type.
   */
  wish(most: number, leaving: readonly string[] = [], grants: Grants | null = null): Wish | null {
    const limit = Math.min(most, this.total - this.#taken + leaving.length)
    if (limit <= 0) return null
    this.#turn = (this.#turn + 1) % Math.max(1, this.#order.length)
    const ordered = [...this.#order.slice(this.#turn), ...this.#order.slice(0, this.#turn)]
    const freed = countOf(leaving)
    const wanted = ordered.map((seat) => claimTypeOf(seat, { limit, freed })).filter((type) => type.limit > 0)
    const types = grants ? granted(wanted, grants) : wanted
    return types.length > 0 ? { limit, types } : null
  }

  #add(type: string, count: 1 | -1): void {
    const seat = this.#seats.get(type)
    if (!seat) return
    seat.taken += count
    this.#taken += count
  }
}

function claimTypeOf(
  { handler, taken }: Seat,
  { limit, freed }: { limit: number; freed: ReadonlyMap<string, number> },
): ClaimType {
  const { type, concurrency, maxJobsActivated, timeoutMs, policy } = handler
  const room = concurrency - taken + (freed.get(type) ?? 0)
  return { type, limit: Math.min(room, maxJobsActivated, limit), timeoutMs, retries: policy.retries }
}

function granted(types: readonly ClaimType[], grants: Grants): readonly ClaimType[] {
  return types
    .map((type) => ({ ...type, limit: grants.take(type.type, type.limit) }))
    .filter((type) => type.limit > 0)
}

function countOf(types: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}
