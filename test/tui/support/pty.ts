/**
 * The built wf on a real terminal, with an emulator that shows what a person would see. The terminal is made by `script` of
 * util-linux, which every Debian has; its size is changed from outside, as a window manager does.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import { root } from '../../support/cli.ts'
import { temporaryDirectory } from '../../support/open-test-store.ts'

export const hasPty = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

export interface PtyOptions {
  columns?: number
  rows?: number
  /** Bash; `wf` stands for the built wf. */
  script: string
  env?: Readonly<Record<string, string>>
}

export interface Pty {
  /** Everything that was ever written to the terminal. */
  readonly bytes: string
  type(text: string): void
  resize(columns: number, rows: number): void
  /** What stands on the screen now, without blanks at the ends. */
  screen(): readonly string[]
  /** Of the emulator: which screen is shown, and what the program has switched on. */
  modes(): { alternate: boolean; cursorHidden: boolean; mouse: string; paste: boolean; wraps: boolean }
  /** What was scrolled out of the main screen, and what stands on it. */
  main(): readonly string[]
  /** Resolves with the screen once a whole frame shows what is wanted. */
  until(wanted: RegExp | ((screen: string) => boolean), mostMs?: number): Promise<string>
  /** Process id that the script has put into the file `pid` of its folder. */
  pid(): Promise<number>
  /** A file that the script has written. */
  file(name: string): string
  ended: Promise<number | null>
}

const foreign = [
  'NODE_ENV',
  'FORCE_COLOR',
  'NO_COLOR',
  'COLUMNS',
  'LINES',
  'DEBUG',
  'WF_STORE',
  'WF_USER',
  'CI',
  'EDITOR',
  'VISUAL',
  'TMUX',
]

export function openPty({ columns = 80, rows = 24, script, env = {} }: PtyOptions): Pty {
  const folder = temporaryDirectory()
  const file = join(folder, 'script.sh')
  const bin = join(root, 'bin/run.js')
  writeFileSync(
    file,
    `WF="${process.execPath} ${bin}"\nwf() { $WF "$@"; }\ncd "${folder}"\ntty > tty\nstty cols ${columns} rows ${rows}\n${script}\n`,
  )
  const given = {
    ...process.env,
    ...Object.fromEntries(foreign.map((name) => [name, undefined])),
    TERM: 'xterm-256color',
    SHELL: '/bin/bash',
    ...env,
  }
  const child = spawn('script', ['-qfec', `bash --norc --noprofile ${file}`, '/dev/null'], {
    cwd: folder,
    env: given,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return follow(
    child,
    folder,
    new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true }),
  )
}

function follow(child: ChildProcess, folder: string, emulator: InstanceType<typeof xterm.Terminal>): Pty {
  let bytes = ''
  let changed = () => {}
  // A frame comes in several pieces; until its last one is there, nobody would see it.
  let isWhole = true
  child.stdin?.on('error', () => {})
  child.stdout?.setEncoding('utf8')
  child.stdout?.on('data', (text: string) => {
    bytes += text
    const whole = lastMode(bytes, '?2026') !== 'h'
    emulator.write(text, () => {
      isWhole = whole
      changed()
    })
  })
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => emulator.write('', () => resolve(code))),
  )
  const file = (name: string) => readFileSync(join(folder, name), 'utf8').trim()
  const linesOf = (buffer: typeof emulator.buffer.active, from: number) =>
    Array.from(
      { length: buffer.length - from },
      (_, row) => buffer.getLine(from + row)?.translateToString(true) ?? '',
    )
  const screen = () => linesOf(emulator.buffer.active, emulator.buffer.active.baseY)
  return {
    get bytes() {
      return bytes
    },
    type: (text) => void child.stdin?.write(text),
    resize(columns, rows) {
      emulator.resize(Math.max(2, columns), Math.max(1, rows))
      spawnSync('stty', ['-F', file('tty'), 'cols', String(columns), 'rows', String(rows)])
    },
    screen,
    modes: () => ({
      alternate: emulator.buffer.active.type === 'alternate',
      // The emulator's own word for it is no part of its interface.
      cursorHidden: lastMode(bytes, '?25') === 'l',
      mouse: emulator.modes.mouseTrackingMode,
      paste: emulator.modes.bracketedPasteMode,
      wraps: emulator.modes.wraparoundMode,
    }),
    main: () => linesOf(emulator.buffer.normal, 0),
    until: (wanted, mostMs = 120_000) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const shown = screen().join('\n')
          if (!isWhole || !(typeof wanted === 'function' ? wanted(shown) : wanted.test(shown))) return
          clearTimeout(timer)
          changed = () => {}
          resolve(shown)
        }
        const timer = setTimeout(
          () => reject(new Error(`never shown: ${wanted}\n${screen().join('\n')}`)),
          mostMs,
        )
        changed = look
        look()
      }),
    async pid() {
      for (let left = 6_000; left > 0; left--) {
        if (existsSync(join(folder, 'pid')) && file('pid') !== '') return Number(file('pid'))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error('no process id was written')
    },
    file,
    ended,
  }
}

function lastMode(bytes: string, mode: string): string | undefined {
  return bytes.slice(Math.max(0, bytes.lastIndexOf(`\u001b[${mode}`))).match(/^\u001b\[\?\d+([hl])/)?.[1]
}
