/**
 * The dependencies of one process. Handlers that call the same name share its breaker and its bulkhead; retry and timeout are
 * each handler's own.
 */
import type { Clock } from '../clock.ts'
import { WfError } from '../errors.ts'
import { didYouMean, nearWords } from '../text/suggest.ts'
import { preview } from '../text/preview.ts'
import type { Random } from '../random.ts'
import type { BreakerPolicy } from './breaker-policy.ts'
import { Bulkhead, type BulkheadPolicy } from './bulkhead.ts'
import {
  type BreakerChange,
  type BreakerSnapshot,
  CircuitBreaker,
  type SharedBreaker,
} from './circuit-breaker.ts'
import { Dependency } from './dependency.ts'
import type { DependencyPolicy } from './dependency-policy.ts'

export interface DependenciesParts {
  clock: Clock
  random: Random
  onChange?(change: BreakerChange): void
  /** Returns the row of a breaker whose policy is `shared`. Absent: every breaker is local to the process. */
  sharedBreaker?(name: string): SharedBreaker
}

export type HandlerDependencies = ReadonlyMap<string, Dependency>

/** A policy, and the handler type that declared it first. */
interface Declared<P> {
  type: string
  policy: P
}

export class Dependencies {
  readonly #parts: DependenciesParts
  readonly #breakers = new Map<string, Declared<BreakerPolicy> & { breaker: CircuitBreaker }>()
  readonly #bulkheads = new Map<string, Declared<BulkheadPolicy> & { bulkhead: Bulkhead }>()

  constructor(parts: DependenciesParts) {
    this.#parts = parts
  }

  /** Throws WfError `invalid_handler` if two handlers declare different policies for what they share. */
  declare(type: string, policies: ReadonlyMap<string, DependencyPolicy>): HandlerDependencies {
    const { clock, random } = this.#parts
    const own = [...policies].map(([name, policy]): [string, Dependency] => {
      const breaker = policy.breaker && this.#breaker(name, { type, policy: policy.breaker })
      const bulkhead = policy.bulkhead && this.#bulkhead(name, { type, policy: policy.bulkhead })
      return [name, new Dependency({ name, policy, breaker, bulkhead, clock, random })]
    })
    return new Map(own)
  }

  /** Returns the state of each breaker, as this process sees it. */
  breakers(): readonly (BreakerSnapshot & { name: string; shared: boolean })[] {
    return [...this.#breakers].map(([name, { breaker, policy }]) => ({
      name,
      shared: policy.shared,
      ...breaker.snapshot(),
    }))
  }

  #breaker(name: string, declared: Declared<BreakerPolicy>): CircuitBreaker {
    const known = this.#breakers.get(name)
    if (known) {
      agree(`${name}.breaker`, {
        known,
        declared,
        keys: ['failures', 'shouldTrip', 'intervalMs', 'openForMs', 'probes', 'shared'],
      })
      return known.breaker
    }
    const { clock, random, onChange, sharedBreaker } = this.#parts
    const { policy } = declared
    const shared = (policy.shared && sharedBreaker?.(name)) || null
    const options = { name, policy, clock, random, shared }
    const breaker = new CircuitBreaker({ ...options, ...(onChange && { onChange }) })
    this.#breakers.set(name, { ...declared, breaker })
    return breaker
  }

  #bulkhead(name: string, declared: Declared<BulkheadPolicy>): Bulkhead {
    const known = this.#bulkheads.get(name)
    if (known) {
      agree(`${name}.bulkhead`, { known, declared, keys: ['limit', 'waitMs'] })
      return known.bulkhead
    }
    const bulkhead = new Bulkhead(declared.policy, this.#parts.clock)
    this.#bulkheads.set(name, { ...declared, bulkhead })
    return bulkhead
  }
}

function agree<P>(
  what: string,
  {
    known,
    declared,
    keys,
  }: { known: Declared<P>; declared: Declared<P>; keys: readonly (keyof P & string)[] },
): void {
  const key = keys.find((one) => known.policy[one] !== declared.policy[one])
  if (key === undefined) return
  const values = `${preview(declared.policy[key], 60)} here and ${preview(known.policy[key], 60)} in handler ${preview(known.type)}`
  throw new WfError(
    'invalid_handler',
    `handler ${preview(declared.type)}: dependencies.${what}: ${key} is ${values}; both share one`,
    {
      hint: 'write the policy once and give it to both handlers, or give the dependency another name',
    },
  )
}

/** Returns the dependency that a handler calls by `name`. Throws WfError `invalid_handler` if it doesn't declare the name. */
export function dependencyNamed(declared: HandlerDependencies, name: unknown, type: string): Dependency {
  const found = declared.get(name as string)
  if (found) return found
  const names = [...declared.keys()]
  const near = typeof name === 'string' ? nearWords([name], names) : []
  const known =
    names.length > 0
      ? `it declares ${names.join(', ')}`
      : "declare it: dependencies: { name: { timeout: '10s' } }"
  throw new WfError(
    'invalid_handler',
    `handler ${preview(type)} calls ${preview(name, 60)}, which is none of its dependencies`,
    {
      hint: didYouMean(near, near.length > 0 ? '' : known),
    },
  )
}
