/**
 * Effects that a job must have once: the intent is stored before the effect, its result after. An intent without a result
 * means that nobody knows: then the other side is asked, or the effect is made again and the operator sees it. It owns the
 * order of these; what is stored, and whether the attempt may still store it, is the store's.
 */
import type { Clock } from '../../clock.ts'
import { type ErrorCode, WfError } from '../../errors.ts'
import { IncidentError } from '../../domain/handler-errors.ts'
import type { Fence } from '../../domain/job.ts'
import { toJson } from '../../text/json.ts'
import { preview } from '../../text/preview.ts'
import { refusalIn } from '../../resilience/dependency-refused.ts'
import { type BegunStep, checkStepName, stepLimits } from '../../domain/step.ts'
import { type Attempt, refuseWhenOver } from './attempt.ts'
import type { OnceOptions } from '../handler/define-handler.ts'
import type { AttemptServices } from './attempt-services.ts'

export interface AttemptStepsParts {
  attempt: Attempt
  services: AttemptServices
  clock: Clock
  /** The store's clock, epoch ms. */
  now: () => number
}

/** What is done by a step, and how the other side is asked whether it was. */
interface Effect<T> {
  fn: () => PromiseLike<T> | T
  verify: OnceOptions<T>['verify']
}

const storeRetryMs = 250
const troubles: ReadonlySet<string> = new Set([
  'store_locked',
  'store_full',
  'store_unavailable',
] satisfies ErrorCode[])

export class AttemptSteps {
  readonly #parts: AttemptStepsParts
  readonly #fence: Fence
  /** The same step twice at once is one step. */
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor(parts: AttemptStepsParts) {
    const { key, attempt, workerId } = parts.attempt.job
    this.#parts = parts
    this.#fence = { jobKey: key, attempt, workerId: workerId ?? '' }
  }

  /** Rejects with what `fn` or `verify` threw: the step's outcome is then unknown to the next who comes. */
  async once<T>(step: string, fn: Effect<T>['fn'], { verify }: OnceOptions<T> = {}): Promise<T> {
    const name = checkedName(step)
    const other = this.#underWay.get(name)
    if (other) return (await other) as T
    const result = this.#once(name, { fn, verify })
    this.#underWay.set(name, result)
    try {
      return await result
    } finally {
      this.#underWay.delete(name)
    }
  }

  async #once<T>(step: string, effect: Effect<T>): Promise<T> {
    const { attempt, services, now } = this.#parts
    this.#refuse()
    const begun = await this.#stored(() => services.steps.beginStep(this.#fence, step, now()))
    if ('result' in begun) {
      services.remembered(attempt.job, step)
      return JSON.parse(begun.result) as T
    }
    if (begun.intent === 'stale') throw this.#notOurs(step)
    // It may have ended, or its lease may be gone, while the store was asked.
    this.#refuse()
    return this.#complete(step, await this.#done(step, begun.intent, effect))
  }

  async #done<T>(step: string, intent: 'new' | 'unknown', { fn, verify }: Effect<T>): Promise<T> {
    if (intent === 'new') return this.#anew(step, fn)
    this.#parts.services.unknown(this.#parts.attempt.job, step)
    const found = await verify?.()
    if (found !== undefined) return found
    this.#refuse()
    return fn()
  }

  /** What a breaker or a bulkhead let no call of through has had no effect: the step is as if it had not begun, and nobody is in doubt. */
  async #anew<T>(step: string, fn: Effect<T>['fn']): Promise<T> {
    const { attempt, services } = this.#parts
    const before = attempt.callsMade
    try {
      return await fn()
    } catch (thrown) {
      // Where it cannot be taken back it stays in doubt, which is safe.
      if (attempt.callsMade === before && wasKeptOut(thrown))
        await services.steps.withdrawStep(this.#fence, step).catch(() => {})
      throw thrown
    }
  }

  /** The first result is the one that counts, as it was stored: every attempt sees the same. */
  async #complete<T>(step: string, value: T): Promise<T> {
    const { services, now } = this.#parts
    const json = toJson(value ?? null, {
      maxBytes: stepLimits.resultBytes,
      what: `the result of step ${preview(step, 60)}`,
    })
    if (!json.ok) throw new IncidentError(`${json.refusal}: it has taken effect, and would again`)
    const completed = await this.#stored(() =>
      services.steps.completeStep(this.#fence, step, json.text, now()),
    )
    if (!('result' in completed)) throw this.#notOurs(step)
    return JSON.parse(completed.result) as T
  }

  #refuse(): void {
    refuseWhenOver(this.#parts.attempt, 'begin no step')
    this.#parts.attempt.signal.throwIfAborted()
  }

  /** A store that is locked or away is asked again while the attempt lasts: an effect that is not noted is an effect in doubt. */
  async #stored<T extends BegunStep | { result: string }>(ask: () => Promise<T>): Promise<T> {
    const { attempt, clock } = this.#parts
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        const isTrouble = error instanceof WfError && troubles.has(error.code)
        if (!isTrouble || attempt.over || attempt.disowned || clock.monotonic() >= attempt.timeoutAt)
          throw error
        await clock.sleep(storeRetryMs)
      }
    }
  }

  #notOurs(step: string): WfError {
    const { key, attempt } = this.#parts.attempt.job
    return new WfError(
      'refused',
      `attempt ${attempt} of job ${key} is no longer the job's: its step ${preview(step, 60)} is another's to do`,
    )
  }
}

/** A call was refused; one that was asked to come back later was made. */
function wasKeptOut(thrown: unknown): boolean {
  const by = refusalIn(thrown)?.by
  return by === 'breaker' || by === 'bulkhead'
}

function checkedName(step: unknown): string {
  if (typeof step !== 'string')
    throw new WfError('usage', `the step is ${preview(step, 60)}`, {
      hint: "name it: ctx.once('charge', fn)",
    })
  checkStepName(step)
  return step
}
