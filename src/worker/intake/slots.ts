/**
 * Counts slots, by type and in all. A claim takes a slot; it is free again only when the attempt's outcome is stored, so a kill
 * repeats no more handlers than there are slots.
 */
import type { ClaimType } from '../../store/port.ts'
import type { Grants } from './breaker-admission.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'

interface TypeSlots {
  readonly handler: LoadedHandler
  taken: number
}

export interface SlotRequest {
  limit: number
  types: readonly ClaimType[]
}

export class Slots {
  /** Jobs that may run at once over all types. */
  readonly total: number
  readonly #byType: ReadonlyMap<string, TypeSlots>
  readonly #order: readonly TypeSlots[]
  #turn = 0
  #taken = 0

  /** `cap` bounds the sum over the types. */
  constructor(handlers: ReadonlyMap<string, LoadedHandler>, cap = Number.POSITIVE_INFINITY) {
    this.#byType = new Map([...handlers].map(([type, handler]) => [type, { handler, taken: 0 }]))
    this.#order = [...this.#byType.values()]
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

  /** Returns the types of which one more job could start. */
  openTypes(): string[] {
    if (this.#taken >= this.total) return []
    return this.#order
      .filter(({ handler, taken }) => taken < handler.concurrency)
      .map(({ handler }) => handler.type)
  }

  /**
   * Returns what may be claimed: at most `most` jobs, of the types that have room; null when none has. `leaving` are the types of
   * attempts that are settled in the same transaction: their slots are free before a claimed job starts. Each request
   * begins with another type, so that no type is always last. `grants` bounds types further.
   */
  request(most: number, leaving: readonly string[] = [], grants: Grants | null = null): SlotRequest | null {
    const limit = Math.min(most, this.total - this.#taken + leaving.length)
    if (limit <= 0) return null
    this.#turn = (this.#turn + 1) % Math.max(1, this.#order.length)
    const ordered = [...this.#order.slice(this.#turn), ...this.#order.slice(0, this.#turn)]
    const freed = countOf(leaving)
    const wanted = ordered
      .map((slots) => claimTypeOf(slots, { limit, freed }))
      .filter((type) => type.limit > 0)
    const types = grants ? granted(wanted, grants) : wanted
    return types.length > 0 ? { limit, types } : null
  }

  #add(type: string, count: 1 | -1): void {
    const slots = this.#byType.get(type)
    if (!slots) return
    slots.taken += count
    this.#taken += count
  }
}

function claimTypeOf(
  { handler, taken }: TypeSlots,
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
