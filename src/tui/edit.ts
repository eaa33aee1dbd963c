/** Edits text in $VISUAL, $EDITOR or vi, in a file that only its owner can read. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Blocks until the editor exits, since it owns the terminal. Throws an Error if it fails. */
export function editText(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'wf-edit-'))
  const file = join(folder, 'variables.json')
  try {
    writeFileSync(file, text, { mode: 0o600 })
    const editor = env['VISUAL'] || env['EDITOR'] || 'vi'
    // The setting may carry arguments, so a shell reads it.
    const { status, error } = spawnSync('/bin/sh', ['-c', `${editor} "$0"`, file], { stdio: 'inherit' })
    if (error) throw error
    if (status !== 0) throw new Error(`${editor} exited with ${status ?? 'a signal'}: nothing was changed`)
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
