/** `--set path=value`: the value is JSON where it reads as JSON, else text. */
import { WfError } from '../../errors.ts'
import { preview } from '../../text/preview.ts'
import type { VariableChange } from '../../domain/resolution.ts'
import { parsePath, splitAssignment, withoutVariables } from '../../domain/variable-path.ts'
import { typedValue } from '../../text/strict-json.ts'
import { quoted } from '../../text/shell-words.ts'

/** `variables.` in front is the selector's way to write a path, and is understood here too. */
export function readSet(text: string, name: string): Omit<VariableChange, 'add'> {
  const parts = splitAssignment(text)
  if (parts === null)
    throw new WfError('usage', `${name} ${preview(text, 60)} is not path=value`, {
      hint: `write ${name} amount=10 or ${name} customer.city=Bonn`,
    })
  const path = withoutVariables(parts.path)
  parsePath(path)
  const { value } = parts
  if (value.trim() === '') throw noValue(path, name)
  return { path, ...typedValue(value) }
}

/** A shell variable that was not set, or a slip: an empty text must be said. */
function noValue(path: string, name: string): WfError {
  return new WfError('usage', `${name} ${preview(`${path}=`, 80)} has no value`, {
    hint: `${name} ${quoted(`${path}=""`)} sets an empty text, ${name} ${quoted(`${path}=null`)} sets null`,
  })
}
