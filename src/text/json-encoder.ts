/**
 * The careful road to JSON text: every value is read once, every oddity is named by its path. A text that is too big is
 * not kept, only counted, and not even that when it is far too big. Slower than JSON.stringify; taken only where the fast
 * road gave up.
 */
import { Buffer } from 'node:buffer'
import { countedBytes } from './bytes.ts'
import { attempt, className, preview } from './preview.ts'

export type Encoded = { text: string } | Refused

export interface Refused {
  /** `$.customer.tags[3]` */
  path: string
  /** What is wrong there, as the end of a sentence that begins with the path. */
  why: string
}

export interface EncoderLimits {
  maxBytes: number
  maxDepth: number
  /** What the limit is called where it can be changed. */
  setting?: string
}

/** A text that is larger by more than this is not measured: that would take long, and say no more. */
const measuredTimes = 4

/** Thrown inside this file only. */
class Refusal extends Error {
  readonly why: string
  constructor(why: string) {
    super(why)
    this.why = why
  }
}

interface Encoding {
  limits: EncoderLimits
  pieces: string[]
  bytes: number
  /** Keys and indexes from the root to where the encoder stands. */
  path: (string | number)[]
  /** The objects on that path. */
  ancestors: object[]
}

export function encodeCarefully(value: unknown, limits: EncoderLimits): Encoded {
  const encoding: Encoding = { limits, pieces: [], bytes: 0, path: [], ancestors: [] }
  try {
    const plain = converted(value, '')
    if (plain === undefined) throw new Refusal('is undefined')
    encode(encoding, plain)
    if (encoding.bytes > limits.maxBytes) tooBig(encoding, countedBytes(encoding.bytes))
    return { text: encoding.pieces.join('') }
  } catch (error) {
    if (error instanceof Refusal) return { path: pathText(encoding.path), why: error.why }
    return {
      path: pathText(encoding.path),
      why: `could not be read: ${attempt(() => String(error).slice(0, 200), 'its getter throws')}`,
    }
  }
}

function write(encoding: Encoding, piece: string): void {
  encoding.bytes += piece.length * 3 <= 24 ? piece.length : Buffer.byteLength(piece)
  if (encoding.bytes <= encoding.limits.maxBytes) encoding.pieces.push(piece)
  else encoding.pieces.length = 0
  if (encoding.bytes > mostMeasured(encoding))
    tooBig(encoding, `more than ${countedBytes(mostMeasured(encoding))}`)
}

const mostMeasured = ({ limits: { maxBytes } }: Encoding) => maxBytes * measuredTimes

function tooBig(encoding: Encoding, size: string): never {
  const { maxBytes, setting } = encoding.limits
  encoding.path.length = 0
  const limit =
    setting === undefined
      ? `more than ${countedBytes(maxBytes)}`
      : `and ${setting} allows ${countedBytes(maxBytes)}`
  throw new Refusal(`has ${size} of JSON, ${limit}; keep the data elsewhere and store its address`)
}

/** `value` has been through `converted`. */
function encode(encoding: Encoding, value: unknown): void {
  if (typeof value === 'object' && value !== null) encodeObject(encoding, value)
  else write(encoding, scalar(value, mostMeasured(encoding)))
}

function scalar(value: unknown, mostBytes: number): string {
  switch (typeof value) {
    case 'string':
      // Quoting a huge string only to refuse it would double it.
      return value.length > mostBytes ? value : JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new Refusal(`is ${value}, which JSON does not know; use null`)
      return JSON.stringify(value)
    case 'boolean':
    case 'object':
      return String(value)
    default:
      throw new Refusal(strangers[typeof value as keyof typeof strangers])
  }
}

const strangers = {
  bigint: 'is a BigInt, which JSON does not know; make it a string',
  function: 'is a function',
  symbol: 'is a symbol',
  undefined: 'is undefined',
} as const

function encodeObject(encoding: Encoding, value: object): void {
  const above = encoding.ancestors.indexOf(value)
  if (above >= 0)
    throw new Refusal(`is circular: it is the same object as ${pathText(encoding.path.slice(0, above))}`)
  if (encoding.ancestors.length >= encoding.limits.maxDepth)
    throw new Refusal(`lies deeper than ${encoding.limits.maxDepth} levels`)
  encoding.ancestors.push(value)
  if (Array.isArray(value)) encodeItems(encoding, value)
  else encodeMembers(encoding, value)
  encoding.ancestors.pop()
}

function encodeItems(encoding: Encoding, items: readonly unknown[]): void {
  write(encoding, '[')
  for (let index = 0; index < items.length; index++) {
    if (index > 0) write(encoding, ',')
    encoding.path.push(index)
    // As JSON does: an array keeps its length, so a gap becomes null.
    encode(encoding, converted(items[index], String(index)) ?? null)
    encoding.path.pop()
  }
  write(encoding, ']')
}

function encodeMembers(encoding: Encoding, value: object): void {
  write(encoding, '{')
  let first = true
  for (const key of Object.keys(value)) {
    encoding.path.push(key)
    const member = converted((value as Record<string, unknown>)[key], key)
    if (member !== undefined) {
      if (key.length > mostMeasured(encoding)) write(encoding, key)
      write(encoding, `${first ? '' : ','}${JSON.stringify(key)}:`)
      encode(encoding, member)
      first = false
    }
    encoding.path.pop()
  }
  write(encoding, '}')
}

/** What JSON makes of a value before it looks at its members: toJSON is asked, boxes are opened; what would lose its content is refused. */
function converted(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  const lossy = lossyKind(value)
  if (lossy) throw new Refusal(lossy)
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') {
    const made: unknown = toJSON.call(value, key)
    const madeLossy = typeof made === 'object' && made !== null ? lossyKind(made) : null
    if (madeLossy) throw new Refusal(madeLossy)
    return made
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf()
  return value
}

function lossyKind(value: object): string | null {
  if (Buffer.isBuffer(value)) return "is a Buffer; store value.toString('base64')"
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return `is a ${className(value)}; store it as base64 text or as a plain array`
  }
  if (value instanceof Map) return 'is a Map, which JSON would empty; use Object.fromEntries(map)'
  if (value instanceof Set) return 'is a Set, which JSON would empty; use [...set]'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'is an invalid Date' : null
  if (value instanceof Promise) return 'is a Promise: an await is missing'
  if (value instanceof Error && typeof (value as { toJSON?: unknown }).toJSON !== 'function')
    return `is an Error (${preview(value.message, 80)}); store its message`
  if (value instanceof RegExp || value instanceof WeakMap || value instanceof WeakSet)
    return `is a ${className(value)}, which JSON would empty`
  return null
}

const longestKey = 60

/** `$.customer.tags[3]`; odd keys in brackets and quotes, long paths without their middle. */
function pathText(path: readonly (string | number)[]): string {
  const steps =
    path.length > 12
      ? [...path.slice(0, 6).map(step), `…(${path.length - 12} more)…`, ...path.slice(-6).map(step)]
      : path.map(step)
  return `$${steps.join('')}`
}

function step(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  const short = key.length > longestKey ? `${key.slice(0, longestKey)}…` : key
  return /^[A-Za-z_$][\w$]*$/.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`
}
