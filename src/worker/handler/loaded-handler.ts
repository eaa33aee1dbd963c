/**
 * A handler as the worker uses it: every option checked, every default filled in, ms everywhere. Owns what a handler
 * may say; knows nothing of files and modules (load-handlers.ts), nor of running it (executor.ts).
 */
import { normaliseBackoff, type BackoffOption } from '../../domain/backoff.ts'
import { WfError } from '../../errors.ts'
import { defaultRetries, limits } from '../../domain/job.ts'
import type { Policy } from '../../domain/outcome.ts'
import { checkType } from '../../domain/new-job.ts'
import { optionReader, type OptionReader, readOption } from '../../text/option-reader.ts'
import { preview } from '../../text/preview.ts'
import { type DependencyPolicy, normaliseDependencies } from '../../resilience/dependency-policy.ts'
import type { ActivatedJob, Handler, HandlerContext } from './define-handler.ts'
import { refuseUnknownOptions } from './handler-options.ts'
import { isStandardSchema, type StandardSchemaV1 } from './standard-schema.ts'
import type { TypeDeclaration } from '../../store/views.ts'

export interface LoadedHandler {
  readonly type: string
  readonly run: (job: ActivatedJob<unknown>, ctx: HandlerContext) => unknown
  /** Null: variables are given as they are. */
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

const defaultTimeoutMs = 5 * 60_000
const longestTimeoutMs = 24 * 60 * 60_000
const defaultConcurrency = 10

/** Throws WfError `invalid_handler` that names the type, the key, its value and what is allowed. */
export function normaliseHandler(handler: unknown): LoadedHandler {
  if (typeof handler !== 'object' || handler === null || Array.isArray(handler)) {
    throw new WfError(
      'invalid_handler',
      `a handler is an object with type and run, not ${preview(handler, 60)}`,
      {
        hint: 'use defineHandler({ type, run })',
      },
    )
  }
  const type = typeOf(handler)
  refuseUnknownOptions(handler, type)
  const read = optionReader(handler, { type })
  const timeoutMs = read.duration('timeout', {
    fromMs: 1,
    toMs: longestTimeoutMs,
    otherwiseMs: defaultTimeoutMs,
  })
  const concurrency = read.whole('concurrency', { from: 1, to: 1_000, otherwise: defaultConcurrency })
  return {
    type,
    run: runOf(handler, type),
    schema: schemaOf(handler, read),
    policy: policyOf(handler, read),
    timeoutMs,
    concurrency,
    maxJobsActivated: activatedOf(read, concurrency),
    backlogLimit: read.isGiven('backlogLimit')
      ? read.whole('backlogLimit', { from: 1, to: 1_000_000_000, otherwise: 1 })
      : null,
    fetchVariables: read.isGiven('fetchVariables') ? read.words('fetchVariables') : null,
    businessErrors: new Set(read.isGiven('businessErrors') ? read.words('businessErrors') : []),
    dependencies: normaliseDependencies(readOption(handler, 'dependencies'), { type, timeoutMs }),
  }
}

/** What the worker tells the store about a type it handles. */
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

function typeOf(handler: object): string {
  try {
    return checkType(readOption(handler, 'type'))
  } catch (error) {
    if (!(error instanceof WfError)) throw error
    throw new WfError('invalid_handler', `a handler has no usable type: ${error.message}`, {
      hint: error.hint,
      cause: error,
    })
  }
}

function runOf(handler: object, type: string): LoadedHandler['run'] {
  const run = readOption(handler, 'run')
  if (typeof run !== 'function') {
    throw new WfError(
      'invalid_handler',
      `handler ${preview(type)}: run is ${preview(run, 60)}; it must be a function`,
      {
        hint: 'write async run(job, ctx) { … } in the handler',
      },
    )
  }
  // Called as a method, so that a handler which is an instance of a class finds its `this`.
  const owner = handler as Handler<unknown>
  return (job, ctx) => owner.run(job, ctx)
}

function schemaOf(handler: object, read: OptionReader): StandardSchemaV1 | null {
  if (!read.isGiven('variables')) return null
  const schema = readOption(handler, 'variables')
  if (!isStandardSchema(schema))
    throw read.refusal('variables', 'a Standard Schema, such as one of zod 3.24 or later, valibot or arktype')
  return schema
}

function policyOf(handler: object, read: OptionReader): Policy {
  return {
    retries: read.whole('retries', { from: 1, to: limits.retries, otherwise: defaultRetries }),
    backoff: read.within(() => normaliseBackoff(readOption(handler, 'backoff') as BackoffOption | undefined)),
    onExhausted: read.oneOf('onExhausted', ['incident', 'dead-letter'] as const),
  }
}

function activatedOf(read: OptionReader, concurrency: number): number {
  const activated = read.whole('maxJobsActivated', { from: 1, to: 2_000, otherwise: concurrency })
  if (activated > 2 * concurrency)
    throw read.refusal('maxJobsActivated', `at most twice the concurrency, which is ${concurrency}`)
  return activated
}
