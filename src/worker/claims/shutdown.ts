/**
 * The end of a worker: why it leaves, when what runs is told to abort, when it is given back, and when waiting for the
 * store is over. Asked again, it only ever becomes sooner. It owns the times; the worker owns the attempts.
 */
import type { Cancel, Clock } from '../../clock.ts'
import type { LeaveReason } from '../ipc.ts'

export interface DepartureParts {
  clock: Clock
  /** No new starts from now on. */
  onBegin(): void
  abort(): void
  /** Gives back what still runs. */
  giveUp(): void
  /** Nothing runs and every outcome is stored. */
  isDone(): boolean
  /** `complete` is false when the store did not take everything in time. */
  onEnd(complete: boolean): void
}

export interface DepartureTimes {
  abortInMs: number
  graceMs: number
}

/** How long the store may take over the last outcomes. */
export const lastWordMs = 200

export class Departure {
  /** Resolves with the first reason, when the worker is gone. */
  readonly finished: Promise<LeaveReason>
  readonly #parts: DepartureParts
  #reason: LeaveReason | null = null
  #ended = false
  #resolve: (reason: LeaveReason) => void = () => undefined
  readonly #timers: Cancel[] = []

  constructor(parts: DepartureParts) {
    this.#parts = parts
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
    this.#parts.onBegin()
    this.check()
  }

  /** Counted from now. Every call adds its own times, so the soonest of each holds. */
  limit({ abortInMs, graceMs }: DepartureTimes, lastMs: number = lastWordMs): void {
    if (this.#ended) return
    const { abort, giveUp } = this.#parts
    this.#at(abortInMs, abort)
    this.#at(graceMs, giveUp)
    this.#at(graceMs + lastMs, () => this.#end(this.#parts.isDone()))
  }

  /** Something ended. */
  check(): void {
    if (this.#reason !== null && !this.#ended && this.#parts.isDone()) this.#end(true)
  }

  /** What is due now is done before the call returns. */
  #at(ms: number, act: () => void): void {
    if (ms <= 0) act()
    else this.#timers.push(this.#parts.clock.after(ms, act))
  }

  #end(complete: boolean): void {
    if (this.#ended || this.#reason === null) return
    this.#ended = true
    for (const cancel of this.#timers) cancel()
    this.#parts.onEnd(complete)
    this.#resolve(this.#reason)
  }
}
