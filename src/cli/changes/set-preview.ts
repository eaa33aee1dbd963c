/** What a verb would change in the variables of a few jobs, so that a person sees a mend before it is made. */
import { isJsonObject } from '../../text/json.ts'
import { maskedChange, variableWords } from '../../views/history-messages.ts'
import type { Paint } from '../../terminal/paint.ts'
import { joined, say, type Safe } from '../../terminal/safe.ts'

export interface SetPreview {
  key: number
  /** Path, before and after of each, secrets masked. */
  variables: readonly Record<string, unknown>[]
}

/** More tell nobody more. */
const mostPreviewed = 5

/** Of the first few jobs that would change; `detail` is what the history would keep. */
export class SetPreviews {
  readonly items: SetPreview[] = []

  add(key: number, { variables }: Record<string, unknown>): void {
    if (!Array.isArray(variables) || this.items.length === mostPreviewed) return
    this.items.push({ key, variables: variables.filter(isJsonObject).map(maskedChange) })
  }
}

export function previewLines(previews: readonly SetPreview[], paint: Paint): readonly Safe[] {
  return previews.map(
    ({ key, variables }) =>
      say`${paint.dim(say`would set`)} ${key}  ${joined(variables.map(variableWords), ', ')}`,
  )
}
