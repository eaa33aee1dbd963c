/** The built wf on a terminal of its own: a test types when it has seen what it answers. */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from './cli.ts'

/** util-linux: gives a command a terminal, and its standard input as what is typed. */
export const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const longestWaitMs = 120_000

export interface Terminal {
  /** Resolves when the text has come since the last thing that was waited for. */
  shows(text: string): Promise<void>
  type(text: string): void
  /** Everything that was shown, without colours, and `exit N` and how the terminal was left at the end. */
  ended: Promise<string>
}

/** @param line `wf triage`: a command line in which wf stands for the built wf */
export function onTerminal(line: string, env: Readonly<Record<string, string>>): Terminal {
  const wf = `wf() { "${process.execPath}" "${join(root, 'bin/run.js')}" "$@"; }`
  const command = `stty cols 100; ${wf}; ${line}; echo "exit $?"; stty -a | grep -o "[-]*icanon"`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TERM: 'xterm-256color',
      SHELL: '/bin/bash',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  let seen = 0
  let told: () => void = () => undefined
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    told()
  })
  const plain = () => said.replace(/\u001b\[[\d;?]*[a-zA-Z]/g, '').replaceAll('\r', '')
  return {
    type: (text) => void child.stdin.write(text),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () =>
            reject(new Error(`waited too long for ${JSON.stringify(text)} after:\n${plain().slice(seen)}`)),
          longestWaitMs,
        )
        told = () => {
          const at = plain().indexOf(text, seen)
          if (at < 0) return
          clearTimeout(timer)
          seen = at + text.length
          resolve()
        }
        told()
      }),
    ended: new Promise((resolve) => child.once('close', () => resolve(plain()))),
  }
}
