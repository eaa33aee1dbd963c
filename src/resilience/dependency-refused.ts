/** Said instead of a failure when a call was not made, or is not to be made again just now: the job comes back later and loses nothing. */
import { DeferError, handlerErrorKind } from '../domain/handler-errors.ts'
import { errorChain } from './error-chain.ts'

/** `breaker`: it lets nothing through. `bulkhead`: full. `retry_after`: the other side named a time beyond what a try may wait. */
export type RefusedBy = 'breaker' | 'bulkhead' | 'retry_after'

export interface RefusalParts {
  dependency: string
  by: RefusedBy
  /** From now until the job should come back. */
  delayMs: number
  message: string
  cause?: unknown
}

/** A breaker that is held for a month lets its jobs look once a day. */
const longestMs = 24 * 3_600_000

/** A DeferError to whoever knows no better; `by` says what the deferral counts as. */
export class DependencyRefusal extends DeferError {
  override readonly name = 'DependencyRefusal'
  readonly dependency: string
  readonly by: RefusedBy
  constructor({ dependency, by, delayMs, message, cause }: RefusalParts) {
    super(message, { in: Math.min(delayMs, longestMs) }, cause === undefined ? {} : { cause })
    this.dependency = dependency
    this.by = by
  }
}

/**
 * The refusal that a throw comes down to: itself, or the cause of a plain error that a handler put around it. Null for
 * everything else, and for an error that says itself what is to become of the job.
 */
export function refusalIn(thrown: unknown): DependencyRefusal | null {
  const chain = errorChain(thrown)
  const at = chain.findIndex((error) => error instanceof DependencyRefusal)
  const isPlain = chain.slice(0, Math.max(0, at)).every((error) => handlerErrorKind(error) === null)
  return at >= 0 && isPlain ? (chain[at] as DependencyRefusal) : null
}
