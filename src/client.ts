/**
 * What a program uses to give work to wf and to look after it: producers, servers, scripts. It opens a store, says what
 * it wants to the engine and asks the inspector; it runs no jobs. A promise of this file that resolved means what it
 * says is on disk.
 */
import { newJob } from './domain/new-job.ts'
import type { CallersConnection } from './store/port.ts'
import { systemClock, type Clock } from './clock.ts'
import { configOf, openStore } from './app.ts'
import { goOnFrom, inBatches, PartlyDoneError } from './client/batches.ts'
import {
  changeJobs,
  purge,
  undo,
  type ChangeOptions,
  type PurgeOptions,
  type ResolveOptions,
  type UndoOptions,
  type UpdateOptions,
} from './client/changes.ts'
import { controlOf, type Control } from './client/control.ts'
import { jobEnd, type JobEnd } from './client/job-end.ts'
import { given, keyOf, keysOf } from './client/keys.ts'
import { refusalOf } from './client/refusal.ts'
import { resolveVerified, type VerifiedResolution, type VerifyOptions } from './client/verified.ts'
import type { Durability } from './config.ts'
import { parseDuration } from './text/duration.ts'
import { WfError } from './errors.ts'
import type { Explanation } from './domain/explain-facts.ts'
import { defaultSizes, type SizeLimits } from './domain/job.ts'
import type { EnqueueInput } from './domain/new-job.ts'
import type { Applied } from './domain/resolution.ts'
import type { Undone } from './domain/operation.ts'
import { inspectCauses, type InspectedCause } from './engine/causes.ts'
import { createEngine, type Engine, type EnqueueResult } from './engine/engine.ts'
import { createEvents } from './engine/events.ts'
import { jobFacts } from './engine/explain-job.ts'
import { explain } from './messages/explain.ts'
import { createInspector, type Inspector } from './engine/inspector.ts'
import { createJobWaiter, type JobWaiter } from './engine/job-waiter.ts'
import { systemRandom } from './random.ts'
import type { Selector } from './domain/selector.ts'
import type { Store, StoreReader } from './store/port.ts'

export interface ClientOptions {
  /** Path of the store's file; default: WF_STORE, wf.config.json, else ./wf.db. Created when it is not there. */
  store?: string
  /** What an accepted job survives; default `power`. */
  durability?: Durability
  /** False: a store that is not there is an error. Default true. */
  create?: boolean
  /** Who is recorded for what this client changes; default `client`. */
  who?: string
}

export type EnqueueOptions = Omit<EnqueueInput, 'type' | 'variables'>

/** One job of many; the options of `enqueue` beside its type and variables. */
export type EnqueueItem = EnqueueInput

export interface AcceptedJob {
  readonly key: number
  readonly type: string
  /** True when the same type, idempotency key and variables were accepted before: `key` is the first job's. */
  readonly duplicate: boolean
}

/** An accepted job. */
export interface JobHandle extends AcceptedJob {
  wait(options?: ClientWait): Promise<JobEnd>
}

export type EnqueueManyResult =
  | { readonly status: 'accepted'; readonly job: JobHandle }
  | { readonly status: 'refused'; readonly error: WfError }

/** A WfError `partly_done` of `enqueueMany`. */
export class PartlyEnqueuedError extends PartlyDoneError<EnqueueManyResult> {}

export interface ClientWait {
  /** Milliseconds, or text such as `30s`; unset: for ever. */
  timeout?: number | string
  signal?: AbortSignal
}

export interface Client extends Control {
  /**
   * Rejects with a WfError: `invalid_job`, `idempotency_conflict` (names the first key), `backlog_full`, or the store's. With
   * `outcome_unknown` the disk failed, and the job may be there or not: ask again with the same `idempotencyKey`.
   */
  enqueue(type: string, variables?: object, options?: EnqueueOptions): Promise<JobHandle>
  /**
   * In order, in transactions of at most 1,000; one that is refused leaves the others standing. When the store fails on the
   * way, rejects with a `PartlyEnqueuedError` (code `partly_done`, `cause` the store's error), whose `results` are the
   * answers to the items before: hand in `items.slice(error.results.length)`, or all of them again where each has an
   * `idempotencyKey`. Rejects with the store's own error when nothing was accepted: then nothing was enqueued.
   * With `outcome_unknown`, also as a `cause`, nobody knows whether the next 1,000 were: see what is there, or hand them in with the same keys.
   */
  enqueueMany(items: readonly EnqueueItem[]): Promise<readonly EnqueueManyResult[]>
  /**
   * Inside the caller's own transaction, begun with BEGIN IMMEDIATE on a better-sqlite3 connection to the store's file: the
   * job is there when that commits, or never. Throws a WfError `refused` when the connection is in no transaction, is to
   * another file, or is not `synchronous = FULL`, and says how; else as `enqueue`.
   */
  enqueueIn(
    connection: CallersConnection,
    type: string,
    variables?: object,
    options?: EnqueueOptions,
  ): AcceptedJob
  /** Rejects with a WfError: `wait_timeout`, `not_found`, or the store's. */
  wait(key: number, options?: ClientWait): Promise<JobEnd>
  readonly jobs: Pick<Inspector, 'jobs' | 'job'>
  readonly incidents: Pick<Inspector, 'incidents'>
  readonly deadLetters: Pick<Inspector, 'deadLetters' | 'deadLetter'>
  /**
   * Jobs with an open incident run again. Answers what became of each; repeating it is harmless. In transactions of at most
   * 100, with room for workers between them: when the store fails after the first, rejects with a `PartlyChangedError`, which has the answers up to there.
   * Rejects with a WfError `usage` for a rate that is none. All of this holds for the other changes too.
   */
  resolve(keys: number | readonly number[], options?: ResolveOptions): Promise<readonly Applied[]>
  /**
   * `resolve` with proof, as `wf incidents resolve --canary 3 --verify 2m`: waits for the new attempts, after a few first when
   * `canary` says so, and answers what became of them. What is left undone or unproven is in the answer; rejects with a WfError
   * `usage`, with `PartlyChangedError` when the store fails on the way, or with the store's own error when nothing was changed.
   */
  resolveVerified(keys: number | readonly number[], options: VerifyOptions): Promise<VerifiedResolution>
  /** As `resolve`, and for dead and waiting jobs too: whatever waits starts anew now. */
  retry(keys: number | readonly number[], options?: ResolveOptions): Promise<readonly Applied[]>
  /** They never run again; a running one's handler is told to stop. */
  cancel(keys: number | readonly number[], options?: ChangeOptions): Promise<readonly Applied[]>
  /** Dead letters are closed for good, and their jobs never run again. */
  discard(keys: number | readonly number[], options?: ChangeOptions): Promise<readonly Applied[]>
  /** Dead letters are deleted, with what they carry; their jobs stay as they are, or are cancelled for good where a letter was `open`. */
  purge(keys: number | readonly number[], options?: PurgeOptions): Promise<readonly Applied[]>
  /** Jobs that are available or waiting run more often, sooner or later than they would. */
  update(keys: number | readonly number[], options: UpdateOptions): Promise<readonly Applied[]>
  /** What people and programs changed, newest first; each call above that changes jobs is one. */
  readonly operations: Pick<StoreReader, 'operations' | 'operation' | 'operationTargets'>
  /**
   * Takes an operation back where nothing has happened since, or with `dryRun` says where it would; answers what became of each of its targets. Rejects with a
   * WfError `not_found`, or `conflict` for one that is final, was undone, or is under way.
   */
  undo(operation: number, options?: UndoOptions): Promise<readonly Undone[]>
  /** Causes of open incidents, the worst first; at most `limit` (default 50). */
  causes(selector?: Selector, limit?: number): Promise<readonly InspectedCause[]>
  /** Why a job is where it is, what comes next, and what would change it, in sentences; null when there is no such job. */
  explain(key: number): Promise<Explanation | null>
  /** Ends waits with an error. */
  close(): Promise<void>
}

const optionNames: ReadonlySet<string> = new Set<keyof ClientOptions>([
  'store',
  'durability',
  'create',
  'who',
])

/**
 * Opens the store and answers a client on it. Brings an older schema up to date, but not under living workers of an older wf,
 * which would end. Rejects with a WfError: `usage`, `invalid_config`, or the store's (`schema_older` there).
 */
export async function openClient(options: ClientOptions = {}): Promise<Client> {
  const stranger = Object.keys(options).find((name) => !optionNames.has(name))
  if (stranger !== undefined)
    throw new WfError('usage', `${stranger} is not an option of a client`, {
      hint: `the options are ${[...optionNames].join(', ')}`,
    })
  const { store: location, durability, create = true, who = 'client' } = options
  const config = await configOf({
    ...(location === undefined ? {} : { store: location }),
    ...(durability === undefined ? {} : { durability }),
  })
  const opened = await openStore({ mode: 'write', create, sparesWorkers: true, config })
  return createClient({ store: opened, clock: systemClock, who, sizes: config.sizes })
}

export interface ClientParts {
  store: Store
  clock: Clock
  who: string
  /** The largest variables that are taken; default 1 MiB. */
  sizes?: SizeLimits
}

/** A client on a store that is open; `close` closes it. */
export function createClient({ store, clock, who, sizes = defaultSizes }: ClientParts): Client {
  const events = createEvents()
  const engine = createEngine({ store, random: systemRandom, events, sizes })
  const inspector = createInspector(store, store.now)
  const waiter = createJobWaiter({ store, events, clock })
  const wait: Client['wait'] = (key, options) => waitFor(waiter, key, options)
  const handle = (type: string, key: number, duplicate: boolean): JobHandle => ({
    key,
    type,
    duplicate,
    wait: (options) => wait(key, options),
  })
  const actions = { engine, clock, who }

  return {
    async enqueue(type, variables = {}, options = {}) {
      const [result] = await engine.enqueueEach([{ ...options, type, variables }])
      if (!result) throw new WfError('unexpected', 'the store did not answer')
      if (result.status === 'refused') throw refusalOf(type, result)
      return handle(type, result.key, result.status === 'duplicate')
    },
    enqueueMany: (items) => enqueueMany(engine, items, handle),
    enqueueIn(connection, type, variables = {}, options = {}) {
      const now = store.now()
      const job = newJob({ ...options, type, variables }, now, sizes.variablesBytes)
      const [result] = store.enqueueIn(connection, [job], now)
      if (!result) throw new WfError('unexpected', 'the store did not answer')
      if (result.status === 'refused') throw refusalOf(type, result)
      return { key: result.key, type, duplicate: result.status === 'duplicate' }
    },
    wait,
    jobs: inspector,
    incidents: inspector,
    deadLetters: inspector,
    resolve: async (keys, options) => changeJobs(actions, keysOf(keys), { ...options, verb: 'resolve' }),
    resolveVerified: async (keys, options) =>
      resolveVerified(actions, keysOf(keys), given(options, "verify: '2m'")),
    retry: async (keys, options) => changeJobs(actions, keysOf(keys), { ...options, verb: 'retry' }),
    cancel: async (keys, options) => changeJobs(actions, keysOf(keys), { ...options, verb: 'cancel' }),
    discard: async (keys, options) => changeJobs(actions, keysOf(keys), { ...options, verb: 'discard' }),
    purge: async (keys, options = {}) => purge(actions, keysOf(keys), options),
    async update(keys, options) {
      const { at, ...chosen } = given(options, 'what is to change: retries, priority or at')
      return changeJobs(actions, keysOf(keys), {
        ...chosen,
        verb: 'update',
        ...(at === undefined ? {} : { runAt: at.getTime() }),
      })
    },
    operations: engine.reader,
    undo: async (operation, options = {}) => undo(actions, keyOf(operation, 'an operation'), options),
    ...controlOf(actions, inspector),
    causes: async (selector = {}, limit = 50) =>
      (await inspectCauses(store, { selector, limit, now: store.now() })).items,
    async explain(key) {
      const facts = await jobFacts(store, keyOf(key), store.now())
      return facts && explain(facts)
    },
    async close() {
      await waiter.close()
      await store.close()
    },
  }
}

async function enqueueMany(
  engine: Engine,
  items: readonly EnqueueItem[],
  handle: (type: string, key: number, duplicate: boolean) => JobHandle,
): Promise<readonly EnqueueManyResult[]> {
  const answer = (result: EnqueueResult, index: number): EnqueueManyResult => {
    const type = items[index]?.type ?? ''
    if (result.status === 'refused') return { status: 'refused', error: refusalOf(type, result) }
    return { status: 'accepted', job: handle(type, result.key, result.status === 'duplicate') }
  }
  const partly = (answered: readonly EnqueueResult[], cause: unknown) => {
    const accepted = answered.filter(({ status }) => status !== 'refused').length
    if (accepted === 0) return cause
    return new PartlyEnqueuedError({
      results: answered.map(answer),
      cause,
      done: `${accepted} of ${items.length} jobs were accepted`,
      hint: goOnFrom(answered.length, cause),
    })
  }
  return (await inBatches(items, (batch) => engine.enqueueEach(batch), partly)).map(answer)
}

async function waitFor(
  waiter: JobWaiter,
  key: number,
  { timeout, signal }: ClientWait = {},
): Promise<JobEnd> {
  const timeoutMs = timeout === undefined ? {} : { timeoutMs: parseDuration(timeout, 'timeout') }
  const detail = await waiter.wait(keyOf(key), { ...timeoutMs, ...(signal === undefined ? {} : { signal }) })
  if (!detail)
    throw new WfError('not_found', `there is no job ${key}`, {
      hint: 'it may have been finished long ago and pruned',
    })
  return jobEnd(detail)
}
