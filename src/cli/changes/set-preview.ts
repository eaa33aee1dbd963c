/** Shows what `--set` would change in the variables of a few jobs. */
import { isJsonObject } from '../../text/json.ts'
import type { Paint } from '../../terminal/paint.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'
import { maskedChange, variableWords } from '../../views/history-messages.ts'

export interface SetPreview {
  key: number
  /** Path, before and after of each, secrets masked. */
  variables: readonly Record<string, unknown>[]
}

export function setPreviews(
  changes: readonly { key: number; change: Record<string, unknown> }[],
): readonly SetPreview[] {
  return changes.flatMap(({ key, change: { variables } }) =>
    Array.isArray(variables) ? [{ key, variables: variables.filter(isJsonObject).map(maskedChange) }] : [],
  )
}

export function previewLines(previews: readonly SetPreview[], paint: Paint): readonly Safe[] {
  return previews.map(
    ({ key, variables }) =>
      say`${paint.dim(say`would set`)} ${key}  ${joined(variables.map(variableWords), ', ')}`,
  )
}
