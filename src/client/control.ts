/** How a program holds and lets go: types, breakers and workers, and the steps that jobs take once. Each change is one operation. */
import { forgetSteps } from '../engine/plans/steps.ts'
import { parseDuration } from '../text/duration.ts'
import { WfError } from '../errors.ts'
import { namedWords } from '../messages/operation-messages.ts'
import type { ListedStep, StepFilter } from '../domain/step.ts'
import {
  closeBreaker,
  inspectBreaker,
  tripBreaker,
  type InspectedBreaker,
  type Steered,
} from '../engine/breaker-admin.ts'
import { drainWorkers, untilDrained } from '../engine/drain-workers.ts'
import type { Inspector } from '../engine/inspector.ts'
import { asOperation } from '../engine/operation-log.ts'
import type { ChangedBy } from './changes.ts'
import type { HistoryRow } from '../store/views.ts'
import type { Page, Paged } from '../store/page.ts'

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

export interface WorkersControl extends Pick<Inspector, 'workers'> {
  /** They finish what they run, take nothing new, and end: by id or label. Rejects with a WfError `not_found` when one of them is not alive; then none is asked. */
  drain(workers: string | readonly string[], options?: DrainOptions): Promise<DrainedWorkers>
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

export function controlOf(by: ChangedBy, inspector: Inspector): Control {
  const { store } = by.engine
  const pause = (
    types: string | readonly string[],
    paused: boolean,
    { reason = null, untilAt = null }: { reason?: string | null; untilAt?: number | null },
  ) => by.engine.pauseTypes(listOf(types), { paused, untilAt, reason, who: by.who })
  return {
    types: {
      types: () => inspector.types(),
      pause: async (types, { reason = null, until } = {}) =>
        pause(types, true, { reason, untilAt: until === undefined ? null : endOf(until, store.now()) }),
      resume: (types, { reason = null } = {}) => pause(types, false, { reason }),
    },
    breakers: breakersOf(by),
    workers: {
      workers: () => inspector.workers(),
      drain: (workers, options = {}) => drain(by, listOf(workers), options),
    },
    steps: {
      steps: (filter = {}, page = { limit: 50 }) => store.allSteps(filter, page),
      forget: (key, steps, { reason = null } = {}) => forget(by, key, { steps: listOf(steps), reason }),
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

const [shortestTripMs, longestTripMs] = [1_000, 30 * 86_400_000]

function breakersOf({ engine: { store }, who }: ChangedBy): BreakersControl {
  const inspected = async () => {
    const [rows, types] = await Promise.all([store.breakers(), store.types(store.now())])
    return rows.map((row) => inspectBreaker(row, types, store.now()))
  }
  return {
    breakers: inspected,
    async breaker(name) {
      const [row, types] = await Promise.all([store.breaker(name), store.types(store.now())])
      return row && inspectBreaker(row, types, store.now())
    },
    history: (name, { limit = 50, since } = {}) => store.breakerHistory(name, limit, since?.getTime()),
    async trip(name, { for: length, reason = '' }) {
      const forMs = parseDuration(length, 'for')
      if (forMs < shortestTripMs || forMs > longestTripMs)
        throw new WfError('usage', `for is ${forMs} ms`, { hint: 'a breaker is tripped for 1s to 30d' })
      return tripBreaker(store, name, { forMs, who, reason })
    },
    close: (name, { reason = '' } = {}) => closeBreaker(store, name, { who, reason }),
  }
}

async function drain(
  { engine: { store }, clock, who }: ChangedBy,
  words: readonly string[],
  options: DrainOptions,
): Promise<DrainedWorkers> {
  const { reason = null, wait, signal } = options
  const timeoutMs = wait === undefined ? null : parseDuration(wait, 'wait')
  const alive = (await store.workers(store.now())).filter(({ leaseUntil }) => leaseUntil > store.now())
  const missing = words.filter((word) => !alive.some(({ id, label }) => id === word || label === word))
  if (missing.length > 0)
    throw new WfError('not_found', `there is no living worker ${missing.join(', ')}`, {
      hint: 'workers.workers() answers those that there are',
    })
  const meant = alive.filter(({ id, label }) => words.includes(id) || words.includes(label))
  const asked = meant.filter(({ state }) => state !== 'draining').map(({ id }) => id)
  const operation = asked.length === 0 ? null : await drainWorkers(store, { workerIds: asked, who, reason })
  if (timeoutMs === null) return { operation, asked, left: null }
  const watch = {
    store,
    clock,
    workerIds: meant.map(({ id }) => id),
    timeoutMs,
    ...(signal ? { signal } : {}),
  }
  return { operation, asked, left: await untilDrained(watch) }
}

async function forget(
  { engine: { store }, who }: ChangedBy,
  jobKey: number,
  { steps, reason }: { steps: readonly string[]; reason: string | null },
) {
  if (steps.length === 0) return []
  const named = {
    verb: 'forget' as const,
    who,
    reason,
    selector: namedWords([jobKey, ...steps]),
    flags: {},
    matched: steps.length,
  }
  const { result } = await asOperation(store, named, (operation) =>
    store.transact(
      forgetSteps,
      steps.map((step) => ({ jobKey, step, who, reason, operation })),
      store.now(),
    ),
  )
  return result.flat()
}
