/**
 * Building blocks of schemas for settings and handler options, and the refusal that names what is wrong with a value.
 * Takes a few ms to load: import it, and each schema, only where there is something to validate.
 */
import * as z from 'zod/mini'
import { formatBytes, parseBytes } from './bytes.ts'
import { formatDuration, parseDuration } from './duration.ts'
import { attempt as tryOr, preview } from './preview.ts'
import { didYouMean, nearWords } from './suggest.ts'

export type Schema<T> = z.ZodMiniType<T>

/** Both ends are allowed. */
export interface Range {
  readonly min: number
  readonly max: number
}

export interface Refusal {
  /** Keys that lead to the value; empty for the whole. */
  path: readonly PropertyKey[]
  /** `is 6; it must be a whole number from 1 to 5`, or `is not an option` of the key `unknown`. */
  problem: string
  /** The key that the schema doesn't know. */
  unknown: string | null
  hint: string | null
}

/** Returns the validated value, or throws what `refuse` makes of the first thing that is wrong. */
export function check<T>(schema: Schema<T>, value: unknown, refuse: (refusal: Refusal) => Error): T {
  // A compiled validator pays off only when it runs often.
  const { success, data, error } = z.safeParse(schema, value, { jitless: true })
  if (success) return data
  throw refuse(refusalOf(error.issues[0], value))
}

function refusalOf(issue: z.core.$ZodIssue | undefined, value: unknown): Refusal {
  if (!issue) return { path: [], problem: 'is refused', unknown: null, hint: null }
  if (issue.code === 'unrecognized_keys')
    return {
      path: issue.path,
      problem: 'is not an option',
      unknown: issue.keys[0] ?? '',
      hint: issue.message,
    }
  const inner =
    issue.code === 'invalid_union' ? issue.errors.flat().find(({ path }) => path.length > 0) : null
  // A value of the right kind for one member of a union is judged by that member.
  if (inner) return refusalOf({ ...inner, path: [...issue.path, ...inner.path] }, value)
  const found = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], value)
  const problem = `is ${preview(found, 60)}; it must be ${issue.message}`
  return { path: issue.path, problem, unknown: null, hint: null }
}

/** `dependencies.stripe.retry`, `backoff.delays[1]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('')
}

export function whole({ min, max }: Range) {
  const error = `a whole number from ${min} to ${max}`
  return z.int({ error }).check(z.gte(min, { error }), z.lte(max, { error }))
}

/** Fractions too. */
export function number({ min, max }: Range) {
  const error = `a number from ${min} to ${max}`
  return z.number({ error }).check(z.gte(min, { error }), z.lte(max, { error }))
}

/** Ms from a number or a text such as `30s`. `isRounded`: fractions of a ms are rounded instead of refused. */
export function duration({ min, max }: Range, { isRounded = false } = {}) {
  const error = `whole milliseconds or text such as "30s", from ${formatDuration(min)} to ${formatDuration(max)}`
  const read = (value: number | string) =>
    typeof value === 'number' && !isRounded ? value : tryOr(() => parseDuration(value), Number.NaN)
  return amount(read, { error, min, max })
}

/** Bytes from a number or a text such as `256KiB`. */
export function size({ min, max }: Range) {
  const error = `a size such as 4096, 256KiB or 1MiB, from ${formatBytes(min)} to ${formatBytes(max)}`
  return amount((value) => tryOr(() => parseBytes(value), Number.NaN), { error, min, max })
}

function amount(read: (value: number | string) => number, { error, min, max }: Range & { error: string }) {
  const given = z.pipe(z.union([z.number(), z.string()], { error }), z.transform(read))
  return z.pipe(given, z.int({ error }).check(z.gte(min, { error }), z.lte(max, { error })))
}

/** One of the words. */
export function word<const W extends readonly string[]>(words: W) {
  return z.enum(words, { error: `one of ${words.map((each) => preview(each)).join(', ')}` })
}

export function bool() {
  return z.boolean({ error: 'true or false' })
}

export function words(most: number) {
  const list = `a list of at most ${most} texts`
  const text = 'a text that is not empty'
  return z
    .array(z.string({ error: text }).check(z.minLength(1, { error: text })), { error: list })
    .check(z.maxLength(most, { error: list }))
}

/** A text that is more than blanks. */
export function text(error: string) {
  return z.string({ error }).check(z.refine((value) => value.trim() !== '', { error }))
}

export function fn<T extends (...args: never) => unknown>() {
  return z.custom<T>((value) => typeof value === 'function', { error: 'a function' })
}

/** A plain object with these options and no others. Members of Object.prototype are no options, whoever put them there. */
export function options<const S extends z.core.$ZodLooseShape>(
  shape: S,
  allowed = `an object with any of ${Object.keys(shape).join(', ')}`,
) {
  return z.pipe(ownMembers(allowed), strict(shape))
}

/** The members of a plain object. `allowed` names what a value must be. */
export function ownMembers(allowed: string) {
  return z.pipe(
    z.custom<object>(isPlainObject, { error: allowed }),
    z.transform((given): Record<string, unknown> => Object.assign(Object.create(null), given)),
  )
}

/** An object of which each key is known; the refusal of another one suggests what was meant. */
export function strict<const S extends z.core.$ZodLooseShape>(shape: S) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? didYouMean(nearWords(issue.keys.slice(0, 1), known)) || `the options are ${known.join(', ')}`
        : undefined,
  })
}

/** True for `{ … }`: neither an instance of a class nor a list. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
