/** The `dependencies` option of a handler. Each guard is off until it is named; within a named one every number has a default. */
import * as z from 'zod/mini'
import type { BreakerOption, DependencyPolicy, RetryOption } from '../../resilience/dependency-policy.ts'
import { longestWaitMs } from '../../resilience/retry.ts'
import { formatDuration } from '../../text/duration.ts'
import { preview } from '../../text/preview.ts'
import {
  bool,
  check,
  duration,
  fn,
  number,
  options,
  ownMembers,
  type Schema,
  whole,
} from '../../text/schema.ts'
import { invalidOption } from './invalid-option.ts'

const longestMs = 24 * 3_600_000
const mostDependencies = 100
const defaultBulkheadWaitMs = 1_000

/** An async function returns a promise, which is neither true nor false. */
function predicate<T extends (...args: never) => unknown>() {
  const isSync = (value: unknown) => Object.getPrototypeOf(value) !== Object.getPrototypeOf(async () => {})
  const error = 'a function that answers at once, not an async one'
  return orNull(fn<T>().check(z.refine(isSync, { error })))
}

function orNull<T>(schema: Schema<T>) {
  return z.pipe(
    z.optional(schema),
    z.transform((value): T | null => value ?? null),
  )
}

const retrySchema = z.pipe(
  options({
    attempts: z._default(whole({ min: 1, max: 5 }), 3),
    delay: z._default(duration({ min: 1, max: longestWaitMs }), 100),
    factor: z._default(number({ min: 1, max: 10 }), 2),
    max: z.optional(duration({ min: 1, max: longestWaitMs })),
    jitter: z._default(number({ min: 0, max: 1 }), 0.2),
    isTransient: predicate<NonNullable<RetryOption['isTransient']>>(),
  }),
  z.transform(({ delay: delayMs, max, ...given }, { issues, value }) => {
    const refuse = (message: string, ...path: string[]) =>
      issues.push({ code: 'custom', path, message, input: value })
    const maxMs = max ?? Math.max(2_000, delayMs)
    const waits = Array.from({ length: given.attempts - 1 }, (_, index) =>
      Math.min(maxMs, delayMs * given.factor ** index),
    )
    const totalMs = waits.reduce((sum, ms) => sum + ms, 0)
    if (maxMs < delayMs) refuse(`at least the delay, which is ${formatDuration(delayMs)}`, 'max')
    else if (totalMs > longestWaitMs)
      refuse(
        `one whose waits come to ${formatDuration(longestWaitMs)} at most, not ${formatDuration(totalMs)}`,
      )
    return { ...given, delayMs, maxMs }
  }),
)

const breakerSchema = z.pipe(
  options({
    failures: z.optional(whole({ min: 1, max: 1_000 })),
    shouldTrip: predicate<NonNullable<BreakerOption['shouldTrip']>>(),
    interval: orNull(duration({ min: 1, max: longestMs })),
    openFor: z._default(duration({ min: 1, max: longestMs }), 30_000),
    probes: z._default(whole({ min: 1, max: 100 }), 1),
    isSuccessful: predicate<NonNullable<BreakerOption['isSuccessful']>>(),
    isExcluded: predicate<NonNullable<BreakerOption['isExcluded']>>(),
    shared: z._default(bool(), true),
    hold: z._default(bool(), true),
  }),
  z.transform(({ failures, interval: intervalMs, openFor: openForMs, ...given }, { issues, value }) => {
    if (given.shouldTrip && failures !== undefined) {
      const message = 'left out beside shouldTrip, which decides instead'
      issues.push({ code: 'custom', path: ['failures'], message, input: value })
    }
    return { ...given, failures: failures ?? 5, intervalMs, openForMs }
  }),
)

const nameForm = /^[^\s\p{Cc}-](?:[^\p{Cc}]{0,98}[^\s\p{Cc}])?$/u

const dependencyNames = ownMembers('an object of name: { … }').check(
  z.refine((named) => Object.keys(named).length <= mostDependencies, {
    error: `an object of at most ${mostDependencies} dependencies`,
  }),
  z.refine((named) => Object.keys(named).every((name) => nameForm.test(name)), {
    error: (issue) =>
      `an object of dependencies whose names have 1 to 100 characters, no blanks around them, no dash at the beginning and no control characters; ${preview(
        Object.keys(issue.input as object).find((name) => !nameForm.test(name)),
        60,
      )} is no such name`,
  }),
)

const limit = whole({ min: 1, max: 1_000 })
const bulkheadSchema = z.pipe(
  z.union(
    [limit, options({ limit, wait: z._default(duration({ min: 0, max: 10_000 }), defaultBulkheadWaitMs) })],
    { error: 'a whole number from 1 to 1000, or { limit, wait }' },
  ),
  z.transform((given) =>
    typeof given === 'number'
      ? { limit: given, waitMs: defaultBulkheadWaitMs }
      : { limit: given.limit, waitMs: given.wait },
  ),
)

/** `timeoutMs`: the handler's own, which no call outlasts. */
function dependencySchema(timeoutMs: number) {
  return z.pipe(
    options({
      timeout: orNull(duration({ min: 1, max: timeoutMs })),
      retry: orNull(retrySchema),
      breaker: orNull(breakerSchema),
      bulkhead: orNull(bulkheadSchema),
    }),
    z.transform(({ timeout, ...guards }, { issues, value }): DependencyPolicy => {
      // A call that begins in one interval and ends in the next isn't counted: with a shorter interval a breaker whose
      // calls time out would never open.
      const shortestMs = Math.min(longestMs, 2 * (timeout ?? 0))
      const intervalMs = guards.breaker?.intervalMs
      if (intervalMs && intervalMs < shortestMs) {
        const range = `from ${formatDuration(shortestMs)} to ${formatDuration(longestMs)}`
        const message = `at least twice the timeout: ${range}`
        issues.push({ code: 'custom', path: ['breaker', 'interval'], message, input: value })
      }
      return { timeoutMs: timeout, ...guards }
    }),
  )
}

/**
 * Returns a handler's `dependencies` by name. Throws WfError `invalid_handler` that names the handler's type, the key, its
 * value and what is allowed. `timeoutMs`: the handler's own, which no call outlasts.
 */
export function normaliseDependencies(
  option: unknown,
  { type, timeoutMs }: { type: string; timeoutMs: number },
): ReadonlyMap<string, DependencyPolicy> {
  if (option === undefined) return new Map()
  const named = check(dependencyNames, option, (refusal) => invalidOption(type, refusal, ['dependencies']))
  const schema = dependencySchema(timeoutMs)
  return new Map(
    Object.keys(named).map((name) => [
      name,
      check(schema, named[name], (refusal) => invalidOption(type, refusal, ['dependencies', name])),
    ]),
  )
}
