/**
 * What a throw means. Only an error that says so itself has a meaning of its own (handler-errors.ts). Everything else,
 * a TypeError and an AbortError of the handler's own making included, is a failure and is retried: an error of the
 * program cannot be told from a network's (`fetch` throws a TypeError when the connection fails), and a fault that
 * stays ends in an incident after the last retry anyway. A handler that knows better throws IncidentError.
 * A throw after an abort by wf is judged by the abort's reason, before this is asked.
 */
import { errorRecord } from './error-record.ts'
import { attempt } from '../text/preview.ts'
import {
  type BusinessError,
  type DeferError,
  deferUntil,
  handlerErrorKind,
  type RetryError,
} from './handler-errors.ts'
import type { Outcome } from './outcome.ts'

/** Never throws. `businessErrors` are the codes that the handler declares. */
export function outcomeOfThrow(
  thrown: unknown,
  { now, businessErrors }: { now: number; businessErrors: ReadonlySet<string> },
): Outcome {
  try {
    return (
      meaning(thrown, { now, businessErrors }) ?? {
        kind: 'fail',
        error: errorRecord(thrown),
        category: 'error',
      }
    )
  } catch (error) {
    // A handler error that is broken itself: one failure that says so, never a lost job.
    return { kind: 'fail', error: errorRecord(error), category: 'error' }
  }
}

function meaning(
  thrown: unknown,
  { now, businessErrors }: { now: number; businessErrors: ReadonlySet<string> },
): Outcome | null {
  switch (handlerErrorKind(thrown)) {
    case null:
      return null
    case 'business': {
      const code = String((thrown as BusinessError).code)
      const error = errorRecord(thrown)
      return {
        kind: 'business_error',
        code,
        message: error.message,
        declared: businessErrors.has(code),
        error,
      }
    }
    case 'defer':
      return {
        kind: 'defer',
        until: deferUntil(thrown as DeferError, now),
        reason: errorRecord(thrown).message,
        by: 'handler',
      }
    case 'retry':
      return retried(thrown as RetryError)
    case 'incident':
      return { kind: 'incident', incident: 'raised', error: errorRecord(thrown) }
    case 'non_retryable':
      return { kind: 'incident', incident: 'non_retryable', error: errorRecord(thrown) }
    case 'poison':
      return { kind: 'poison', error: errorRecord(thrown) }
  }
}

/** The cause is what failed; the RetryError around it only carries the delay. */
function retried(thrown: RetryError): Outcome {
  const isError = attempt(() => thrown.cause instanceof Error, false)
  const failed: Outcome = {
    kind: 'fail',
    error: errorRecord(isError ? thrown.cause : thrown),
    category: 'error',
  }
  return typeof thrown.delayMs === 'number' ? { ...failed, delayMs: thrown.delayMs } : failed
}
