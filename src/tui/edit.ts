/** Variables in the person's own editor: written to a file that nobody else can read, and read back. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
    if (status !== 0) throw new Error(`${editor} exited with ${status ?? 'a signal'}: nothing was changed`)
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
