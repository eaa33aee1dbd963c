/**
 * Decides which types a worker may claim, and how many jobs of each, from the breakers of their dependencies: a job whose call
 * would be rejected stays in the store. Knows types and breakers, not slots.
 */
import type { Clock } from '../../clock.ts'
import type { Job } from '../../domain/job.ts'
import type { Dependencies } from '../../resilience/dependencies.ts'
import type { BreakerPolicy } from '../../resilience/breaker-policy.ts'
import { BreakerGate } from './breaker-gate.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'

export interface BreakerAdmissionOptions {
  clock: Clock
  dependencies: Pick<Dependencies, 'breakers'>
  handlers: ReadonlyMap<string, LoadedHandler>
}

/** What one claim may ask for. Types that share a dependency share what its breaker grants. */
export interface Grants {
  take(type: string, wanted: number): number
}

const none: readonly BreakerGate[] = []

export class BreakerAdmission {
  readonly #parts: BreakerAdmissionOptions
  readonly #gates = new Map<string, BreakerGate>()
  readonly #byType = new Map<string, readonly BreakerGate[]>()

  constructor(parts: BreakerAdmissionOptions) {
    this.#parts = parts
    const handlers = [...parts.handlers.values()]
    for (const { type, dependencies } of handlers) {
      const gates = [...dependencies].flatMap(([name, { breaker }]) =>
        breaker?.hold ? [this.#gate(name, breaker, handlers)] : [],
      )
      if (gates.length > 0) this.#byType.set(type, gates)
    }
  }

  #gate(name: string, { probes, openForMs }: BreakerPolicy, handlers: readonly LoadedHandler[]): BreakerGate {
    const known = this.#gates.get(name)
    if (known) return known
    const users = handlers.filter(({ dependencies }) => dependencies.get(name)?.breaker?.hold)
    const gate = new BreakerGate({
      probes,
      openForMs,
      concurrency: users.reduce((sum, { concurrency }) => sum + concurrency, 0),
    })
    this.#gates.set(name, gate)
    return gate
  }

  /** Returns those of `types` of which a job may be claimed now. */
  open(types: string[]): string[] {
    if (this.#byType.size === 0) return types
    this.#refresh()
    return types.filter((type) => this.#gatesOf(type).every((gate) => gate.room > 0))
  }

  /** Null where no breaker limits this worker. */
  grants(): Grants | null {
    if (this.#byType.size === 0) return null
    this.#refresh()
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

  /** Milliseconds until some breaker admits more by time alone; null if none does. */
  changesInMs(): number | null {
    if (this.#byType.size === 0) return null
    this.#refresh()
    const changes = [...this.#gates.values()].map((gate) => gate.changesInMs).filter((ms) => ms !== null)
    return changes.length > 0 ? Math.min(...changes) : null
  }

  #gatesOf(type: string): readonly BreakerGate[] {
    return this.#byType.get(type) ?? none
  }

  #refresh(): void {
    const now = this.#parts.clock.monotonic()
    for (const { name, ...snapshot } of this.#parts.dependencies.breakers())
      this.#gates.get(name)?.see(snapshot, now)
  }
}
