/**
 * Which types a worker may claim, and how many of their jobs, as the breakers of their dependencies stand: a job that
 * would only be put back is left where it is. It knows types and breakers; slots and the store are others' business.
 */
import type { Clock } from '../../clock.ts'
import type { Job } from '../../domain/job.ts'
import type { Dependencies } from '../../resilience/dependencies.ts'
import type { BreakerPolicy } from '../../resilience/breaker-policy.ts'
import { Gate } from './breaker-gate.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'

export interface HoldsParts {
  clock: Clock
  dependencies: Pick<Dependencies, 'breakers'>
  handlers: ReadonlyMap<string, LoadedHandler>
}

/** What one claim may ask for: what one type is granted is no longer there for another that needs the same. */
export interface Grants {
  take(type: string, wanted: number): number
}

const none: readonly Gate[] = []

export class Holds {
  readonly #parts: HoldsParts
  readonly #gates = new Map<string, Gate>()
  readonly #byType = new Map<string, readonly Gate[]>()

  constructor(parts: HoldsParts) {
    this.#parts = parts
    const handlers = [...parts.handlers.values()]
    for (const { type, dependencies } of handlers) {
      const gates = [...dependencies].flatMap(([name, { breaker }]) =>
        breaker?.hold ? [this.#gate(name, breaker, handlers)] : [],
      )
      if (gates.length > 0) this.#byType.set(type, gates)
    }
  }

  #gate(name: string, { probes, openForMs }: BreakerPolicy, handlers: readonly LoadedHandler[]): Gate {
    const known = this.#gates.get(name)
    if (known) return known
    const users = handlers.filter(({ dependencies }) => dependencies.get(name)?.breaker?.hold)
    const gate = new Gate({
      probes,
      openForMs,
      concurrency: users.reduce((sum, { concurrency }) => sum + concurrency, 0),
    })
    this.#gates.set(name, gate)
    return gate
  }

  /** Of these types the ones of which a job may be claimed now. */
  open(types: string[]): string[] {
    if (this.#byType.size === 0) return types
    this.#look()
    return types.filter((type) => this.#gatesOf(type).every((gate) => gate.room > 0))
  }

  /** Null where nothing is held. */
  grants(): Grants | null {
    if (this.#byType.size === 0) return null
    this.#look()
    const rooms = new Map([...this.#gates.values()].map((gate) => [gate, gate.room]))
    return {
      take: (type, wanted) => {
        const gates = this.#gatesOf(type)
        const granted = Math.min(wanted, ...gates.map((gate) => rooms.get(gate) ?? 0))
        for (const gate of gates) rooms.set(gate, (rooms.get(gate) ?? 0) - granted)
        return granted
      },
    }
  }

  claimed({ type, key }: Job): void {
    for (const gate of this.#gatesOf(type)) gate.claimed(key)
  }

  freed({ type, key }: Job): void {
    for (const gate of this.#gatesOf(type)) gate.freed(key)
  }

  /** Ms until time alone lets more through somewhere; null: nowhere. */
  changesInMs(): number | null {
    if (this.#byType.size === 0) return null
    this.#look()
    const changes = [...this.#gates.values()].map((gate) => gate.changesInMs).filter((ms) => ms !== null)
    return changes.length > 0 ? Math.min(...changes) : null
  }

  #gatesOf(type: string): readonly Gate[] {
    return this.#byType.get(type) ?? none
  }

  #look(): void {
    const now = this.#parts.clock.monotonic()
    for (const { name, ...snapshot } of this.#parts.dependencies.breakers())
      this.#gates.get(name)?.see(snapshot, now)
  }
}
