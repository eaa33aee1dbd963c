/** Variables that somebody edits as a whole, as JSON text: what they are given, and what was changed in it. Knows no editor. */
import { WfError } from '../errors.ts'
import { parseObject } from '../text/strict-json.ts'
import { parseVariables } from '../text/json.ts'
import { mask, maskValue } from '../text/mask.ts'
import type { VariableChange } from './resolution.ts'
import { variableDiff } from './variable-diff.ts'

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
