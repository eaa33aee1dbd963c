/** One attempt in a worker's hands, from the handler's start to its outcome. Owns its signal; knows no clock and no store. */
import { WfError } from '../../errors.ts'
import type { ChildJob, ClaimedJob } from '../../domain/job.ts'
import { type AbortKind, AbortReason, abortLeadMs } from './abort-reason.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'

const none: readonly ChildJob[] = []

export class Attempt {
  readonly job: ClaimedJob
  readonly handler: LoadedHandler
  /** Monotonic ms. */
  readonly startedAt: number
  /** Monotonic ms; the attempt ends then, whatever its handler does. */
  readonly timeoutAt: number
  /** Monotonic ms of the next thing to be done about its time: the abort, then the timeout. */
  wakeAt: number
  /** It has its outcome: what its handler still does no longer counts. */
  over = false
  /** Cancelled, or the lease is lost: a failure is nobody's business any more. */
  disowned = false
  children = none
  /** Calls of dependencies that were let through: each may have had its effect. */
  callsMade = 0
  /** What each dependency last failed with, as its breaker counts failures; made when one does. */
  failedCalls: Map<string, unknown> | null = null
  /** Where it stands among the attempts that run. */
  place = -1
  #reason: AbortReason | null = null
  /** Made when the handler first asks for its signal: most never do. */
  #controller: AbortController | null = null

  constructor(job: ClaimedJob, handler: LoadedHandler, startedAt: number) {
    this.job = job
    this.handler = handler
    this.startedAt = startedAt
    this.timeoutAt = startedAt + handler.timeoutMs
    this.wakeAt = this.abortAt
  }

  /** Monotonic ms; its signal aborts then. */
  get abortAt(): number {
    return this.timeoutAt - abortLeadMs(this.handler.timeoutMs)
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#reason) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** What the signal was first aborted for; null when it was not. */
  get abortKind(): AbortKind | null {
    return this.#reason?.kind ?? null
  }

  /** The first reason stays the signal's. A listener that throws is reported by Node as an uncaught exception, not here. */
  abort(kind: AbortKind): void {
    if (this.over) return
    if (kind === 'cancelled' || kind === 'lease_lost') this.disowned = true
    if (this.#reason) return
    this.#reason = new AbortReason(kind)
    this.#controller?.abort(this.#reason)
  }
}

/** What a handler still does after its attempt has its outcome: `enqueue nothing`, `call nothing`. */
export function refuseWhenOver({ over, job }: Attempt, what: string): void {
  if (!over) return
  throw new WfError('refused', `attempt ${job.attempt} of job ${job.key} is over: it can ${what} any more`, {
    hint: 'await all that the handler begins before it returns, and stop when ctx.signal aborts',
  })
}
