/**
 * What a handler may say about a dependency, checked when it is loaded: no slip turns a guard off without a word.
 * Each guard is off until it is named; within a named one every number has a default.
 */
import { formatDuration } from '../text/duration.ts'
import { WfError } from '../errors.ts'
import {
  isPlainObject,
  type OptionReader,
  optionReader,
  readOption,
  refuseUnknownKeys,
} from '../text/option-reader.ts'
import { preview } from '../text/preview.ts'
import type { BreakerPolicy } from './breaker-policy.ts'
import type { Counts } from './breaker-state.ts'
import type { BulkheadPolicy } from './bulkhead.ts'
import { longestWaitMs, type RetryPolicy } from './retry.ts'

/** Milliseconds, or text: `250ms`, `30s`, `5m`. */
type Duration = number | string

export interface DependencyOption {
  /** Of one try; 1 ms … the handler's timeout. Default: what is left of the attempt. */
  timeout?: Duration
  retry?: RetryOption
  breaker?: BreakerOption
  /** Calls at once in one process; 1 … 1,000. `wait`: how long a call stands in line; 0 … 10 s, default 1 s. */
  bulkhead?: number | { limit: number; wait?: Duration }
}

/** Transient errors only. All waits together may be 10 s at most. */
export interface RetryOption {
  /** Tries in all; 1 … 5, default 3. */
  attempts?: number
  /** Wait after the first failure; 1 ms … 10 s, default 100 ms. */
  delay?: Duration
  /** Each wait is this many times the one before; 1 … 10, default 2. */
  factor?: number
  /** Longest wait; default 2 s, or `delay` if that is more. */
  max?: Duration
  /** Each wait is drawn from ± this part of it; 0 … 1, default 0.2. */
  jitter?: number
  /** Whether another try may help; undefined leaves it to the default. */
  isTransient?: (error: unknown) => boolean | undefined
}

export interface BreakerOption {
  /** Failures in a row that open it; 1 … 1,000, default 5. */
  failures?: number
  /** Instead of `failures`: asked after each failure while closed. */
  shouldTrip?: (counts: Counts) => boolean
  /** Counts start anew after it; 1 ms … 24 h, at least twice the timeout. Default: never. */
  interval?: Duration
  /** How long it stays open before a probe; 1 ms … 24 h, default 30 s. */
  openFor?: Duration
  /** Calls let through after that, and successes in a row that close it; 1 … 100, default 1. */
  probes?: number
  /** True: the error is an answer. False: it is a failure. Undefined leaves it to the default. */
  isSuccessful?: (error: unknown) => boolean | undefined
  /** True: the error counts neither way. */
  isExcluded?: (error: unknown) => boolean | undefined
  /** By all workers of the store; default true. */
  shared?: boolean
  /** While it is open no job of the handler's type starts; default true. False where the job can do without the dependency. */
  hold?: boolean
}

/** Every number in ms; null: that guard is off. */
export interface DependencyPolicy {
  readonly timeoutMs: number | null
  readonly retry: RetryPolicy | null
  readonly breaker: BreakerPolicy | null
  readonly bulkhead: BulkheadPolicy | null
}

const longestMs = 24 * 3_600_000
const mostDependencies = 100
const defaultLineMs = 1_000
const longestLineMs = 10_000

const keysOf = {
  dependency: ['timeout', 'retry', 'breaker', 'bulkhead'] satisfies (keyof DependencyOption)[],
  retry: ['attempts', 'delay', 'factor', 'max', 'jitter', 'isTransient'] satisfies (keyof RetryOption)[],
  breaker: [
    'failures',
    'shouldTrip',
    'interval',
    'openFor',
    'probes',
    'isSuccessful',
    'isExcluded',
    'shared',
    'hold',
  ] satisfies (keyof BreakerOption)[],
  bulkhead: ['limit', 'wait'],
} as const

/**
 * A handler's `dependencies`, by name. Throws WfError `invalid_handler` that names the handler's type, the key, its value
 * and what is allowed. `timeoutMs`: the handler's own, which no call outlasts.
 */
export function normaliseDependencies(
  option: unknown,
  { type, timeoutMs }: { type: string; timeoutMs: number },
): ReadonlyMap<string, DependencyPolicy> {
  if (option === undefined) return new Map()
  if (!isPlainObject(option))
    throw refusal(type, `dependencies is ${preview(option, 60)}; it must be an object of name: { … }`)
  const names = Object.keys(option)
  if (names.length > mostDependencies)
    throw refusal(type, `dependencies names ${names.length}; at most ${mostDependencies} are allowed`)
  return new Map(
    names.map((name) => [
      checkedName(name, type),
      normaliseDependency(option[name], { type, name, timeoutMs }),
    ]),
  )
}

export function normaliseDependency(
  option: unknown,
  { type, name, timeoutMs: most }: { type: string; name: string; timeoutMs: number },
): DependencyPolicy {
  const path = `dependencies.${name}`
  if (!isPlainObject(option)) {
    throw refusal(
      type,
      `${path} is ${preview(option, 60)}; it must be an object with any of ${keysOf.dependency.join(', ')}`,
    )
  }
  const place = { type, path: `${path}.` }
  refuseUnknownKeys(option, keysOf.dependency, place)
  const read = optionReader(option, place)
  const timeoutMs = read.isGiven('timeout')
    ? read.duration('timeout', { fromMs: 1, toMs: most, otherwiseMs: most })
    : null
  return {
    timeoutMs,
    retry: retryOf(read),
    breaker: breakerOf(read, timeoutMs),
    bulkhead: bulkheadOf(option, read),
  }
}

function retryOf(dependency: OptionReader): RetryPolicy | null {
  const read = dependency.below('retry', keysOf.retry)
  if (!read) return null
  const delayMs = read.duration('delay', { fromMs: 1, toMs: longestWaitMs, otherwiseMs: 100 })
  const policy = {
    attempts: read.whole('attempts', { from: 1, to: 5, otherwise: 3 }),
    delayMs,
    factor: read.number('factor', { from: 1, to: 10, otherwise: 2 }),
    maxMs: read.duration('max', {
      fromMs: delayMs,
      toMs: longestWaitMs,
      otherwiseMs: Math.max(2_000, delayMs),
    }),
    jitter: read.number('jitter', { from: 0, to: 1, otherwise: 0.2 }),
    isTransient: judgeOf<NonNullable<RetryOption['isTransient']>>(read, 'isTransient'),
  }
  const waits = Array.from({ length: policy.attempts - 1 }, (_, index) =>
    Math.min(policy.maxMs, delayMs * policy.factor ** index),
  )
  const totalMs = waits.reduce((sum, ms) => sum + ms, 0)
  if (totalMs > longestWaitMs) {
    throw dependency.refusal(
      'retry',
      `one whose waits come to ${formatDuration(longestWaitMs)} at most, not ${formatDuration(totalMs)}`,
    )
  }
  return policy
}

function breakerOf(dependency: OptionReader, timeoutMs: number | null): BreakerPolicy | null {
  const read = dependency.below('breaker', keysOf.breaker)
  if (!read) return null
  const shouldTrip = judgeOf<NonNullable<BreakerOption['shouldTrip']>>(read, 'shouldTrip')
  if (shouldTrip && read.isGiven('failures'))
    throw read.refusal('failures', 'left out beside shouldTrip, which is asked instead')
  // What began in one interval and ends in the next is not counted: a breaker whose calls time out that slowly would never open.
  const shortestMs = Math.min(longestMs, 2 * (timeoutMs ?? 0) || 1)
  return {
    failures: read.whole('failures', { from: 1, to: 1_000, otherwise: 5 }),
    shouldTrip,
    intervalMs: read.isGiven('interval')
      ? read.duration('interval', { fromMs: shortestMs, toMs: longestMs, otherwiseMs: longestMs })
      : null,
    openForMs: read.duration('openFor', { fromMs: 1, toMs: longestMs, otherwiseMs: 30_000 }),
    probes: read.whole('probes', { from: 1, to: 100, otherwise: 1 }),
    isSuccessful: judgeOf<NonNullable<BreakerOption['isSuccessful']>>(read, 'isSuccessful'),
    isExcluded: judgeOf<NonNullable<BreakerOption['isExcluded']>>(read, 'isExcluded'),
    shared: read.oneOf('shared', [true, false]),
    hold: read.oneOf('hold', [true, false]),
  }
}

function bulkheadOf(option: object, dependency: OptionReader): BulkheadPolicy | null {
  const limit = { from: 1, to: 1_000, otherwise: 0 }
  const given = readOption(option, 'bulkhead')
  if (given === undefined) return null
  if (typeof given === 'number') return { limit: dependency.whole('bulkhead', limit), waitMs: defaultLineMs }
  const read = isPlainObject(given) ? dependency.below('bulkhead', keysOf.bulkhead) : null
  if (!read?.isGiven('limit'))
    throw dependency.refusal(
      'bulkhead',
      `a whole number from ${limit.from} to ${limit.to}, or { limit, wait }`,
    )
  return {
    limit: read.whole('limit', limit),
    waitMs: read.duration('wait', { fromMs: 0, toMs: longestLineMs, otherwiseMs: defaultLineMs }),
  }
}

/** What an async function gives is a promise, and so neither true nor false. */
function judgeOf<T extends (...args: never) => unknown>(read: OptionReader, key: string): T | null {
  const own = read.fn<T>(key)
  if (own && Object.getPrototypeOf(own) === Object.getPrototypeOf(async () => {}))
    throw read.refusal(key, 'a function that answers at once, not an async one')
  return own
}

function checkedName(name: string, type: string): string {
  if (/^[^\s\p{Cc}-](.{0,98}[^\s\p{Cc}])?$/u.test(name) && !/\p{Cc}/u.test(name)) return name
  throw refusal(
    type,
    `${preview(name, 60)} names a dependency; a name has 1 to 100 characters, no blanks around it, no dash at its beginning, no control characters`,
  )
}

function refusal(type: string, message: string): WfError {
  return new WfError('invalid_handler', `handler ${preview(type)}: ${message}`, {
    hint: 'correct dependencies in the handler',
  })
}
