/** The built wf as a process, run to its end: what it said, where, and its exit code. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const bin = join(root, 'bin/run.js')

export interface CliOptions {
  cwd?: string
  /** `--store`. */
  store?: string
  /** Undefined takes a variable away. */
  env?: Readonly<Record<string, string | undefined>>
  /** Standard input; without it there is none. */
  input?: string
  /** Of another user. */
  uid?: number
}

export interface CliEnd {
  code: number | null
  out: string
  err: string
  /** Standard output as the one JSON document that it must be. */
  json<T = Record<string, unknown>>(): T
}

/** Nothing of the test runner's own reaches it: neither NODE_ENV nor its colours. */
const foreign = [
  'NODE_ENV',
  'FORCE_COLOR',
  'NO_COLOR',
  'COLUMNS',
  'DEBUG',
  'WF_STORE',
  'WF_USER',
  'TERM',
  'CI',
]

export function cli(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  return run(process.execPath, [bin, ...args, ...storeFlag(options)], options)
}

/** `wf` in a shell line stands for the built wf. */
export function shell(line: string, options: CliOptions = {}): Promise<CliEnd> {
  return run('bash', ['-c', `wf() { "${process.execPath}" "${bin}" "$@"; }; ${line}`], options)
}

function storeFlag({ store }: CliOptions): string[] {
  return store === undefined ? [] : ['--store', store]
}

export interface StartedCli {
  /** Standard input, kept open. */
  type(text: string): void
  signal(signal: NodeJS.Signals): void
  /** Resolves once standard output has this. */
  heard(pattern: RegExp): Promise<void>
  ended: Promise<CliEnd>
}

/** Goes on while the test types; the test waits for its end. */
export function startCli(args: readonly string[], options: CliOptions = {}): StartedCli {
  const child = start(process.execPath, [bin, ...args, ...storeFlag(options)], { ...options, input: '' })
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    said += String(chunk)
  })
  return {
    type: (text) => child.stdin?.write(text),
    signal: (signal) => child.kill(signal),
    heard: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          if (!pattern.test(said)) return
          child.stdout?.off('data', look)
          resolve()
        }
        child.stdout?.on('data', look)
        look()
      }),
    ended: endOf(child),
  }
}

function run(file: string, args: readonly string[], options: CliOptions): Promise<CliEnd> {
  const child = start(file, args, options)
  child.stdin?.end(options.input)
  return endOf(child)
}

function start(
  file: string,
  args: readonly string[],
  { cwd = root, env = {}, input, uid }: CliOptions,
): ChildProcess {
  const given = { ...process.env, ...Object.fromEntries(foreign.map((name) => [name, undefined])), ...env }
  const stdio: StdioOptions = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']
  const child = spawn(file, [...args], { cwd, env: given, stdio, ...(uid === undefined ? {} : { uid }) })
  child.stdin?.on('error', () => {})
  // A test that failed half-way leaves nothing running.
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function endOf(child: ChildProcess): Promise<CliEnd> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const text = Buffer.concat(out).toString()
      resolve({ code, out: text, err: Buffer.concat(err).toString(), json: <T>() => JSON.parse(text) as T })
    })
  })
}

export interface ManifestCommand {
  id: string
  flags: Record<
    string,
    { type: 'option' | 'boolean'; helpValue?: string; summary?: string; hidden?: boolean }
  >
  args: Record<string, { required?: boolean }>
  summary?: string
  description?: string
  examples?: readonly unknown[]
}

/** What the build says there is. */
export function manifestCommands(): readonly ManifestCommand[] {
  const manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, ManifestCommand>
  }
  return Object.values(manifest.commands)
}
