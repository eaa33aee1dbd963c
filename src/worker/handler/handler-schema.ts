/** Checks what a handler says about itself and fills in the defaults, so that no slip turns a guard off in silence. */
import * as z from 'zod/mini'
import { defaultBackoff } from '../../domain/backoff.ts'
import { defaultRetries, limits } from '../../domain/job.ts'
import { checkType } from '../../domain/new-job.ts'
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import { check, duration, fn, isPlainObject, strict, whole, word, words } from '../../text/schema.ts'
import { backoffSchema } from './backoff-schema.ts'
import type { AnyHandler } from './define-handler.ts'
import { normaliseDependencies } from './dependency-schema.ts'
import { invalidOption } from './invalid-option.ts'
import type { LoadedHandler } from './loaded-handler.ts'
import { isStandardSchema, type StandardSchemaV1 } from './standard-schema.ts'

const minute = 60_000
const mostWords = 1_000

const shape = {
  /** Checked before the others: their errors name it. */
  type: z.string(),
  run: fn(),
  variables: z.optional(
    z.custom<StandardSchemaV1>(isStandardSchema, {
      error: 'a Standard Schema, such as one of zod 3.24 or later, valibot or arktype',
    }),
  ),
  retries: z._default(whole({ min: 1, max: limits.retries }), defaultRetries),
  backoff: z.optional(backoffSchema),
  onExhausted: z._default(word(['incident', 'dead-letter']), 'incident'),
  businessErrors: z.optional(words(mostWords)),
  timeout: z._default(duration({ min: 1, max: 24 * 60 * minute }), 5 * minute),
  concurrency: z._default(whole({ min: 1, max: 1_000 }), 10),
  maxJobsActivated: z.optional(whole({ min: 1, max: 2_000 })),
  backlogLimit: z.optional(whole({ min: 1, max: 1_000_000_000 })),
  fetchVariables: z.optional(words(mostWords)),
  /** Checked after the others: the longest timeout of a call is the handler's. */
  dependencies: z.optional(z.unknown()),
} satisfies Record<keyof AnyHandler, unknown>

const schema = strict(shape).check(
  z.check(({ value, issues }) => {
    const { concurrency, maxJobsActivated = 0 } = value
    if (maxJobsActivated <= 2 * concurrency) return
    const message = `at most twice the concurrency, which is ${concurrency}`
    issues.push({ code: 'custom', path: ['maxJobsActivated'], message, input: value })
  }),
)

export const handlerOptions: readonly string[] = Object.keys(shape)

/** Throws WfError `invalid_handler` that names the type, the key, its value and what is allowed. */
export function normaliseHandler(handler: unknown): LoadedHandler {
  if (typeof handler !== 'object' || handler === null || Array.isArray(handler))
    throw new WfError(
      'invalid_handler',
      `a handler is an object with type and run, not ${preview(handler, 60)}`,
      { hint: 'use defineHandler({ type, run })' },
    )
  const type = typeOf(handler)
  const given = check(schema, optionsOf(handler), (refusal) => invalidOption(type, refusal))
  const { timeout: timeoutMs, concurrency } = given
  // Called as a method, so that a handler which is an instance of a class finds its `this`.
  const owner = handler as AnyHandler
  return {
    type,
    run: (job, ctx) => owner.run(job, ctx),
    schema: given.variables ?? null,
    policy: {
      retries: given.retries,
      backoff: given.backoff ?? defaultBackoff,
      onExhausted: given.onExhausted,
    },
    timeoutMs,
    concurrency,
    maxJobsActivated: given.maxJobsActivated ?? concurrency,
    backlogLimit: given.backlogLimit ?? null,
    fetchVariables: given.fetchVariables ?? null,
    businessErrors: new Set(given.businessErrors),
    dependencies: normaliseDependencies(given.dependencies, { type, timeoutMs }),
  }
}

/** A plain object's every key must be an option. An instance of a class may keep what else it needs. */
function optionsOf(handler: object): object {
  const keys = isPlainObject(handler) ? Object.keys(handler) : handlerOptions
  const given: Record<string, unknown> = Object.create(null)
  for (const key of keys) {
    const value = optionOf(handler, key)
    if (value !== undefined || isPlainObject(handler)) given[key] = value
  }
  return given
}

/** The handler's own option, or that of its class, but never one from Object.prototype, whoever wrote there. */
function optionOf(handler: object, key: string): unknown {
  let holder: object | null = handler
  while (holder && holder !== Object.prototype) {
    if (Object.hasOwn(holder, key)) return (handler as Record<string, unknown>)[key]
    holder = Object.getPrototypeOf(holder)
  }
  return undefined
}

function typeOf(handler: object): string {
  try {
    return checkType(optionOf(handler, 'type'))
  } catch (error) {
    if (!(error instanceof WfError)) throw error
    throw new WfError('invalid_handler', `a handler has no usable type: ${error.message}`, {
      hint: error.hint,
      cause: error,
    })
  }
}
