/**
 * The shutdown of one worker: why it ends, when running handlers are aborted, when their jobs are given back, and how long the
 * store may take over the last outcomes. Repeated calls can only bring the deadlines forward.
 */
import type { Cancel, Clock } from '../clock.ts'
import type { Intake } from './intake/intake.ts'
import type { LeaveReason } from './ipc.ts'
import { interrupted, type Outbox } from './outbox/outbox.ts'
import type { Runner } from './runner/runner.ts'

export interface ShutdownOptions {
  clock: Clock
  intake: Pick<Intake, 'close' | 'waiting'>
  runner: Pick<Runner, 'running' | 'abort' | 'giveUp'>
  outbox: Pick<Outbox, 'isIdle' | 'retryNow'>
  /** `complete` is false if the store did not take every outcome in time. */
  onEnd(complete: boolean): void
}

export interface ShutdownTimes {
  abortInMs: number
  graceMs: number
}

/** How long the store may take over the last outcomes. */
export const lastOutcomesMs = 200

export class Shutdown {
  /** Resolves with the first reason, when the worker has ended. */
  readonly finished: Promise<LeaveReason>
  readonly #options: ShutdownOptions
  #reason: LeaveReason | null = null
  #ended = false
  #resolve: (reason: LeaveReason) => void = () => undefined
  readonly #timers: Cancel[] = []

  constructor(options: ShutdownOptions) {
    this.#options = options
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get hasBegun(): boolean {
    return this.#reason !== null
  }

  begin(reason: LeaveReason): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#options.intake.close()
    this.check()
  }

  /** Sets deadlines, counted from now. The soonest of each kind holds. */
  limit({ abortInMs, graceMs }: ShutdownTimes, lastMs: number = lastOutcomesMs): void {
    if (this.#ended) return
    const { runner, outbox } = this.#options
    this.#at(abortInMs, () => runner.abort(runner.running, 'shutdown'))
    this.#at(graceMs, () => {
      for (const attempt of [...runner.running]) runner.giveUp(attempt, interrupted)
      outbox.retryNow()
    })
    this.#at(graceMs + lastMs, () => this.#end(this.#isDone))
  }

  /** Ends the worker if it is shutting down, nothing runs and every outcome is stored. */
  check(): void {
    if (this.#reason !== null && !this.#ended && this.#isDone) this.#end(true)
  }

  get #isDone(): boolean {
    const { intake, runner, outbox } = this.#options
    return runner.running.size === 0 && intake.waiting.length === 0 && outbox.isIdle
  }

  /** Acts before it returns if `ms` is 0. */
  #at(ms: number, act: () => void): void {
    if (ms <= 0) act()
    else this.#timers.push(this.#options.clock.after(ms, act))
  }

  #end(complete: boolean): void {
    if (this.#ended || this.#reason === null) return
    this.#ended = true
    for (const cancel of this.#timers) cancel()
    this.#options.onEnd(complete)
    this.#resolve(this.#reason)
  }
}
