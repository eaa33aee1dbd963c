/** A call that was not made, or should not be repeated now: the job is deferred and spends no retry. */
import { DeferError, handlerErrorKind } from '../domain/handler-errors.ts'
import { errorChain } from './error-chain.ts'

/** `breaker`: open. `bulkhead`: full. `retry_after`: the dependency asked for a longer wait than a retry may take. */
export type RefusedBy = 'breaker' | 'bulkhead' | 'retry_after'

export interface RefusalParts {
  dependency: string
  by: RefusedBy
  /** Ms until the job should start again; a day at most. */
  delayMs: number
  message: string
  cause?: unknown
}

/** Jobs of a breaker that is open for a month try once a day. */
const maxDelayMs = 24 * 3_600_000

/** A DeferError to handlers and to `decide`; `by` says which guard refused. */
export class DependencyRefusal extends DeferError {
  override readonly name = 'DependencyRefusal'
  readonly dependency: string
  readonly by: RefusedBy
  constructor({ dependency, by, delayMs, message, cause }: RefusalParts) {
    super(message, { in: Math.min(delayMs, maxDelayMs) }, cause === undefined ? {} : { cause })
    this.dependency = dependency
    this.by = by
  }
}

/**
 * Returns the refusal behind a thrown value: the value itself, or the cause of plain errors that a handler wrapped around it.
 * Null otherwise, also if a wrapper is one of wf's handler errors, which decides the outcome itself.
 */
export function refusalIn(thrown: unknown): DependencyRefusal | null {
  const chain = errorChain(thrown)
  const at = chain.findIndex((error) => error instanceof DependencyRefusal)
  const isPlain = chain.slice(0, Math.max(0, at)).every((error) => handlerErrorKind(error) === null)
  return at >= 0 && isPlain ? (chain[at] as DependencyRefusal) : null
}
