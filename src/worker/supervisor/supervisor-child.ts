/** One incarnation of a child process, from its fork to its exit. BreakerAdmission what it said about itself; decides nothing about its replacement. */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { ChildExit, ChildProcess } from './child-process.ts'
import { wordsOfExit } from './child-process.ts'
import type { HeldAttempt } from '../leases/lease-renewals.ts'
import type { ChildSetup, LeaveReason, ToSupervisor } from '../ipc.ts'
import { Pulse } from './heartbeat.ts'
import type { OutcomeCounts } from '../outcome-counts.ts'

export type Ready = Extract<ToSupervisor, { kind: 'ready' }>

export interface SupervisedChildOptions {
  process: ChildProcess
  setup: ChildSetup
  /** The position that it fills: `1`, `2`, `quarantine`. */
  post: string
  clock: Clock
  log: Logger
  /** Called at the first settled job and then a few times a second at most. */
  onTally(): void
}

export class SupervisedChild {
  readonly id: string
  readonly post: string
  readonly suspects: boolean
  readonly process: ChildProcess
  readonly pulse = new Pulse()
  /** Resolves when the handlers are loaded; rejects with the reason when they cannot be. */
  readonly ready: Promise<Ready>
  readonly exited: Promise<ChildExit>
  phase: 'loading' | 'loaded' | 'working' | 'gone' = 'loading'
  declared: Ready | null = null
  leaving: LeaveReason | null = null
  tally: OutcomeCounts = {}
  /** SIGKILL from elsewhere: an operator, or a machine that is out of memory. */
  wasKilledByOthers = false
  /** Why this side ended it. */
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

  /** One that has not started to work has nothing to finish. */
  drain(graceMs: number, abortInMs: number): void {
    if (this.phase === 'working') this.process.send({ kind: 'drain', graceMs, abortInMs })
    else this.kill('overdue')
  }

  /** Everything back now. */
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
    if (message.kind === 'pong') this.pulse.pong(message.id)
    else if (message.kind === 'ready') this.#loaded(message)
    else if (message.kind === 'load_failed')
      this.#failed(new WfError(message.code, message.message, { hint: message.hint }))
    else if (message.kind === 'leaving') this.leaving = message.reason
    else if (message.kind === 'log')
      this.#options.log
        .child({ ...message.bound, worker: this.id })
        [message.level](message.message, message.fields)
    else if (message.kind === 'tally') {
      this.tally = message.tally
      this.#options.onTally()
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
    const how = wordsOfExit(exit)
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

/** The child has the limit itself; one whose event loop is blocked is ended from here. */
const blockedMs = 1000

const loadHint =
  'a handler module defines handlers and returns: it must not wait for ever, loop, or end the process'
