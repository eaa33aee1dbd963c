/** Real processes for end-to-end tests: the built wf, its output as it comes, kills, and the proof that nothing stays behind. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach } from 'vitest'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
/** The checkout's own, or another that is to be tested, such as an installed package. */
export const wfBin = process.env['WF_TEST_BIN'] ?? join(root, 'bin/run.js')

/**
 * Looks and renewals come often, so that nobody waits for them; leases and patience are long: on a machine that is busy with
 * much else, a process that has to wait for its turn is neither lost nor hung.
 */
export const quickEnv = {
  WF_LEASE: '2m',
  WF_RENEWAL: '400ms',
  WF_SWEEP: '300ms',
  WF_HANG: '2m',
  WF_LOAD: '2m',
}

/** For a worker that a test takes away, so that its lease is over in a moment. */
export const shortLease = { WF_LEASE: '3s' }

/** For workers with handlers that block. */
export const shortPatience = { WF_HANG: '2s' }

/** A test waits for a signal; this is only how long until it is taken not to come. */
const longestWaitMs = 120_000

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface RunOptions {
  env?: Readonly<Record<string, string>>
  /** Instead of node and the built wf. */
  command?: readonly string[]
  cwd?: string
  /** Its own process group, so that a test can signal or stop all of it. */
  group?: boolean
}

const living = new Set<Running>()

afterEach(() => {
  const left = [...living].filter((running) => !running.hasEnded)
  for (const running of left) running.killAll()
  living.clear()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  if (left.length > 0) throw new Error(`left running: ${left.map((running) => running.words).join('; ')}`)
})

const folders: string[] = []

/** A folder of its own for a test; gone afterwards. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wf-e2e-'))
  folders.push(folder)
  return folder
}

export class Running {
  readonly words: string
  readonly pid: number
  readonly ended: Promise<Ended>
  out = ''
  err = ''
  hasEnded = false
  /** Nothing of what it said is still on its way. */
  readonly #closed: Promise<void>
  #isClosed = false
  readonly #child: ChildProcess
  readonly #group: boolean
  readonly #listeners = new Set<() => void>()

  constructor(args: readonly string[], options: RunOptions) {
    const [file = process.execPath, ...first] = options.command ?? [process.execPath, wfBin]
    this.words = [...first, ...args].join(' ')
    this.#group = options.group === true
    this.#child = spawn(file, [...first, ...args], {
      cwd: options.cwd ?? root,
      env: { ...process.env, NO_COLOR: '1', ...quickEnv, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: this.#group,
    })
    this.pid = this.#child.pid ?? 0
    const heard = (stream: 'out' | 'err') => (chunk: Buffer) => {
      this[stream] += chunk.toString()
      this.#tell()
    }
    this.#child.stdout?.on('data', heard('out'))
    this.#child.stderr?.on('data', heard('err'))
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.hasEnded = true
        resolve({ code, signal })
        this.#tell()
      })
    })
    this.#closed = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.#isClosed = true
        resolve()
        this.#tell()
      })
    })
    living.add(this)
  }

  /** Everything that was said, for people and in failed tests. */
  get said(): string {
    return `$ ${this.words}\n${this.out}${this.err}`
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.#group ? -this.pid : this.pid, signal)
  }

  /** SIGKILL to the process and all of its descendants. */
  killAll(): void {
    for (const pid of [...descendantsOf(this.pid), this.pid]) kill(pid, 'SIGKILL')
  }

  /** Stops reading its standard output, for good. */
  closeOutput(): void {
    this.#child.stdout?.destroy()
  }

  /** Resolves with the first match of what it said so far or will say. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const found = await this.until(
      () => pattern.exec(this.out) ?? pattern.exec(this.err),
      `it says ${pattern}`,
    )
    return found
  }

  /** Looks whenever it says something or ends, and now and then besides. */
  async until<T>(look: () => T | null | undefined | false, what: string): Promise<T> {
    const startedAt = Date.now()
    for (;;) {
      const found = look()
      if (found) return found
      if (this.#isClosed) throw new Error(`ended before ${what}:\n${this.said}`)
      if (Date.now() - startedAt > longestWaitMs)
        throw new Error(`waited too long until ${what}:\n${this.said}`)
      await this.#heard(50)
    }
  }

  /** Waits for the end, and for the last that it said, and checks the exit code. */
  async exits(code: number): Promise<this> {
    const ended = await this.saidAll()
    if (ended.code !== code)
      throw new Error(`ended with ${ended.code ?? ended.signal} instead of ${code}:\n${this.said}`)
    return this
  }

  /** How it ended, once all that it said is here: a process may be gone before its last words arrive. */
  async saidAll(): Promise<Ended> {
    const timeout = setTimeout(() => this.killAll(), longestWaitMs)
    await this.#closed
    clearTimeout(timeout)
    return this.ended
  }

  #heard(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#listeners.delete(done)
        resolve()
      }
      const timer = setTimeout(done, mostMs)
      this.#listeners.add(done)
    })
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Starts the built wf and goes on. */
export function startWf(args: readonly string[], options: RunOptions = {}): Running {
  return new Running(args, options)
}

/** Runs the built wf to its end. */
export function wf(
  args: readonly string[],
  options: RunOptions & { input?: string } = {},
): { code: number | null; out: string; err: string } {
  const ended = spawnSync(process.execPath, [wfBin, ...args], {
    cwd: options.cwd ?? root,
    env: { ...process.env, NO_COLOR: '1', ...quickEnv, ...options.env },
    encoding: 'utf8',
    input: options.input ?? '',
    timeout: longestWaitMs,
  })
  return { code: ended.status, out: ended.stdout, err: ended.stderr }
}

export function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}

/** Alive, and not only waiting to be collected. */
export function isAlive(pid: number): boolean {
  const state = statOf(pid)?.state
  return state !== undefined && state !== 'Z' && state !== 'X'
}

export function childrenOf(pid: number): number[] {
  return pids().filter((other) => statOf(other)?.parent === pid)
}

export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [...descendantsOf(child), child])
}

/** Polls what no stream tells: other processes, files, rows. */
export async function eventually<T>(
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  what: string,
  mostMs = longestWaitMs,
): Promise<T> {
  const startedAt = Date.now()
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() - startedAt > mostMs) throw new Error(`waited too long until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A handler module in a folder; answers its path. */
export function writeHandler(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Lines that handlers append to a file: what really happened, whatever the store says. */
export class Marks {
  readonly path: string

  constructor(folder: string) {
    this.path = join(folder, 'marks')
    writeFileSync(this.path, '')
  }

  get lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n').filter(Boolean)
  }

  count(line: string): number {
    return this.lines.filter((other) => other === line).length
  }

  /** Resolves when `enough` holds; looks at each change of the file. */
  async until(enough: (lines: string[]) => boolean, what: string): Promise<void> {
    const watcher = watch(this.path)
    try {
      await eventually(() => enough(this.lines), `${what}; marks: ${this.lines.join(' ')}`)
    } finally {
      watcher.close()
    }
  }
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function statOf(pid: number): { state: string; parent: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return null
  }
}
