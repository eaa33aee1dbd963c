/** `--idempotency-key-from`: the place in each line's variables where its idempotency key stands. */
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import { valueAt } from '../../domain/set-variable.ts'
import { parsePath, withoutVariables } from '../../domain/variable-path.ts'
import { readText } from '../../text/parse-input.ts'

export interface KeyPath {
  /** As it was typed. */
  text: string
  keys: readonly string[]
}

/** `variables.` in front is understood, as in `--set`. */
export function readKeyPath(text: string, name: string): KeyPath {
  const path = withoutVariables(readText(text, name))
  try {
    return { text, keys: parsePath(path) }
  } catch (error) {
    throw error instanceof WfError
      ? new WfError('usage', `${name}: ${error.message}`, { hint: error.hint })
      : error
  }
}

/** Throws a WfError `invalid_job` for variables that have none there. */
export function keyAt(variables: object, { text, keys }: KeyPath): string {
  const value = valueAt(variables, keys)
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) return String(value)
  const what =
    value === undefined
      ? `there is no ${preview(text, 80)}`
      : `${preview(text, 80)} is ${preview(value, 60)}, not text or a number`
  throw new WfError('invalid_job', `${what}: the line has no idempotency key`)
}
