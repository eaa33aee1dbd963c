/** How long a job waits after a failure: the strategies, what a handler may write for them, and the delay itself. */
import { maxDurationMs, parseDuration } from '../text/duration.ts'
import { WfError } from '../errors.ts'
import { preview } from '../text/preview.ts'

/** Delay after a failure. */
export type Backoff =
  | { strategy: 'exponential'; baseMs: number; factor: number; maxMs: number; jitter: number }
  | { strategy: 'quadratic'; baseMs: number; maxMs: number; jitter: number }
  | { strategy: 'list'; delaysMs: readonly number[]; maxMs: number; jitter: number }
  | { strategy: 'fixed'; delayMs: number; maxMs: number; jitter: number }

/** What a handler may write: durations as ms or text, everything but the strategy's own numbers optional. */
export type BackoffOption =
  | {
      strategy: 'exponential'
      base?: number | string
      factor?: number
      max?: number | string
      jitter?: number
    }
  | { strategy: 'quadratic'; base?: number | string; max?: number | string; jitter?: number }
  | { strategy: 'list'; delays: readonly (number | string)[]; max?: number | string; jitter?: number }
  | { strategy: 'fixed'; delay: number | string; max?: number | string; jitter?: number }

export const defaultBackoff: Backoff = {
  strategy: 'exponential',
  baseMs: 1_000,
  factor: 2,
  maxMs: 300_000,
  jitter: 0.2,
}

const keysOf: Readonly<Record<Backoff['strategy'], readonly string[]>> = {
  exponential: ['base', 'factor', 'max', 'jitter'],
  quadratic: ['base', 'max', 'jitter'],
  list: ['delays', 'max', 'jitter'],
  fixed: ['delay', 'max', 'jitter'],
}
const strategies = Object.keys(keysOf)
const longestList = 100

/**
 * Every number checked, every default filled in: exponential, base 1 s (above 0: a zero base would burn all retries
 * at once), factor 2 (1 … 100), jitter 0.2 (0 … 1), max 5 min, or the longest delay that is named, if that is more.
 * Delays of 0 are for `fixed` and `list`, where someone has written them on purpose.
 * Throws WfError `invalid_handler` that names key, value and allowed range.
 */
export function normaliseBackoff(option?: BackoffOption): Backoff {
  if (option === undefined) return defaultBackoff
  if (option === null || typeof option !== 'object' || Array.isArray(option))
    throw refusal('backoff', option, 'an object with a strategy')
  if (!strategies.includes(option.strategy))
    throw refusal('backoff.strategy', option.strategy, `one of ${strategies.join(', ')}`)
  const allowed = keysOf[option.strategy]
  const stranger = Object.keys(option).find((key) => key !== 'strategy' && !allowed.includes(key))
  if (stranger !== undefined)
    throw new WfError('invalid_handler', `backoff.${stranger} is not an option of ${option.strategy}`, {
      hint: `it takes ${allowed.join(', ')}`,
    })
  const jitter = fraction('backoff.jitter', option.jitter)
  switch (option.strategy) {
    case 'exponential': {
      const baseMs = base(option.base)
      return {
        strategy: 'exponential',
        baseMs,
        factor: factor(option.factor),
        maxMs: max(option.max, baseMs),
        jitter,
      }
    }
    case 'quadratic': {
      const baseMs = base(option.base)
      return { strategy: 'quadratic', baseMs, maxMs: max(option.max, baseMs), jitter }
    }
    case 'list': {
      const delaysMs = delays(option.delays)
      return { strategy: 'list', delaysMs, maxMs: max(option.max, Math.max(...delaysMs)), jitter }
    }
    case 'fixed': {
      const delayMs = duration('backoff.delay', option.delay)
      return { strategy: 'fixed', delayMs, maxMs: max(option.max, delayMs), jitter }
    }
  }
}

/**
 * Ms to wait after the `failures`th failure (from 1): whole, finite, 0 … maxMs, and before jitter never shorter than
 * after the failure before. Jitter spreads evenly over delay × (1 ± jitter); where that would pass maxMs it spreads
 * below maxMs, so that jobs at the cap do not come back together. `random` gives numbers in [0, 1).
 */
export function backoffDelayMs(backoff: Backoff, failures: number, random: () => number): number {
  const delay = Math.round(Math.min(plainDelay(backoff, Math.max(1, failures)), backoff.maxMs))
  const low = Math.ceil(delay * (1 - backoff.jitter))
  const high = Math.min(Math.floor(delay * (1 + backoff.jitter)), backoff.maxMs)
  if (low >= high) return delay
  return low + Math.floor(random() * (high - low + 1))
}

function plainDelay(backoff: Backoff, failures: number): number {
  switch (backoff.strategy) {
    case 'exponential':
      return backoff.baseMs * backoff.factor ** (failures - 1)
    case 'quadratic':
      return backoff.baseMs * failures ** 2
    case 'list':
      return backoff.delaysMs[Math.min(failures, backoff.delaysMs.length) - 1] ?? 0
    case 'fixed':
      return backoff.delayMs
  }
}

function duration(key: string, value: number | string): number {
  try {
    return parseDuration(value, key)
  } catch (error) {
    if (!(error instanceof WfError)) throw error
    throw new WfError('invalid_handler', error.message, { hint: error.hint })
  }
}

function base(value: number | string | undefined): number {
  const ms = value === undefined ? 1_000 : duration('backoff.base', value)
  if (ms < 1)
    throw refusal(
      'backoff.base',
      value,
      'more than 0; for no delay at all write { strategy: "fixed", delay: 0 }',
    )
  return ms
}

function max(value: number | string | undefined, longest: number): number {
  if (value === undefined) return Math.min(Math.max(300_000, longest), maxDurationMs)
  const ms = duration('backoff.max', value)
  if (ms < longest)
    throw refusal('backoff.max', value, `at least the longest delay that is named, ${longest} ms`)
  return ms
}

function factor(value: number | undefined): number {
  if (value === undefined) return 2
  if (typeof value !== 'number' || !(value >= 1 && value <= 100))
    throw refusal('backoff.factor', value, 'a number from 1 to 100')
  return value
}

function fraction(key: string, value: number | undefined): number {
  if (value === undefined) return 0.2
  if (typeof value !== 'number' || !(value >= 0 && value <= 1))
    throw refusal(key, value, 'a number from 0 to 1')
  return value
}

function delays(value: readonly (number | string)[]): number[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > longestList)
    throw refusal('backoff.delays', value, `a list of 1 to ${longestList} durations`)
  return value.map((delay, index) => duration(`backoff.delays[${index}]`, delay))
}

function refusal(key: string, value: unknown, allowed: string): WfError {
  return new WfError('invalid_handler', `${key} is ${preview(value, 60)}; it must be ${allowed}`, {
    hint: `correct ${key} in the handler`,
  })
}
