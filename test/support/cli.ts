/** Runs the built wf to its end: what it printed, where, and its exit code. */
import { fork, spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'

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
  /** Always a process of its own (default: a host runs commands that need none). */
  ownProcess?: boolean
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

/**
 * Runs a command. One host a test file runs those that read no input and end by themselves, one at a time; calls that
 * overlap, and everything that has to do with processes, signals and input, get a process of their own.
 */
export function cli(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  const words = [...args, ...storeFlag(options)]
  if (hostBusy || needsProcess(args, options)) return run(process.execPath, [bin, ...words], options)
  return runInHost(words, options)
}

const longRunning = new Set(['run-worker', 'dashboard', 'tail', 'triage'])

function needsProcess(args: readonly string[], { input, uid, env = {}, ownProcess }: CliOptions): boolean {
  const [first = ''] = args
  const own = input !== undefined || uid !== undefined || ownProcess === true
  return own || longRunning.has(first) || args.includes('--watch') || ownVariables.some((name) => name in env)
}

/** What Node.js itself reads when it starts. */
const ownVariables = ['DEBUG', 'NODE_OPTIONS', 'PATH', 'EDITOR', 'VISUAL', 'TZ']

let host: ChildProcess | undefined
let hostBusy = false

afterAll(() => {
  host?.disconnect()
  host = undefined
})

async function runInHost(args: readonly string[], { cwd = root, env = {} }: CliOptions): Promise<CliEnd> {
  host ??= fork(join(root, 'test/support/cli-host.mjs'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  const serving = host
  hostBusy = true
  try {
    const end = await new Promise<{ code: number; out: string; err: string }>((resolve, reject) => {
      const ended = (code: number | null) => {
        host = undefined
        reject(new Error(`the host of commands ended with ${code} at: wf ${args.join(' ')}`))
      }
      serving.once('exit', ended)
      serving.once('message', (message) => {
        serving.off('exit', ended)
        resolve(message as { code: number; out: string; err: string })
      })
      serving.send({ args, cwd, env: environment(env) })
    })
    return { ...end, json: <T>() => JSON.parse(end.out) as T }
  } finally {
    hostBusy = false
  }
}

function environment(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const merged = { ...process.env, ...Object.fromEntries(foreign.map((name) => [name, undefined])), ...env }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined))
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
  const stdio: StdioOptions = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']
  const child = spawn(file, [...args], {
    cwd,
    env: environment(env),
    stdio,
    ...(uid === undefined ? {} : { uid }),
  })
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
    {
      type: 'option' | 'boolean'
      helpValue?: string
      helpGroup?: string
      summary?: string
      hidden?: boolean
    }
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
