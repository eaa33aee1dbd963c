/** Conditions on what a job carries: the words of `--where`, read and written. Stores compare; this says what is meant. */
import { WfError } from '../errors.ts'
import { typedText, typedValue } from '../text/strict-json.ts'
import { toJson } from '../text/json.ts'
import { preview } from '../text/preview.ts'
import type { WhereCondition } from './selector.ts'
import { parsePath, pathText, splitAssignment, withoutVariables } from './variable-path.ts'

const longestCondition = 10_000
/** Each doubles what a store looks for: a key of digits is a place in a list or the name of a member. */
const mostIndexes = 6

/** `variables.a.b=1`: the value as `--set` takes it. Throws WfError `usage`. */
export function readWhere(text: string, name: string): WhereCondition {
  const parts = text.length <= longestCondition ? splitOf(text) : null
  if (parts === null) {
    throw new WfError('usage', `${name} ${preview(text, 60)} is not path=value`, {
      hint: `write ${name} variables.customer=7 or ${name} variables.city=Bonn`,
    })
  }
  try {
    const keys = parsePath(withoutVariables(parts.path))
    if (parts.value.trim() === '') throw noValue(parts.path, name)
    const { value } = typedValue(parts.value)
    return checked({ path: pathText(keys), value }, keys)
  } catch (error) {
    throw error instanceof WfError && error.code !== 'usage'
      ? new WfError('usage', `${name}: ${error.message}`, { hint: error.hint })
      : error
  }
}

function splitOf(text: string): { path: string; value: string } | null {
  try {
    return splitAssignment(text)
  } catch {
    return null
  }
}

function checked(condition: WhereCondition, keys: readonly string[]): WhereCondition {
  const json = toJson(condition.value, { maxBytes: longestCondition * 4, what: 'the value' })
  if (!json.ok) throw new WfError('usage', json.refusal)
  if (keys.filter(isIndex).length > mostIndexes) {
    throw new WfError('usage', `${preview(condition.path, 80)} has more than ${mostIndexes} keys of digits`, {
      hint: 'look at less of it',
    })
  }
  return condition
}

/** Could be a place in a list. */
export const isIndex = (key: string): boolean => /^(?:0|[1-9]\d{0,8})$/.test(key)

function noValue(path: string, name: string): WfError {
  return new WfError('usage', `${name} ${preview(`${path}=`, 80)} has no value`, {
    hint: `${name} '${path}=""' means an empty text, ${name} ${path}=null means null`,
  })
}

/** What `readWhere` reads back as the same. */
export function whereText(condition: WhereCondition): string {
  return whereParts(condition).join('=')
}

/** The same, parted at its equals sign. */
export function whereParts({ path, value }: WhereCondition): readonly [name: string, value: string] {
  return [`variables${path.startsWith('[') ? '' : '.'}${path}`, typedText(value)]
}
