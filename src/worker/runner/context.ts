/**
 * What a handler is given beside its job. Its methods work when they are taken off it (`run(job, { log, enqueue })`).
 * After the attempt has its outcome nothing that a handler still does through it is kept.
 */
import type { Clock } from '../../clock.ts'
import { WfError } from '../../errors.ts'
import { limits, type ChildJob, type SizeLimits } from '../../domain/job.ts'
import { newJob } from '../../domain/new-job.ts'
import { preview } from '../../text/preview.ts'
import type { Logger } from '../../logger.ts'
import type { Progress } from '../../store/port.ts'
import { type Attempt, refuseWhenOver } from './attempt.ts'
import { AttemptCalls } from './attempt-calls.ts'
import { AttemptSteps } from './attempt-steps.ts'
import type { ChildOptions, DependencyCall, HandlerContext, OnceOptions } from '../handler/define-handler.ts'
import type { AttemptServices } from './attempt-services.ts'

export interface ContextParts {
  clock: Clock
  /** The store's clock, epoch ms. */
  now: () => number
  log: Logger
  storeId: string
  sizes: SizeLimits
  services: AttemptServices
  /** Takes what handlers tell; whoever listens stores it at most once a second. */
  progress: (progress: Progress) => void
}

const longestNote = 500

export class AttemptContext implements HandlerContext {
  readonly #attempt: Attempt
  readonly #parts: ContextParts
  #log: Logger | null = null
  #calls: AttemptCalls | null = null
  #steps: AttemptSteps | null = null

  constructor(attempt: Attempt, parts: ContextParts) {
    this.#attempt = attempt
    this.#parts = parts
  }

  get signal(): AbortSignal {
    return this.#attempt.signal
  }

  get attempt(): number {
    return this.#attempt.job.attempt
  }

  get idempotencyKey(): string {
    const { key, effectsEpoch } = this.#attempt.job
    return `wf-job-${key}-${this.#parts.storeId}${effectsEpoch > 0 ? `-${effectsEpoch}` : ''}`
  }

  get log(): Logger {
    const { key, type, attempt } = this.#attempt.job
    this.#log ??= this.#parts.log.child({ job: key, type, attempt })
    return this.#log
  }

  readonly timeLeftMs = (): number => Math.max(0, this.#attempt.timeoutAt - this.#parts.clock.monotonic())

  readonly call = <T>(dependency: string, fn: DependencyCall<T>): Promise<T> =>
    this.#called().call(dependency, fn)

  readonly optional = <T>(feature: string, fn: DependencyCall<T>): Promise<T | undefined> =>
    this.#called().optional(feature, fn)

  readonly once = <T>(step: string, fn: () => PromiseLike<T> | T, options?: OnceOptions<T>): Promise<T> => {
    const { services, clock, now } = this.#parts
    this.#steps ??= new AttemptSteps({ attempt: this.#attempt, services, clock, now })
    return this.#steps.once(step, fn, options)
  }

  readonly progress = (fraction: number, note?: string): void => {
    if (typeof fraction !== 'number' || !(fraction >= 0 && fraction <= 1)) {
      throw new WfError('usage', `progress is ${preview(fraction, 60)}; it must be a number from 0 to 1`, {
        hint: 'write ctx.progress(done / total)',
      })
    }
    if (this.#attempt.over) return
    const { key, attempt } = this.#attempt.job
    this.#parts.progress({
      jobKey: key,
      attempt,
      fraction,
      note: note === undefined ? null : String(note).slice(0, longestNote),
    })
  }

  readonly enqueue = (type: string, variables: object, options: ChildOptions = {}): void => {
    const attempt = this.#attempt
    refuseWhenOver(attempt, 'enqueue nothing')
    if (attempt.children.length >= limits.childrenPerAttempt) {
      throw new WfError('invalid_job', `an attempt can enqueue at most ${limits.childrenPerAttempt} jobs`, {
        hint: 'enqueue one job that enqueues the rest',
      })
    }
    attempt.children = [...attempt.children, this.#child(type, variables, options)]
  }

  /** Made when the first is made: most attempts never call. */
  #called(): AttemptCalls {
    this.#calls ??= new AttemptCalls(this.#attempt, this.#parts.services, this.#parts.clock)
    return this.#calls
  }

  #child(type: string, variables: object, { when = 'success', ...options }: ChildOptions): ChildJob {
    if (when !== 'success' && when !== 'stopped') {
      throw new WfError('invalid_job', `when is ${preview(when, 60)}`, {
        hint: "when is 'success' or 'stopped'",
      })
    }
    const { now, sizes } = this.#parts
    return {
      ...newJob(
        { ...options, type, variables, parentKey: this.#attempt.job.key },
        now(),
        sizes.variablesBytes,
      ),
      when,
    }
  }
}
