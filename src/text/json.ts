/**
 * Values into JSON text and back, for everything that is stored. A value that JSON would bend or drop without a word
 * (BigInt, NaN, Map, function, class of bytes …) is refused by its path instead. Lone surrogates and NUL are kept
 * exactly: JSON writes them as escapes, which every store can hold. Members that are undefined are dropped as JSON does.
 */
import { Buffer } from 'node:buffer'
import { WfError } from '../errors.ts'
import { encodeCarefully } from './json-encoder.ts'
import { preview } from './preview.ts'

export type JsonText =
  | { ok: true; text: string }
  /** `refusal` is a finished sentence without a full stop, such as `the result cannot be stored: $.id is a BigInt (…)`. */
  | { ok: false; path: string; refusal: string }

/** Nesting beyond this is refused, so that no reader of the text can run out of stack (SQLite's own limit is 1,000). */
export const maxJsonDepth = 500

export interface JsonLimit {
  /** Of the text in UTF-8. */
  maxBytes: number
  /** Names the value in a refusal: `the result`, `variables`. */
  what: string
  /** What the limit is called where it can be changed; in a refusal too. */
  setting?: string
}

/** Never throws. */
export function toJson(value: unknown, { maxBytes, what, setting }: JsonLimit): JsonText {
  const text = plainText(value, maxBytes)
  if (text !== null) return { ok: true, text }
  const encoded = encodeCarefully(value, {
    maxBytes,
    maxDepth: maxJsonDepth,
    ...(setting === undefined ? {} : { setting }),
  })
  if ('text' in encoded) return { ok: true, text: encoded.text }
  return {
    ok: false,
    path: encoded.path,
    refusal: `${what} cannot be stored: ${encoded.path} ${encoded.why}`,
  }
}

/** The fast road: data of nothing but plain objects, arrays, strings, finite numbers, booleans and null. Null for all else. */
function plainText(value: unknown, maxBytes: number): string | null {
  try {
    if (plainSize(value, 0, maxBytes) > maxBytes) return null
    const text = JSON.stringify(value)
    return text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes ? text : null
  } catch {
    return null
  }
}

/** At most the size of the text; infinite when the value is not plain. Also ends for circular values: they are too deep. */
function plainSize(value: unknown, depth: number, left: number): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2
    case 'number':
      return Number.isFinite(value) ? 1 : Number.POSITIVE_INFINITY
    case 'boolean':
      return 4
    case 'object':
      if (value === null) return 4
      return depth >= maxJsonDepth ? Number.POSITIVE_INFINITY : plainMembersSize(value, depth, left)
    default:
      return Number.POSITIVE_INFINITY
  }
}

function plainMembersSize(value: object, depth: number, left: number): number {
  let size = 2
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && size <= left; index++)
      size += 1 + plainSize(value[index], depth + 1, left - size)
    return 'toJSON' in value ? Number.POSITIVE_INFINITY : size
  }
  const prototype = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value)
    return Number.POSITIVE_INFINITY
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    if (member !== undefined) size += key.length + 3 + plainSize(member, depth + 1, left - size)
    if (size > left) break
  }
  return size
}

/**
 * Stored variables as an object. `__proto__` in the text stays an own member like any other. Numbers beyond 2^53 are
 * rounded by JSON.parse; the stored text keeps them. Throws WfError `invalid_job`.
 */
export function parseVariables(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable'
    throw new WfError('invalid_job', `the variables are not JSON: ${why.slice(0, 200)}`, {
      hint: 'variables are one JSON object, such as {"orderId":"o-1"}',
    })
  }
  if (!isJsonObject(value)) {
    throw new WfError('invalid_job', `the variables are ${preview(value, 60)}, not an object`, {
      hint: 'wrap them: {"value": …}',
    })
  }
  return value
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function given<T extends object>(values: { [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}

export function sameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, at) => sameJson(item, other[at]))
    )
  }
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(member(one, name), member(other, name)))
  )
}

/** `__proto__` is data like any other. */
function member(owner: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(owner, name)?.value
}
