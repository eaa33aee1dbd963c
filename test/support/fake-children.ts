/** Child processes that a test plays itself: what they are told is kept, what they say and how they end the test decides. */
import type { ChildExit, ChildProcess } from '../../src/worker/supervisor/child-process.ts'
import type { ToChild, ToSupervisor } from '../../src/worker/ipc.ts'
import { plainPolicy } from './test-engine.ts'

export class FakeChild implements ChildProcess {
  readonly told: ToChild[] = []
  readonly pid: number
  readonly exited: Promise<ChildExit>
  killed = false
  /** Pings are answered while it is true. */
  answers = true
  #end: (exit: ChildExit) => void = () => {}
  #listeners: ((message: ToSupervisor) => void)[] = []

  constructor(pid: number) {
    this.pid = pid
    this.exited = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  send(message: ToChild): void {
    this.told.push(message)
    if (message.kind === 'ping' && this.answers) this.say({ kind: 'pong', id: message.id })
  }

  onMessage(listener: (message: ToSupervisor) => void): void {
    this.#listeners.push(listener)
  }

  kill(): void {
    this.killed = true
    this.ends({ signal: 'SIGKILL' })
  }

  say(message: ToSupervisor): void {
    for (const listener of this.#listeners) listener(message)
  }

  ends({ code = null, signal = null }: { code?: number | null; signal?: NodeJS.Signals | null }): void {
    this.#end({ code, signal, error: null })
  }

  /** As a child that has loaded one handler for `mail`. */
  loads(timeoutMs = 60_000): void {
    const types = [
      {
        type: 'mail',
        timeoutMs,
        concurrency: 10,
        retries: 3,
        backlogLimit: null,
        onExhausted: 'incident' as const,
      },
    ]
    this.say({ kind: 'ready', types, policies: { mail: plainPolicy }, concurrency: 10 })
  }

  leaves(reason: Extract<ToSupervisor, { kind: 'leaving' }>['reason']): void {
    this.say({ kind: 'leaving', reason, exitCode: 0 })
    this.ends({ code: 0 })
  }

  heard(kind: ToChild['kind']): ToChild[] {
    return this.told.filter((message) => message.kind === kind)
  }

  get workerId(): string {
    const [message] = this.told
    return message?.kind === 'setup' ? message.setup.workerId : ''
  }

  get suspects(): boolean {
    const [message] = this.told
    return message?.kind === 'setup' && message.setup.suspects
  }
}
