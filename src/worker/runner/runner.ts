/**
 * Runs attempts: variables, schema, handler, outcome. Whatever a handler does, throws or returns ends as exactly one outcome, at
 * the latest at its timeout. Owns the running attempts, their signals and their deadlines. Knows neither the store nor what an
 * outcome makes of a job (`decide`).
 */
import type { Clock } from '../../clock.ts'
import { errorRecord, ownErrorRecord } from '../../domain/error-record.ts'
import { sizeSettings, type ClaimedJob } from '../../domain/job.ts'
import { toJson } from '../../text/json.ts'
import type { Outcome } from '../../domain/outcome.ts'
import { deferUntil } from '../../domain/handler-errors.ts'
import { outcomeOfThrow } from '../../domain/classify-error.ts'
import { refusalIn } from '../../resilience/dependency-refused.ts'
import { type AbortKind, AbortReason, timeoutMessage } from './abort-reason.ts'
import { Attempt } from './attempt.ts'
import { AttemptTimers } from './attempt-timers.ts'
import { AttemptContext, type ContextParts } from './context.ts'
import type { ActivatedJob } from '../handler/define-handler.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { isThenable } from './thenable.ts'
import { prepareVariables, type Prepared } from './variables.ts'
import { RunningAttempts, type Running } from './running-attempts.ts'

/** An attempt that is over. */
export interface AttemptEnd {
  attempt: Attempt
  /** Null if the attempt is no longer this worker's: not reported. */
  outcome: Outcome | null
  /** Monotonic ms since the start. */
  durationMs: number
}

export interface RunnerOptions extends ContextParts {
  onEnd: (end: AttemptEnd) => void
}

export class Runner {
  readonly running: Running
  readonly #running = new RunningAttempts()
  readonly #options: RunnerOptions
  readonly #clock: Clock
  readonly #timers: AttemptTimers
  #abandoned = 0

  constructor(options: RunnerOptions) {
    this.running = this.#running
    this.#options = options
    this.#clock = options.clock
    this.#timers = new AttemptTimers(options.clock, this.#running, this.#wake)
  }

  /** Handlers that have not settled although their attempt is over; they hold memory, and perhaps connections. */
  get abandoned(): number {
    return this.#abandoned
  }

  start(job: ClaimedJob, handler: LoadedHandler): Attempt {
    const now = this.#clock.monotonic()
    const attempt = new Attempt(job, handler, now)
    this.#running.add(attempt)
    this.#timers.expect(attempt.wakeAt, now)
    this.#prepare(attempt)
    return attempt
  }

  abort(attempts: Iterable<Attempt>, kind: AbortKind): void {
    for (const attempt of [...attempts]) attempt.abort(kind)
  }

  /** Ends an attempt without waiting for its handler, which is abandoned. */
  giveUp(attempt: Attempt, outcome: Outcome): void {
    if (attempt.over) return
    this.#abandoned++
    this.#end(attempt, attempt.disowned ? null : outcome)
  }

  /** Cancels its timers. */
  close(): void {
    this.#timers.close()
  }

  #prepare(attempt: Attempt): void {
    const prepared = prepareVariables(attempt.job.variables, attempt.handler)
    if (isThenable(prepared)) void prepared.then((late) => this.#call(attempt, late))
    else this.#call(attempt, prepared)
  }

  #call(attempt: Attempt, prepared: Prepared): void {
    if (attempt.over || !prepared.ok) {
      this.#finish(attempt, () => (prepared.ok ? null : prepared.outcome))
      return
    }
    try {
      const returned = attempt.handler.run(
        activated(attempt.job, prepared.variables),
        new AttemptContext(attempt, this.#options),
      )
      if (isThenable(returned)) this.#await(attempt, returned)
      else this.#finish(attempt, () => this.#outcomeOfReturn(returned))
    } catch (thrown) {
      this.#finish(attempt, () => this.#outcomeOfThrow(attempt, thrown))
    }
  }

  #await(attempt: Attempt, returned: PromiseLike<unknown>): void {
    Promise.resolve(returned).then(
      (value) => this.#finish(attempt, () => this.#outcomeOfReturn(value)),
      (thrown: unknown) => this.#finish(attempt, () => this.#outcomeOfThrow(attempt, thrown)),
    )
  }

  /** The handler has settled: in time, or when its attempt was over long since. */
  #finish(attempt: Attempt, judge: () => Outcome | null): void {
    if (attempt.over) {
      this.#abandoned--
      return
    }
    this.#end(attempt, judged(judge))
  }

  /** A return is a success whatever happened meanwhile. Where it cannot be stored its effect has happened all the same: a person decides. */
  #outcomeOfReturn(value: unknown): Outcome {
    if (value === undefined) return { kind: 'success' }
    const json = toJson(value, {
      maxBytes: this.#options.sizes.resultBytes,
      what: 'the result',
      setting: sizeSettings.result,
    })
    if (json.ok) return { kind: 'success', result: json.text }
    return {
      kind: 'result_invalid',
      error: ownErrorRecord({ name: 'ResultInvalid', code: 'RESULT_INVALID', message: json.refusal }),
    }
  }

  #outcomeOfThrow(attempt: Attempt, thrown: unknown): Outcome | null {
    if (thrown instanceof Promise) thrown.catch(ignored)
    if (attempt.disowned) return null
    switch (attempt.abortKind) {
      case 'timeout':
        return timedOut(attempt, thrown)
      case 'shutdown':
        return { kind: 'interrupted', reason: 'the worker shut down' }
      default:
        return (
          refused(attempt, thrown, this.#options.now()) ??
          outcomeOfThrow(thrown, { now: this.#options.now(), businessErrors: attempt.handler.businessErrors })
        )
    }
  }

  /** The abort always comes first: where the loop was blocked beyond the timeout, a handler that is just about to return still can. */
  readonly #wake = (attempt: Attempt, now: number): void => {
    if (attempt.wakeAt < attempt.timeoutAt) {
      attempt.wakeAt = Math.max(attempt.timeoutAt, now)
      attempt.abort('timeout')
    } else {
      this.giveUp(attempt, timedOut(attempt))
    }
  }

  #end(attempt: Attempt, outcome: Outcome | null): void {
    attempt.over = true
    this.#running.delete(attempt)
    this.#options.onEnd({ attempt, outcome, durationMs: this.#clock.monotonic() - attempt.startedAt })
  }
}

function activated(job: ClaimedJob, variables: unknown): ActivatedJob<unknown> {
  const { key, type, attempt, retries, createdAt, deadlineAt } = job
  return {
    key,
    type,
    variables,
    attempt,
    retries,
    createdAt: new Date(createdAt),
    deadlineAt: deadlineAt === null ? null : new Date(deadlineAt),
  }
}

/** A dependency that was not let through, or that asks to be left alone for a while: no failure of the job's. */
function refused({ failedCalls }: Attempt, thrown: unknown, now: number): Outcome | null {
  const refusal = refusalIn(thrown)
  if (!refusal) return null
  const { by, dependency, message } = refusal
  const until = deferUntil(refusal, now)
  if (by !== 'breaker' || !failedCalls?.has(dependency)) return { kind: 'defer', until, reason: message, by }
  const failure = errorRecord(failedCalls.get(dependency))
  return {
    kind: 'defer',
    until,
    reason: `${message}; its own call had failed: ${failure.message}`,
    by,
    failure,
  }
}

function timedOut({ handler }: Attempt, thrown?: unknown): Outcome {
  const own = { name: 'TimeoutError', code: 'WF_TIMEOUT', message: timeoutMessage(handler.timeoutMs) }
  // What a handler that listens throws is most often our own reason again, and says nothing new.
  const cause = thrown === undefined || thrown instanceof AbortReason ? {} : { cause: errorRecord(thrown) }
  return { kind: 'fail', category: 'timeout', error: ownErrorRecord({ ...own, ...cause }) }
}

/** A rejected promise that was thrown instead of awaited is this failure, not an uncaught one beside it. */
function ignored(): void {}

/** Nothing that a handler returns or throws, a trap in a Proxy included, keeps its attempt from ending. */
function judged(judge: () => Outcome | null): Outcome | null {
  try {
    return judge()
  } catch (error) {
    return { kind: 'fail', category: 'error', error: errorRecord(error) }
  }
}
