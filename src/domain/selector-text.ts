/** Selectors as one line of text: the flags and keys of a command line. */
import { errorMatchText } from './error-match.ts'
import { WfError } from '../errors.ts'
import { didYouMean, nearWords } from '../text/suggest.ts'
import { preview } from '../text/preview.ts'
import {
  listFields,
  listText,
  readKind,
  refusedField,
  selectorOfWords,
  selectorReaders,
  type SelectorField,
  type SelectorWords,
} from './selector-fields.ts'
import { parseKey, parseKeys, type Selector, type SelectorList, type WhereCondition } from './selector.ts'
import { quoted, shellWords } from '../text/shell-words.ts'
import { whereParts } from './where.ts'

/** Names of the fields, as flags without their dashes. */
const selectorFieldNames = Object.keys(selectorReaders) as readonly SelectorField[]

/**
 * `--type charge-payment --since 2h --where variables.customer=7`, keys anywhere between.
 * @param now epoch ms, which durations count back from
 * @param list what it is to narrow; unless told, any field may stand
 * Throws WfError `usage` for what the flags would refuse.
 */
export function parseSelector(text: string, now: number, list?: SelectorList): Selector {
  const written: SelectorWords = {}
  const waiting = shellWords(text)
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (!word.startsWith('--')) {
      written.keys = [...new Set([...(written.keys ?? []), ...keysIn(word)])]
      continue
    }
    const [, name = '', inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? []
    const value = inline ?? waiting.shift()
    if (value === undefined) throw new WfError('usage', `--${preview(name, 40).slice(1, -1)} has no value`)
    take(written, fieldNamed(name), { value, list })
  }
  return selectorOfWords(written, now)
}

function keysIn(word: string): number[] {
  try {
    const keys = parseKeys(word)
    return keys.length > 0 ? keys : [parseKey(word)]
  } catch (error) {
    if (!(error instanceof WfError)) throw error
    throw new WfError('usage', error.message, {
      hint: `flags narrow, such as --error ${quoted(word.slice(0, 40))} or --type NAME`,
    })
  }
}

function fieldNamed(name: string): SelectorField {
  const field = selectorFieldNames.find((known) => known === name)
  if (field !== undefined) return field
  const near = nearWords([name], selectorFieldNames).map((known) => `--${known}`)
  throw new WfError('usage', `--${preview(name, 40).slice(1, -1)} is no part of a selector`, {
    hint: didYouMean(
      near,
      near.length > 0 ? '' : `there are ${selectorFieldNames.map((known) => `--${known}`).join(' ')}`,
    ),
  })
}

function take(
  written: SelectorWords,
  field: SelectorField,
  { value, list }: { value: string; list: SelectorList | undefined },
): void {
  const name = `--${field}`
  const refusal = list === undefined ? null : refusedField(list, field, name)
  if (refusal) throw refusal
  const read = field === 'kind' && list !== undefined ? readKind(list) : selectorReaders[field]
  const before = written[field]
  if (before !== undefined && !listFields.includes(field))
    throw new WfError('usage', `${name} is given twice`, { hint: 'give it once' })
  const found = read(value, name)
  Object.assign(written, {
    [field]: Array.isArray(before) && Array.isArray(found) ? [...before, ...found] : found,
  })
}

/** The flags again, as they can be typed behind a command; empty for a selector of nothing. `parseSelector` reads them back as the same. */
export function selectorText(selector: Selector): string {
  const {
    types,
    states,
    incidentKinds,
    deadLetterReasons,
    error,
    codes,
    fingerprints,
    since,
    until,
    where,
    workerId,
    keys,
  } = selector
  const kinds = [...(incidentKinds ?? []), ...(deadLetterReasons ?? [])]
  const flags: readonly (readonly [SelectorField, string | undefined])[] = [
    ['type', listed(types)],
    ['state', listed(states)],
    ['kind', listed(kinds)],
    ['error', error && errorMatchText(error)],
    ['code', listed(codes)],
    ['fingerprint', listed(fingerprints)],
    ['since', instant(since)],
    ['until', instant(until)],
    ['worker', workerId],
  ]
  const given = flags.flatMap(([field, value]) => (value === undefined ? [] : [flag(field, value)]))
  const conditions = (where ?? []).map((condition) => `--where ${whereWord(condition)}`)
  return [...given, ...conditions, ...(keys ?? []).map(String)].join(' ')
}

/** Quotes stand around the value alone: what hides secrets then sees where one ends. */
function whereWord(condition: WhereCondition): string {
  return whereParts(condition).map(quoted).join('=')
}

/** A value that looks like a flag must hang on its own. */
function flag(field: SelectorField, value: string): string {
  return value.startsWith('-') ? `--${field}=${quoted(value)}` : `--${field} ${quoted(value)}`
}

function listed(list: readonly string[] | undefined): string | undefined {
  return list === undefined || list.length === 0 ? undefined : listText(list)
}

function instant(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
