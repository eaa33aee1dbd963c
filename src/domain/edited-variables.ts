/** Variables that somebody edits as a whole, as JSON text: what they are given, and what was changed in it. Knows no editor. */
import { WfError } from '../errors.ts'
import { parseObject } from '../text/strict-json.ts'
import { parseVariables, isJsonObject } from '../text/json.ts'
import { mask, maskValue } from '../text/mask.ts'
import type { VariableChange } from './resolution.ts'
import { pathText } from './variable-path.ts'

export interface EditableVariables {
  /** Indented, for an editor. */
  text: string
  shown: Record<string, unknown>
  /** Something of it is not what is stored. */
  isMasked: boolean
}

/**
 * @param stored JSON text, as stored
 * @param reveal secrets stand there as they are; else as `***`, which stays what it was
 */
export function editableVariables(stored: string, reveal: boolean): EditableVariables {
  const values = parseVariables(stored)
  const shown = reveal ? values : (maskValue(values) as Record<string, unknown>)
  return {
    text: `${JSON.stringify(shown, null, 2)}\n`,
    shown,
    isMasked: JSON.stringify(shown) !== JSON.stringify(values),
  }
}

/** Empty when all was left as it is. Throws WfError `invalid_job` for what is no object, and for a change that would store a mask. */
export function changesOfEdit(
  text: string,
  { shown, isMasked }: EditableVariables,
): readonly VariableChange[] {
  const changes = variableDiff(shown, parseObject(text, 'the edited variables'))
  const hidden = isMasked && changes.find(({ value }) => JSON.stringify(value)?.includes(mask))
  if (!hidden) return changes
  throw new WfError(
    'invalid_job',
    `${hidden.path} would be stored with ${mask} in it, which stands for what was not shown`,
    {
      hint: 'write the whole value, or edit with --reveal',
    },
  )
}

/** In the order of `after`; what was taken away follows. A list of another length is one change: its places have moved. */
export function variableDiff(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): readonly VariableChange[] {
  return membersDiff(before, after, [])
}

function diff(before: unknown, after: unknown, path: readonly string[]): readonly VariableChange[] {
  if (isJsonObject(before) && isJsonObject(after)) return membersDiff(before, after, path)
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((item, index) => diff(before[index], item, [...path, String(index)]))
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path: pathText(path), value: after, add: false }]
}

function membersDiff(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: readonly string[],
): readonly VariableChange[] {
  const changed = Object.entries(after).flatMap(([name, value]): readonly VariableChange[] => {
    const at = [...path, name]
    return Object.hasOwn(before, name)
      ? diff(before[name], value, at)
      : [{ path: pathText(at), value, add: true }]
  })
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return [
    ...changed,
    ...gone.map(
      (name): VariableChange => ({ path: pathText([...path, name]), value: null, remove: true, add: false }),
    ),
  ]
}
