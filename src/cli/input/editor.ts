/** A text in the person's own editor: $VISUAL, else $EDITOR, else vi. It lies in a file that nobody else can read, and is gone afterwards. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WfError } from '../../errors.ts'
import { utf8Text } from './input.ts'

export interface EditOptions {
  /** Its ending tells an editor what it is: `variables-17.json`. */
  name: string
  env?: Readonly<Record<string, string | undefined>>
}

/** Resolves with what the editor left, once it has ended. Rejects with WfError `refused` when it failed. */
export async function edited(text: string, { name, env = process.env }: EditOptions): Promise<string> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi'
  const folder = mkdtempSync(join(tmpdir(), 'wf-edit-'))
  const file = join(folder, name)
  try {
    writeFileSync(file, text, { mode: 0o600 })
    const ended = await run(editor, file)
    if (ended !== null) throw failed(editor, ended)
    return utf8Text(readFileSync(file), 'what the editor left')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Null when it ended well. The setting may carry arguments, so a shell reads it; the file's name is none of the shell's business. */
function run(editor: string, file: string): Promise<string | null> {
  // What is piped on is the command's answer; an editor then draws on the terminal that the words go to.
  const screen = process.stdout.isTTY ? 'inherit' : 2
  // Ctrl-C belongs to the editor while it has the terminal.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  return new Promise<string | null>((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, editor, file], {
      stdio: ['inherit', screen, 'inherit'],
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? null : `it ended with ${code ?? signal}`))
  }).finally(() => process.off('SIGINT', ignore))
}

function failed(editor: string, why: string): WfError {
  return new WfError('refused', `the editor ${editor} failed: ${why}; nothing was changed`, {
    hint: 'VISUAL or EDITOR names the editor, such as EDITOR=nano',
  })
}
