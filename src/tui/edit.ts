/** Variables in the person's own editor: written to a file that nobody else can read, and read back as the changes that were made. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject } from '../domain/json.ts'
import type { VariableChange } from '../domain/resolution.ts'
import { pathText } from '../domain/variable-path.ts'

/** Returns when the editor has ended; it has the terminal until then. Throws an Error that says why it could not be read. */
export function editText(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'wf-edit-'))
  const file = join(folder, 'variables.json')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    const editor = env['VISUAL'] || env['EDITOR'] || 'vi'
    // As other programs do: the setting may carry arguments.
    const { status, error } = spawnSync('/bin/sh', ['-c', `${editor} "$0"`, file], { stdio: 'inherit' })
    if (error) throw error
    if (status !== 0) throw new Error(`${editor} ended with ${status ?? 'a signal'}: nothing was changed`)
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Indented, for an editor. Throws where it is no object. */
export function editable(variables: string): string {
  return `${JSON.stringify(objectOf(variables), null, 2)}\n`
}

/** What was changed at the top, in the order of the text. Throws an Error with a sentence for what cannot be made of it. */
export function changesBetween(before: string, after: string): readonly VariableChange[] {
  const [old, next] = [objectOf(before), objectOf(after)]
  const gone = Object.keys(old).filter((name) => !Object.hasOwn(next, name))
  if (gone.length > 0) throw new Error(`${gone.join(', ')} would be gone: a variable can be set to null, but not taken away`)
  return Object.entries(next).flatMap(([name, value]) => {
    const isNew = !Object.hasOwn(old, name)
    return !isNew && JSON.stringify(old[name]) === JSON.stringify(value) ? [] : [{ path: pathText([name]), value, add: isNew }]
  })
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`that is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isJsonObject(value)) throw new Error('variables are an object: { … }')
  return value
}
