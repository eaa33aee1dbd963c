/** How a dependency's breaker is configured, and how it judges the end of a call. */
import type { BreakerCounts, BreakerRules, Verdict } from '../domain/breaker.ts'
import { handlerErrorKind } from '../domain/handler-errors.ts'
import { predicateResult, read } from './error-chain.ts'
import { isTransientStatus, statusOf } from './http-answer.ts'
import { TimeLimitError } from './timeout.ts'
import { isAbort } from './transient.ts'

/** BreakerOption says what each means. */
export interface BreakerPolicy {
  readonly failures: number
  readonly shouldTrip: ((counts: BreakerCounts) => boolean) | null
  /** Null: counts are never reset. */
  readonly intervalMs: number | null
  readonly openForMs: number
  readonly probes: number
  readonly isSuccessful: ((error: unknown) => boolean | undefined) | null
  readonly isExcluded: ((error: unknown) => boolean | undefined) | null
  readonly shared: boolean
  /** For the worker's admission; the breaker itself ignores it. */
  readonly hold: boolean
}

/** If `shouldTrip` throws or returns no boolean (a promise is always true), `failures` decides: the guard stays on. */
export function rulesOf({ failures, shouldTrip, ...rest }: BreakerPolicy): BreakerRules {
  const { intervalMs, openForMs, probes } = rest
  const byFailures = (counts: BreakerCounts) => counts.consecutiveFailures >= failures
  const byPredicate = (counts: BreakerCounts) => predicateResult(shouldTrip, counts) ?? byFailures(counts)
  return { shouldTrip: shouldTrip ? byPredicate : byFailures, intervalMs, openForMs, probes }
}

/**
 * Says what an error of a call means for the dependency. The handler's predicates come first, except that an abort by the attempt
 * is always excluded. An answer is a success even if it refuses: a business error, a client error such as 404.
 */
export function verdictOf(thrown: unknown, policy: BreakerPolicy, signal: AbortSignal): Verdict {
  if (thrown instanceof TimeLimitError ? thrown.cutShort : signal.aborted) return 'excluded'
  if (predicateResult(policy.isExcluded, thrown) === true) return 'excluded'
  const successful = predicateResult(policy.isSuccessful, thrown)
  if (successful !== undefined) return successful ? 'success' : 'failure'
  switch (handlerErrorKind(thrown)) {
    case 'business':
    case 'incident':
    case 'non_retryable':
    case 'poison':
      return 'success'
    case 'defer':
      return 'excluded'
    case 'retry':
      return verdictOfError(read(thrown, 'cause'))
    case null:
      return verdictOfError(thrown)
  }
}

function verdictOfError(thrown: unknown): Verdict {
  if (isAbort(thrown)) return 'excluded'
  const status = statusOf(thrown)
  const isAnswer = status !== null && status >= 400 && status < 500 && !isTransientStatus(status)
  return isAnswer ? 'success' : 'failure'
}
