/** A handler's word on a breaker, checked (dependency-policy.ts reads it), and the rules and judgements that follow from it. */
import { handlerErrorKind } from '../domain/handler-errors.ts'
import type { BreakerRules, Counts, Verdict } from './breaker-state.ts'
import { read } from './error-chain.ts'
import { isTransientStatus, statusOf } from './http-answer.ts'
import { judgement } from './call-predicate.ts'
import { TimeLimitError } from './timeout.ts'
import { isAbort } from './transient.ts'

export interface BreakerPolicy {
  /** This many failures in a row open it. */
  readonly failures: number
  /** Instead of `failures`; asked after each failure. */
  readonly shouldTrip: ((counts: Counts) => boolean) | null
  /** While closed, counts start anew after it; null: never. */
  readonly intervalMs: number | null
  readonly openForMs: number
  readonly probes: number
  /** True: this error is an answer, and counts as a success. Undefined leaves it to the default judgement. */
  readonly isSuccessful: ((error: unknown) => boolean | undefined) | null
  /** True: this error counts neither way. */
  readonly isExcluded: ((error: unknown) => boolean | undefined) | null
  /** By all workers of the store. */
  readonly shared: boolean
  /** Whether those who need it wait outside while it lets nothing through. Nothing to the breaker itself. */
  readonly hold: boolean
}

/** A `shouldTrip` that throws, or gives no boolean (a promise is always true), leaves it to `failures`: the guard stays on. */
export function rulesOf({
  failures,
  shouldTrip,
  intervalMs,
  openForMs,
  probes,
}: BreakerPolicy): BreakerRules {
  const plain = (counts: Counts) => counts.consecutiveFailures >= failures
  const own = (counts: Counts) => judgement(shouldTrip, counts) ?? plain(counts)
  return { shouldTrip: shouldTrip ? own : plain, intervalMs, openForMs, probes }
}

/**
 * What an error of a call says about the dependency. The handler's own judgement comes first, but an abort by the
 * attempt is nobody's. An answer is a success even when it is a refusal: a business error, a client error such as 404.
 */
export function verdictOf(thrown: unknown, policy: BreakerPolicy, signal: AbortSignal): Verdict {
  if (thrown instanceof TimeLimitError ? thrown.cutShort : signal.aborted) return 'excluded'
  if (judgement(policy.isExcluded, thrown) === true) return 'excluded'
  const successful = judgement(policy.isSuccessful, thrown)
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
      return judge(read(thrown, 'cause'))
    case null:
      return judge(thrown)
  }
}

function judge(thrown: unknown): Verdict {
  if (isAbort(thrown)) return 'excluded'
  const status = statusOf(thrown)
  return status !== null && status < 500 && status >= 400 && !isTransientStatus(status)
    ? 'success'
    : 'failure'
}
