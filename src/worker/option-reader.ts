/** Reads a handler's options, each checked; whatever is wrong ends as one WfError that names type, key, value and range. */
import { formatDuration, parseDuration } from '../domain/duration.ts'
import { WfError } from '../domain/errors.ts'
import { preview } from '../domain/preview.ts'
import { readOption } from './handler-options.ts'

export interface OptionReader {
  /** True unless the option is undefined: null is a value, and a wrong one. */
  isGiven(key: string): boolean
  whole(key: string, range: { from: number; to: number; otherwise: number }): number
  duration(key: string, range: { fromMs: number; toMs: number; otherwiseMs: number }): number
  /** A list of texts, none empty. */
  words(key: string): readonly string[]
  /** The first is the default. */
  oneOf<T extends string>(key: string, words: readonly [T, ...T[]]): T
  refusal(key: string, allowed: string): WfError
  /** What `read` gives; a WfError that it throws is named after the handler's type. */
  within<T>(read: () => T): T
}

const mostWords = 1_000

export function optionReader(handler: object, type: string): OptionReader {
  const value = (key: string) => readOption(handler, key)
  const isGiven = (key: string) => value(key) !== undefined
  const refusal = (key: string, allowed: string) =>
    new WfError('invalid_handler', `handler ${preview(type)}: ${key} is ${preview(value(key), 60)}; it must be ${allowed}`, {
      hint: `correct ${key} in the handler`,
    })
  return {
    isGiven,
    refusal,
    whole(key, { from, to, otherwise }) {
      const given = value(key)
      if (given === undefined) return otherwise
      if (!isWhole(given) || given < from || given > to) throw refusal(key, `a whole number from ${from} to ${to}`)
      return given
    },
    duration(key, { fromMs, toMs, otherwiseMs }) {
      const given = value(key)
      if (given === undefined) return otherwiseMs
      const ms = milliseconds(given)
      if (ms === null || ms < fromMs || ms > toMs) {
        throw refusal(key, `whole milliseconds or text such as "30s", from ${formatDuration(fromMs)} to ${formatDuration(toMs)}`)
      }
      return ms
    },
    words(key) {
      const given = value(key)
      const fits = Array.isArray(given) && given.length <= mostWords && given.every((word) => typeof word === 'string' && word !== '')
      if (!fits) throw refusal(key, `a list of at most ${mostWords} texts, none of them empty`)
      return [...(given as string[])]
    },
    oneOf(key, words) {
      const given = value(key)
      if (given === undefined) return words[0]
      const found = words.find((word) => word === given)
      if (found === undefined) throw refusal(key, `one of ${words.map((word) => preview(word)).join(', ')}`)
      return found
    },
    within(read) {
      try {
        return read()
      } catch (error) {
        if (!(error instanceof WfError)) throw error
        throw new WfError('invalid_handler', `handler ${preview(type)}: ${error.message}`, { hint: error.hint, cause: error })
      }
    },
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
