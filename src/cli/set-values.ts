/** `--set path=value`: the value is JSON where it reads as JSON, else text. */
import { WfError } from '../domain/errors.ts'
import { preview } from '../domain/preview.ts'
import type { VariableChange } from '../domain/resolution.ts'
import { parsePath } from '../domain/set-variable.ts'
import { parseExactJson } from './exact-json.ts'
import { quoted } from './shell.ts'

/** `variables.` in front is the selector's way to write a path, and is understood here too. */
export function readSet(text: string, name: string): Omit<VariableChange, 'add'> {
  const at = text.indexOf('=')
  if (at <= 0)
    throw new WfError('usage', `${name} ${preview(text, 60)} is not path=value`, { hint: `write ${name} amount=10 or ${name} customer.city=Bonn` })
  const path = text.slice(0, at).replace(/^variables\.(?=.)/, '')
  parsePath(path)
  const value = text.slice(at + 1)
  if (value.trim() === '') throw noValue(path, name)
  return { path, ...readValue(value) }
}

function readValue(text: string): { value: unknown; isBareText?: boolean } {
  try {
    return { value: parseExactJson(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return { value: text, isBareText: true }
    throw error
  }
}

/** A shell variable that was not set, or a slip: an empty text must be said. */
function noValue(path: string, name: string): WfError {
  return new WfError('usage', `${name} ${preview(`${path}=`, 80)} has no value`, {
    hint: `${name} ${quoted(`${path}=""`)} sets an empty text, ${name} ${quoted(`${path}=null`)} sets null`,
  })
}
