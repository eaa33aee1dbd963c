/** How a program holds and lets go: types, breakers and workers, and the steps that jobs take once. Each change is one operation. */
import { parseDuration } from '../text/duration.ts'
import { WfError } from '../errors.ts'
import type { ListedStep, StepFilter } from '../domain/step.ts'
import type { ActionContext } from '../engine/actions/action.ts'
import { applyClose, applyTrip } from '../engine/actions/breakers.ts'
import { checkInput } from '../engine/actions/index.ts'
import { applyForget } from '../engine/actions/steps.ts'
import { applyPause, type PausePlan } from '../engine/actions/types.ts'
import { applyDrain, applyRelease, findWorkers, planDrain, planRelease } from '../engine/actions/workers.ts'
import { inspectBreaker, type InspectedBreaker, type Steered } from '../engine/breaker-admin.ts'
import { untilDrained } from '../engine/drain-workers.ts'
import type { Inspector } from '../engine/inspector.ts'
import { withStats } from '../metrics/stats.ts'
import { releasedOf, releaseTarget, type Released } from '../views/released-workers.ts'
import type { HistoryRow } from '../store/views.ts'
import type { Page } from '../store/page.ts'
import type { Paged } from '../store/page.ts'

interface Reason {
  /** For the record. */
  reason?: string
}

export interface PauseOptions extends Reason {
  /** When it ends by itself: an instant, or a duration from now (milliseconds, or text such as `2h`). Unset: somebody has to resume them. */
  until?: Date | number | string
}

export interface TypesControl extends Pick<Inspector, 'types'> {
  /** No further job of these starts; those that run finish. A type may be paused before its first job. Answers those that were not paused before. */
  pause(types: string | readonly string[], options?: PauseOptions): Promise<readonly string[]>
  /** Answers those that were paused. */
  resume(types: string | readonly string[], options?: Reason): Promise<readonly string[]>
}

export interface TripOptions extends Reason {
  /** How long, 1 s to 30 d: milliseconds, or text such as `10m`. */
  for: number | string
}

export interface BreakersControl {
  /** Those that were ever opened, as they are now. */
  breakers(): Promise<readonly InspectedBreaker[]>
  /** Null: it was never opened. */
  breaker(name: string): Promise<InspectedBreaker | null>
  /** What opened and closed it, the newest first: at most `limit` (default 50), none from before `since`. */
  history(name: string, options?: { limit?: number; since?: Date }): Promise<readonly HistoryRow[]>
  /** No worker calls the dependency for a while. Rejects with a WfError `usage` for a name or a duration that cannot be. */
  trip(name: string, options: TripOptions): Promise<Steered>
  /** Calls pass at once, without a probe; `changed` is false where it was closed already. */
  close(name: string, options?: Reason): Promise<Steered>
}

export interface DrainOptions extends Reason {
  /** Waits until they are gone, at most so long: milliseconds, or text such as `5m`. Unset: does not wait. */
  wait?: number | string
  /** Ends the wait. */
  signal?: AbortSignal
}

export interface DrainedWorkers {
  /** Null where all of them drain already. */
  readonly operation: number | null
  /** Ids of those that were asked now. */
  readonly asked: readonly string[]
  /** Ids of those that were still there when the wait ended; null without one. */
  readonly left: readonly string[] | null
}

export interface ReleaseOptions extends Reason {
  /** Also releases workers that may be alive: their jobs may then run twice at the same time. Default false. */
  force?: boolean
}

export interface ReleasedWorkers {
  /** Null where no worker was released. */
  readonly operation: number | null
  readonly workers: readonly Released[]
}

export interface WorkersControl extends Pick<Inspector, 'workers'> {
  /** They finish what they run, take nothing new, and end: by id or label. Rejects with a WfError `not_found` when one of them is not alive; then none is asked. */
  drain(workers: string | readonly string[], options?: DrainOptions): Promise<DrainedWorkers>
  /**
   * Gives the jobs of dead workers to others now. Watches a worker for half of what is left of its lease at most, and refuses
   * one that is alive.
   */
  release(workers: string | readonly string[], options?: ReleaseOptions): Promise<ReleasedWorkers>
}

export interface StepsControl {
  /** Steps that jobs take once (`ctx.once`), those of the newest jobs first. */
  steps(filter?: StepFilter, page?: Page): Promise<Paged<ListedStep>>
  /** The next attempt does them again: what has taken effect can happen twice. Answers the names of those that were there. */
  forget(key: number, steps: string | readonly string[], options?: Reason): Promise<readonly string[]>
}

export interface Control {
  readonly types: TypesControl
  readonly breakers: BreakersControl
  readonly workers: WorkersControl
  readonly steps: StepsControl
}

const listOf = (words: string | readonly string[]): readonly string[] => [
  ...new Set(typeof words === 'string' ? [words] : words),
]

export function controlOf(actions: ActionContext, inspector: Inspector): Control {
  const { reader } = actions.engine
  const pause = async (types: string | readonly string[], change: Omit<PausePlan, 'types'>) =>
    (await applyPause(actions, { ...change, types: listOf(types) })).changed
  return {
    types: {
      types: () => inspector.types(),
      pause: async (types, { reason = null, until } = {}) =>
        pause(types, {
          paused: true,
          reason,
          untilAt: until === undefined ? null : endOf(until, reader.now()),
        }),
      resume: (types, { reason = null } = {}) => pause(types, { paused: false, reason, untilAt: null }),
    },
    breakers: breakersOf(actions),
    workers: {
      workers: () => inspector.workers(),
      drain: (workers, options = {}) => drain(actions, listOf(workers), options),
      release: (workers, options = {}) => release(actions, listOf(workers), options),
    },
    steps: {
      steps: (filter = {}, page = { limit: 50 }) => reader.allSteps(filter, page),
      forget: async (jobKey, steps, { reason = null } = {}) =>
        (await applyForget(actions, { jobKey, steps: listOf(steps), reason })).forgotten,
    },
  }
}

/** Epoch ms. */
function endOf(until: Date | number | string, now: number): number {
  const at = until instanceof Date ? until.getTime() : now + parseDuration(until, 'until')
  if (at > now) return at
  throw new WfError('usage', 'until is over', {
    hint: 'give an instant that is to come, or a duration such as 30m',
  })
}

function breakersOf(actions: ActionContext): BreakersControl {
  const { reader } = actions.engine
  const inspected = async () => {
    const [rows, types] = await Promise.all([reader.breakers(), reader.types(reader.now())])
    return rows.map((row) => inspectBreaker(row, types, reader.now()))
  }
  return {
    breakers: inspected,
    async breaker(name) {
      const [row, types] = await Promise.all([reader.breaker(name), reader.types(reader.now())])
      return row && inspectBreaker(row, types, reader.now())
    },
    history: (name, { limit = 50, since } = {}) => reader.breakerHistory(name, limit, since?.getTime()),
    async trip(name, { for: length, reason = null }) {
      const { for: forMs } = await checkInput('trip', { breaker: name, for: length })
      return applyTrip(actions, { name, forMs, reason })
    },
    close: (name, { reason = null } = {}) => applyClose(actions, { name, reason }),
  }
}

async function drain(
  actions: ActionContext,
  words: readonly string[],
  { reason, wait, signal }: DrainOptions,
): Promise<DrainedWorkers> {
  const { clock } = actions
  const { reader } = actions.engine
  const timeoutMs = wait === undefined ? null : parseDuration(wait, 'wait')
  const alive = (await reader.workers(reader.now())).filter(({ leaseUntil }) => leaseUntil > reader.now())
  const missing = words.filter((word) => !alive.some(({ id, label }) => id === word || label === word))
  if (missing.length > 0)
    throw new WfError('not_found', `there is no living worker ${missing.join(', ')}`, {
      hint: 'workers.workers() answers those that there are',
    })
  const meant = alive.filter(({ id, label }) => words.includes(id) || words.includes(label))
  const targets = meant.map((row) => ({ id: row.id, row, running: row.running }))
  const plan = planDrain(targets, { now: reader.now(), reason: reason ?? null })
  const asked = plan.workers.filter(({ is }) => is === 'asked').map(({ id }) => id)
  const operation = await applyDrain(actions, plan)
  if (timeoutMs === null) return { operation, asked, left: null }
  const workerIds = meant.map(({ id }) => id)
  return {
    operation,
    asked,
    left: await untilDrained({ store: reader, clock, workerIds, timeoutMs, signal }),
  }
}

async function release(
  actions: ActionContext,
  words: readonly string[],
  { reason, force: forced = false }: ReleaseOptions,
): Promise<ReleasedWorkers> {
  const found = await findWorkers(actions.engine.reader, words)
  const plan = await planRelease(actions, { found, forced, reason: reason ?? null })
  const { released, operation } = await withStats(actions, () =>
    applyRelease(actions, plan, (results) => releasedOf(results, found).map(releaseTarget)),
  )
  return { operation, workers: releasedOf(released, found) }
}
