/**
 * Reads what a handler says about itself, each option checked; whatever is wrong ends as one WfError `invalid_handler`
 * that names type, key, value and range, so that no slip turns a guard off without a word.
 */
import { formatDuration, parseDuration } from './duration.ts'
import { WfError } from '../errors.ts'
import { didYouMean, nearWords } from './suggest.ts'
import { preview } from './preview.ts'

export interface OptionReader {
  /** True unless the option is undefined: null is a value, and a wrong one. */
  isGiven(key: string): boolean
  whole(key: string, range: { from: number; to: number; otherwise: number }): number
  /** Fractions too, but no NaN and no Infinity. */
  number(key: string, range: { from: number; to: number; otherwise: number }): number
  duration(key: string, range: { fromMs: number; toMs: number; otherwiseMs: number }): number
  /** A list of texts, none empty. */
  words(key: string): readonly string[]
  /** The first is the default. */
  oneOf<T>(key: string, words: readonly [T, ...T[]]): T
  /** Null when it is not given. */
  fn<T extends (...args: never) => unknown>(key: string): T | null
  /** The options of a plain object below this one; null when it is not given. `keys`: the only ones it may have. */
  below(key: string, keys: readonly string[]): OptionReader | null
  refusal(key: string, allowed: string): WfError
  /** What `read` gives; a WfError that it throws is named after the handler's type. */
  within<T>(read: () => T): T
}

/** Whose options: the handler's type, and the way to them from there, such as `dependencies.stripe.`. */
export interface OptionPlace {
  type: string
  path?: string
}

const mostWords = 1_000

/** An option's value: the owner's own, or that of its class; undefined when neither has it. Never from Object.prototype, whoever wrote there. */
export function readOption(owner: object, key: string): unknown {
  for (
    let holder: object | null = owner;
    holder && holder !== Object.prototype;
    holder = Object.getPrototypeOf(holder)
  ) {
    if (Object.hasOwn(holder, key)) return (owner as Record<string, unknown>)[key]
  }
  return undefined
}

/** True for `{ … }`: neither an instance of a class nor a list. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export function refuseUnknownKeys(
  owner: object,
  keys: readonly string[],
  { type, path = '' }: OptionPlace,
): void {
  const stranger = Object.keys(owner).find((key) => !keys.includes(key))
  if (stranger === undefined) return
  const near = nearWords([stranger], keys)
  const what = path === '' ? 'a handler' : path.slice(0, -1)
  throw new WfError(
    'invalid_handler',
    `handler ${preview(type)}: ${path}${preview(stranger, 60)} is not an option`,
    {
      hint: didYouMean(near, near.length > 0 ? '' : `${what} takes ${keys.join(', ')}`),
    },
  )
}

export function optionReader(owner: object, place: OptionPlace): OptionReader {
  const { type, path = '' } = place
  const value = (key: string) => readOption(owner, key)
  const refusal = (key: string, allowed: string) =>
    refused(value(key), { type, key: `${path}${key}`, allowed })
  const within = <T>(read: () => T): T => named(type, read)
  return {
    isGiven: (key) => value(key) !== undefined,
    refusal,
    within,
    whole(key, { from, to, otherwise }) {
      const given = value(key)
      if (given === undefined) return otherwise
      if (!isWhole(given) || given < from || given > to)
        throw refusal(key, `a whole number from ${from} to ${to}`)
      return given
    },
    number(key, { from, to, otherwise }) {
      const given = value(key)
      if (given === undefined) return otherwise
      if (typeof given !== 'number' || !(given >= from && given <= to))
        throw refusal(key, `a number from ${from} to ${to}`)
      return given
    },
    duration(key, { fromMs, toMs, otherwiseMs }) {
      const given = value(key)
      if (given === undefined) return otherwiseMs
      const ms = milliseconds(given)
      if (ms === null || ms < fromMs || ms > toMs) {
        throw refusal(
          key,
          `whole milliseconds or text such as "30s", from ${formatDuration(fromMs)} to ${formatDuration(toMs)}`,
        )
      }
      return ms
    },
    words(key) {
      const given = value(key)
      const fits =
        Array.isArray(given) &&
        given.length <= mostWords &&
        given.every((word) => typeof word === 'string' && word !== '')
      if (!fits) throw refusal(key, `a list of at most ${mostWords} texts, none of them empty`)
      return [...(given as string[])]
    },
    ...forms(owner, place, refusal),
  }
}

type Refusal = OptionReader['refusal']

function forms(
  owner: object,
  { type, path = '' }: OptionPlace,
  refusal: Refusal,
): Pick<OptionReader, 'oneOf' | 'fn' | 'below'> {
  return {
    oneOf(key, words) {
      const given = readOption(owner, key)
      if (given === undefined) return words[0]
      const found = words.find((word) => word === given)
      if (found === undefined) throw refusal(key, `one of ${words.map((word) => preview(word)).join(', ')}`)
      return found
    },
    fn<T extends (...args: never) => unknown>(key: string) {
      const given = readOption(owner, key)
      if (given === undefined) return null
      if (typeof given !== 'function') throw refusal(key, 'a function')
      return given as T
    },
    below(key, keys) {
      const given = readOption(owner, key)
      if (given === undefined) return null
      if (!isPlainObject(given)) throw refusal(key, `an object with any of ${keys.join(', ')}`)
      const place = { type, path: `${path}${key}.` }
      refuseUnknownKeys(given, keys, place)
      return optionReader(given, place)
    },
  }
}

function refused(
  value: unknown,
  { type, key, allowed }: { type: string; key: string; allowed: string },
): WfError {
  return new WfError(
    'invalid_handler',
    `handler ${preview(type)}: ${key} is ${preview(value, 60)}; it must be ${allowed}`,
    {
      hint: `correct ${key} in the handler`,
    },
  )
}

function named<T>(type: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof WfError)) throw error
    throw new WfError('invalid_handler', `handler ${preview(type)}: ${error.message}`, {
      hint: error.hint,
      cause: error,
    })
  }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

/** Null when it is no duration. */
function milliseconds(value: unknown): number | null {
  if (typeof value === 'number') return isWhole(value) ? value : null
  if (typeof value !== 'string') return null
  try {
    return parseDuration(value)
  } catch {
    return null
  }
}
