/** Processes with a store in them, for what needs more than one of them or the death of one. They run what src is now. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Store } from '../../../../src/store/port.ts'
import type * as Plans from '../../../support/plans.ts'
import { bundledScript } from '../../../support/bundled-script.ts'

const script = await bundledScript(fileURLToPath(new URL('child.mjs', import.meta.url)))

export interface ChildError {
  name: string
  code: string
  message: string
  hint?: string
}

interface Answer {
  id?: number
  value?: unknown
  error?: ChildError
}

export interface ChildOptions {
  umask?: string
  /** Of another user. */
  uid?: number
  env?: Readonly<Record<string, string>>
}

type Method = {
  [K in keyof Store]: Store[K] extends (...args: never[]) => Promise<unknown> ? K : never
}[keyof Store]

export class Child {
  readonly ended: Promise<NodeJS.Signals | number | null>
  hasEnded = false
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #ids = 0

  constructor(child: ChildProcess) {
    this.#child = child
    this.ended = once(child, 'exit').then(([code, signal]) => {
      this.hasEnded = true
      const error = {
        name: 'Ended',
        code: String(signal ?? code),
        message: `the process ended with ${signal ?? code}`,
      }
      for (const answer of this.#waiting.values()) answer({ error })
      return (signal ?? code) as NodeJS.Signals | number | null
    })
    child.on('message', (message: Answer) => {
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message)
    })
  }

  /** Hears what it says unasked. */
  heard<T>(listener: (message: T) => void): void {
    this.#child.on('message', (message: Answer) => {
      if (message.id === undefined) listener(message as T)
    })
  }

  /** Rejects with what the task threw; its code is `SIGKILL` or the exit code when the process ended before it answered. */
  do<T = unknown>(task: string, args: object = {}): Promise<T> {
    const id = ++this.#ids
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ value, error }) => {
        this.#waiting.delete(id)
        if (error) reject(Object.assign(new Error(error.message), error))
        else resolve(value as T)
      })
      this.#child.send({ id, task, args })
    })
  }

  call<M extends Method>(method: M, ...args: Parameters<Store[M]>): ReturnType<Store[M]> {
    return this.do('call', { method, args }) as ReturnType<Store[M]>
  }

  /** A plan of the engine by its name in support/plans.ts, with what follows its store. */
  plan(name: keyof typeof Plans, ...args: readonly unknown[]): Promise<unknown> {
    return this.do('call', { method: name, args })
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  /** Lets it end by itself, and waits for that. */
  async leave(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.ended
  }
}

/** Ready to be told; gone when the test ends. */
export async function startChild({ umask, uid, env = {} }: ChildOptions = {}): Promise<Child> {
  const shell =
    umask === undefined
      ? {}
      : { execPath: 'sh', execArgv: ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath] }
  const user = uid === undefined ? {} : { uid, gid: uid }
  const running = fork(script, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
    ...user,
    ...shell,
  })
  const child = new Child(running)
  onTestFinished(() => (child.hasEnded ? undefined : child.kill()))
  const ready = await Promise.race([once(running, 'message'), child.ended])
  if (child.hasEnded) throw new Error(`the process did not start: ${String(ready)}`)
  return child
}

export function startChildren(count: number, options: ChildOptions = {}): Promise<Child[]> {
  return Promise.all(Array.from({ length: count }, () => startChild(options)))
}

/** What a promise rejects with; a test that it resolves is one that fails. */
export async function refusalOf(promise: Promise<unknown>): Promise<ChildError> {
  const settled = await promise.then(
    (value) => ({ value }),
    (error: ChildError) => ({ error }),
  )
  if ('value' in settled) throw new Error(`not refused: ${JSON.stringify(settled.value)}`)
  return settled.error
}
