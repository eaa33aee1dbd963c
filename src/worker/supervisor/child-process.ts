/** Forks a child process: messages, exit, and kill. The only file that forks. */
import { fork } from 'node:child_process'
import type { ToChild, ToSupervisor } from '../ipc.ts'

export interface ChildExit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Set when the process could not even be started. */
  error: string | null
}

export interface ChildProcess {
  readonly pid: number
  /** Dropped when the child is gone. */
  send(message: ToChild): void
  onMessage(listener: (message: ToSupervisor) => void): void
  /** SIGKILL; harmless afterwards. Ends a stopped process too. */
  kill(): void
  readonly exited: Promise<ChildExit>
}

export type ForkChild = () => ChildProcess

/** @param entry path of the module that runs in the child */
export function forkChild(entry: string): ChildProcess {
  const execArgv = childFlags(process.execArgv, process.env)
  // What handlers print goes to standard error: standard output is the log's, and a machine may be reading it.
  const child = fork(entry, [], { execArgv, stdio: ['ignore', 2, 2, 'ipc'], serialization: 'json' })
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, error: null }))
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error: error.message })
    })
  })
  return {
    pid: child.pid ?? 0,
    send(message) {
      if (child.connected) child.send(message, () => {})
    },
    onMessage(listener) {
      child.on('message', (message) => {
        if (typeof message === 'object' && message !== null && 'kind' in message)
          listener(message as ToSupervisor)
      })
    },
    kill: () => void child.kill('SIGKILL'),
    exited,
  }
}

/** Flags that save memory in every child at no cost in speed, unless the user sets them. */
const thrift = [
  // Jobs are short-lived: their garbage is collected sooner.
  { unless: /^--(?:max|min)[-_]semi[-_]space[-_]size/, flag: '--max-semi-space-size=4' },
  // Threads that collect and compile beside the one that runs jobs; with a single one the jobs wait.
  { unless: /^--v8[-_]pool[-_]size/, flag: '--v8-pool-size=2' },
] as const

/** Node.js flags of a child process. */
export function childFlags(
  own: readonly string[],
  env: { readonly NODE_OPTIONS?: string; readonly DEBUG?: string },
): string[] {
  // A debugger's port can be opened once; the other flags are the user's wishes for handlers too.
  const flags = own.filter((flag) => !flag.startsWith('--inspect'))
  const told = [...own, ...(env.NODE_OPTIONS ?? '').split(/\s+/)]
  for (const { unless, flag } of thrift) if (!told.some((each) => unless.test(each))) flags.push(flag)
  // Traces name the sources.
  if (env.DEBUG) flags.push('--enable-source-maps')
  return flags
}

/** Describes how a process ended: `ended with exit code 1`, `was ended by SIGKILL`. */
export function exitText({ code, signal, error }: ChildExit): string {
  if (error !== null) return `could not be started: ${error}`
  return signal ? `was ended by ${signal}` : `ended with exit code ${code}`
}
