/** One child process, from its fork to its exit, with what it reported about itself. */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { ChildSetup, LeaveReason, ToSupervisor } from '../ipc.ts'
import type { HeldAttempt } from '../leases/renewals.ts'
import type { OutcomeCounts } from '../outcome-counts.ts'
import { type ChildExit, type ChildProcess, exitText } from './child-process.ts'

export type Ready = Extract<ToSupervisor, { kind: 'ready' }>

export interface SupervisedChildOptions {
  process: ChildProcess
  setup: ChildSetup
  /** The position that it fills: `1`, `2`, `quarantine`. */
  post: string
  clock: Clock
  log: Logger
  /** Called at the first settled job and then a few times a second at most. */
  onOutcomes(): void
}

export class SupervisedChild {
  readonly id: string
  readonly post: string
  readonly suspects: boolean
  readonly process: ChildProcess
  readonly heartbeat = new Heartbeat()
  /** Resolves when the handlers are loaded; rejects with the reason when they cannot be. */
  readonly ready: Promise<Ready>
  readonly exited: Promise<ChildExit>
  phase: 'loading' | 'loaded' | 'working' | 'gone' = 'loading'
  declared: Ready | null = null
  leaving: LeaveReason | null = null
  counts: OutcomeCounts = {}
  /** Killed by an operator, or by a machine that is out of memory. */
  wasKilledByOthers = false
  /** Why the supervisor killed it. */
  killed: 'hung' | 'overdue' | null = null
  readonly #options: SupervisedChildOptions
  #settle: { loaded: (ready: Ready) => void; failed: (error: WfError) => void } = {
    loaded: () => {},
    failed: () => {},
  }

  constructor(options: SupervisedChildOptions) {
    const { process, setup, post, clock } = options
    this.#options = options
    this.id = setup.workerId
    this.post = post
    this.suspects = setup.suspects
    this.process = process
    this.ready = new Promise((loaded, failed) => {
      this.#settle = { loaded, failed }
    })
    this.ready.catch(() => {})
    const cancel = clock.after(setup.loadMs + blockedMs, () => this.#tooLate())
    this.ready.then(cancel, cancel)
    process.onMessage((message) => this.#take(message))
    this.exited = process.exited.then((exit) => this.#ended(exit))
    process.send({ kind: 'setup', setup })
  }

  go(): void {
    this.phase = 'working'
    this.process.send({ kind: 'go' })
  }

  held(attempts: readonly HeldAttempt[], leaseLeftMs: number): void {
    this.process.send({ kind: 'held', attempts, leaseLeftMs })
  }

  fence(): void {
    this.process.send({ kind: 'fence' })
  }

  /** Kills a process that has not started to work: it has nothing to finish. */
  drain(graceMs: number, abortInMs: number): void {
    if (this.phase === 'working') this.process.send({ kind: 'drain', graceMs, abortInMs })
    else this.kill('overdue')
  }

  /** Gives everything back now. */
  stop(): void {
    if (this.phase === 'working') this.process.send({ kind: 'stop' })
    else this.kill('overdue')
  }

  kill(why: 'hung' | 'overdue'): void {
    if (this.phase === 'gone') return
    this.killed ??= why
    this.process.kill()
  }

  #take(message: ToSupervisor): void {
    if (message.kind === 'pong') this.heartbeat.pong(message.id)
    else if (message.kind === 'ready') this.#loaded(message)
    else if (message.kind === 'load_failed')
      this.#failed(new WfError(message.code, message.message, { hint: message.hint }))
    else if (message.kind === 'leaving') this.leaving = message.reason
    else if (message.kind === 'log')
      this.#options.log
        .child({ ...message.bound, worker: this.id })
        [message.level](message.message, message.fields)
    else if (message.kind === 'outcomes') {
      this.counts = message.counts
      this.#options.onOutcomes()
    }
  }

  #loaded(message: Ready): void {
    if (this.phase !== 'loading') return
    this.phase = 'loaded'
    this.declared = message
    this.#settle.loaded(message)
  }

  #failed(error: WfError): void {
    this.#settle.failed(error)
  }

  #tooLate(): void {
    const limit = `${this.#options.setup.loadMs / 1000} s`
    this.#failed(
      new WfError('handler_load_failed', `loading ${this.#files()} took longer than ${limit}`, {
        hint: loadHint,
      }),
    )
    this.kill('overdue')
  }

  #ended(exit: ChildExit): ChildExit {
    this.phase = 'gone'
    this.wasKilledByOthers = exit.signal === 'SIGKILL' && this.killed === null
    const how = exitText(exit)
    this.#failed(
      new WfError('handler_load_failed', `the process ${how} while it loaded ${this.#files()}`, {
        hint: loadHint,
      }),
    )
    return exit
  }

  #files(): string {
    return this.#options.setup.files.join(', ')
  }
}

/** The child applies the limit itself; this margin is for one whose event loop is blocked. */
const blockedMs = 1000

const loadHint =
  'a handler module defines handlers and returns: it must not wait forever, loop, or end the process'

/**
 * Measures whether a child answers. One ping is in flight at a time; only time in which this process was awake counts, because after
 * a sleep both ends are late.
 */
export class Heartbeat {
  #id = 0
  #answered = 0
  #silentMs = 0

  /** Call every tick. Returns the id of a ping to send now, or null while one is in flight. */
  tick(passedMs: number, tickMs: number): number | null {
    if (this.#answered === this.#id) return ++this.#id
    this.#silentMs += Math.min(passedMs, 2 * tickMs)
    return null
  }

  pong(id: number): void {
    this.#answered = Math.max(this.#answered, id)
    if (this.#answered === this.#id) this.#silentMs = 0
  }

  /** Milliseconds of waking time since the unanswered ping was sent. */
  get silentMs(): number {
    return this.#silentMs
  }
}
