/** A handler as the worker uses it: every option checked (handler-schema.ts), every default filled in, ms everywhere. */
import type { Policy } from '../../domain/outcome.ts'
import type { DependencyPolicy } from '../../resilience/dependency-policy.ts'
import type { TypeDeclaration } from '../../store/views.ts'
import type { ActivatedJob, HandlerContext } from './define-handler.ts'
import type { StandardSchemaV1 } from './standard-schema.ts'

export interface LoadedHandler {
  readonly type: string
  readonly run: (job: ActivatedJob<unknown>, ctx: HandlerContext) => unknown
  /** Null: variables are passed on unchecked. */
  readonly schema: StandardSchemaV1 | null
  readonly policy: Policy
  /** Of one attempt, from the handler's start. */
  readonly timeoutMs: number
  /** Running at once in one process. */
  readonly concurrency: number
  /** Claimed at once; `concurrency` … 2 × it, or less. */
  readonly maxJobsActivated: number
  /** Null: no limit. */
  readonly backlogLimit: number | null
  /** Null: all variables. */
  readonly fetchVariables: readonly string[] | null
  readonly businessErrors: ReadonlySet<string>
  readonly dependencies: ReadonlyMap<string, DependencyPolicy>
}

/** Returns what the worker declares in the store about a type that it handles. */
export function declarationOf(loaded: LoadedHandler): TypeDeclaration {
  const { type, timeoutMs, concurrency, policy, backlogLimit, dependencies } = loaded
  const breakers = [...dependencies]
    .filter(([, { breaker }]) => breaker?.shared && breaker.hold)
    .map(([name]) => name)
  const declared = {
    type,
    timeoutMs,
    concurrency,
    retries: policy.retries,
    backlogLimit,
    onExhausted: policy.onExhausted,
  }
  return breakers.length > 0 ? { ...declared, breakers } : declared
}
