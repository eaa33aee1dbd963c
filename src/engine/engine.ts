/**
 * The engine: the only writer. Commands, workers, the sweeper and shutdown hand in outcomes, resolutions and new jobs;
 * `decide` says what they mean; the store applies it; listeners hear of it after the commit. It knows no handler, no
 * process and no SQL. An error of the store reaches the caller as it is: then nothing was applied, or the caller
 * cannot know, and handing in again is harmless because every settlement is fenced by its attempt.
 */
import { decide } from '../domain/decide.ts'
import { WfError } from '../errors.ts'
import { defaultSizes, type ClaimedJob, type NewJob, type SizeLimits } from '../domain/job.ts'
import { newJob, type EnqueueInput } from '../domain/new-job.ts'
import type { Ended, Settlement } from '../domain/outcome.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import type { Random } from '../random.ts'
import type { ClaimRequest, Enqueued, Settled, Store, StoreReader } from '../store/port.ts'
import type { EngineEvents } from './events.ts'
import { workerWrites, type WorkerWrites } from './worker-writes.ts'
import { pauseRecorded, resolveRecorded } from './operation-log.ts'
import { pauseAfterStops } from './plans/auto-pause.ts'
import type { PauseChange } from './plans/pauses.ts'
import { stop, type Stop } from './plans/stop.ts'

export interface Exchange {
  settled: readonly Settled[]
  claimed: readonly ClaimedJob[]
}

/** What became of one input, when each stands for itself. */
export type EnqueueResult = Enqueued | { status: 'refused'; reason: 'invalid'; error: WfError }

/** A stop, with what its job is. */
export interface StopOfJob extends Stop {
  type: string
}

/** What anyone may do with a store. */
export type Reader = StoreReader & Pick<Store, 'now' | 'watch'>

/** Key of an engine's store. Only files of the engine import it: nothing else writes to a store. */
export const writer: unique symbol = Symbol('writer')

export interface Engine {
  readonly [writer]: Store
  readonly reader: Reader
  readonly workers: WorkerWrites
  /** Statistics as metrics add them up. */
  readonly addStats: Store['addStats']
  readonly now: Store['now']
  readonly events: EngineEvents
  /** The largest variables and results that this process takes. */
  readonly sizes: SizeLimits
  /** Throws a WfError `invalid_job` before anything is written when an input is not acceptable. */
  enqueue(inputs: readonly EnqueueInput[]): Promise<readonly Enqueued[]>
  /** As `enqueue`, but an input that is not acceptable is answered as refused and the others stand. */
  enqueueEach(inputs: readonly EnqueueInput[]): Promise<readonly EnqueueResult[]>
  exchange(hand: { ended: readonly Ended[]; claim?: ClaimRequest }): Promise<Exchange>
  /** What no operation is named for is recorded as one of its own. */
  resolve(batch: readonly Resolution[]): Promise<readonly Applied[]>
  /** True for each stop that was applied. */
  stop(batch: readonly StopOfJob[]): Promise<readonly boolean[]>
  /** Answers the types whose state changed. Recorded as `resolve` is. */
  pauseTypes(types: readonly string[], change: PauseChange): Promise<readonly string[]>
}

export interface EngineParts {
  store: Store
  random: Random
  events: EngineEvents
  /** Default 1 MiB each. */
  sizes?: SizeLimits
}

export function createEngine(parts: EngineParts): Engine {
  const { store, events, sizes = defaultSizes } = parts
  return {
    [writer]: store,
    reader: store,
    workers: workerWrites(store),
    addStats: (...added) => store.addStats(...added),
    now: () => store.now(),
    events,
    sizes,
    async enqueue(inputs) {
      const now = store.now()
      const jobs = inputs.map((input) => newJob(input, now, sizes.variablesBytes))
      return enqueueJobs(parts, jobs, now)
    },
    enqueueEach: (inputs) => enqueueEach(parts, inputs),
    exchange: (hand) => exchange(parts, hand),
    async resolve(batch) {
      const bounded = batch.map((one) => withinSizes(one, sizes))
      const applied = batch.length === 0 ? [] : await resolveRecorded(store, bounded)
      if (applied.length > 0) events.emit('resolved', { applied })
      return applied
    },
    async stop(batch) {
      const applied = batch.length === 0 ? [] : await store.transact(stop, batch, store.now())
      const jobs = batch.filter((_, index) => applied[index]).map(({ jobKey, type }) => ({ jobKey, type }))
      if (jobs.length > 0) events.emit('stopped', { jobs })
      return applied
    },
    async pauseTypes(types, change) {
      const changed = types.length === 0 ? [] : await pauseRecorded(store, types, change)
      for (const type of changed) events.emit(change.paused ? 'paused' : 'resumed', { type, who: change.who })
      return changed
    },
  }
}

async function enqueueJobs(
  { store, events }: EngineParts,
  jobs: readonly NewJob[],
  now: number,
): Promise<readonly Enqueued[]> {
  if (jobs.length === 0) return []
  const enqueued = await store.enqueue(jobs, now)
  events.emit('enqueued', { enqueued })
  return enqueued
}

async function enqueueEach(
  parts: EngineParts,
  inputs: readonly EnqueueInput[],
): Promise<readonly EnqueueResult[]> {
  const now = parts.store.now()
  const checked = inputs.map((input) => checkedJob(input, now, parts.sizes))
  const jobs = checked.filter((each): each is NewJob => !(each instanceof WfError))
  const enqueued = (await enqueueJobs(parts, jobs, now)).values()
  return checked.map((each) =>
    each instanceof WfError ? { status: 'refused', reason: 'invalid', error: each } : next(enqueued),
  )
}

/** What changes variables keeps them within what this process takes. */
export function withinSizes<T extends Omit<Resolution, 'jobKey'>>(
  resolution: T,
  { variablesBytes }: SizeLimits,
): T {
  return resolution.set === undefined ? resolution : { variablesBytes, ...resolution }
}

function checkedJob(input: EnqueueInput, now: number, sizes: SizeLimits = defaultSizes): NewJob | WfError {
  try {
    return newJob(input, now, sizes.variablesBytes)
  } catch (error) {
    if (error instanceof WfError) return error
    throw error
  }
}

function next(enqueued: Iterator<Enqueued>): Enqueued {
  const { value, done } = enqueued.next()
  if (done) throw new WfError('unexpected', 'the store answered fewer jobs than it was given')
  return value
}

async function exchange(parts: EngineParts, hand: Parameters<Engine['exchange']>[0]): Promise<Exchange> {
  const { store, events, random } = parts
  const { ended, claim } = hand
  const now = store.now()
  const settlements = ended.map((end) => settlementOf(end, now, random))
  const { settled, claimed, followed } = await store.exchange(
    { settlements, follow: pauseAfterStops, ...(claim && { claim }) },
    now,
  )
  for (const [index, end] of ended.entries()) {
    const settlement = settlements[index]
    const result = settled[index]
    if (settlement && result) events.emit('settled', { end, settlement, result, now })
  }
  for (const { type, paused } of followed) if (paused) events.emit('paused', { type, who: 'wf' })
  return { settled, claimed }
}

function settlementOf(end: Ended, now: number, random: Random): Settlement {
  const settlement = decide({
    job: end.job,
    outcome: end.outcome,
    policy: end.policy,
    children: end.children,
    now,
    random,
  })
  return end.onlyIfExpiredAt === undefined
    ? settlement
    : { ...settlement, onlyIfExpiredAt: end.onlyIfExpiredAt }
}
