/** Values whose name stands beside them, not over them: headers as a list, settings of a container, tags, fields of a form. */
import { secretName } from './secret-names.ts'

const names = new Set(['name', 'key', 'k', 'header', 'field'])
const values = new Set(['value', 'val', 'v'])

/** Of `{ "name": "apiKey", "value": … }` the secret's name; null where no member names one. */
export function secretNamedIn(object: object): string | null {
  for (const [key, name] of Object.entries(object)) {
    if (typeof name === 'string' && names.has(key.toLowerCase()) && secretName(name) !== null) return name
  }
  return null
}

/** Whether a member holds what another one names. */
export const isNamedBeside = (key: string): boolean => values.has(key.toLowerCase())

/** `[["Authorization", "…"], ["Accept", "…"]]`, as `Object.entries` makes it. A single pair is none: it may be a list of two names. */
export function areEntries(list: readonly unknown[]): list is readonly (readonly [string, unknown])[] {
  return (
    list.length > 0 &&
    list.every((item) => Array.isArray(item) && item.length === 2 && typeof item[0] === 'string')
  )
}

export interface NamedValue {
  name: string
  /** Where the value begins. */
  start: number
  /** It is the second of a pair: nothing but the end of the pair stands behind it. */
  isLast: boolean
}

const member = (words: string) => String.raw`(?:${words})\1\s{0,40}:\s{0,40}`
const text = String.raw`[^"'\\]{1,80}`
const quote = String.raw`(\\{0,7}["'])`
const comma = String.raw`\s{0,40},\s{0,40}`
const [nameWords, valueWords] = [[...names].join('|'), [...values].join('|')]

/** JSON, which may be a string in other JSON. */
const nameFirst = new RegExp(
  `${quote}${member(nameWords)}\\1(${text})\\1${comma}\\1${member(valueWords)}`,
  'gi',
)
const valueFirst = new RegExp(
  `${quote}${member(valueWords)}(?=\\1${text}\\1${comma}\\1${member(nameWords)}\\1(${text})\\1)`,
  'gi',
)
const inEntries = new RegExp(String.raw`[[,]\s{0,40}\[\s{0,40}${quote}(${text})\1${comma}`, 'g')

/** Where the same stands in text, from its beginning to its end. */
export function valuesNamedIn(shown: string): readonly NamedValue[] {
  if (!/["']/.test(shown)) return []
  return [nameFirst, valueFirst, inEntries]
    .flatMap((form) =>
      [...shown.matchAll(form)].map(
        (found): NamedValue => ({
          name: found[2] ?? '',
          start: found.index + found[0].length,
          isLast: form === inEntries,
        }),
      ),
    )
    .filter(({ name }) => secretName(name) !== null)
    .sort((a, b) => a.start - b.start)
}
