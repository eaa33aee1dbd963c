/**
 * The port to a store: batch-shaped and asynchronous, so that a database across a network fits it as well as a
 * file. A store applies what was decided and answers questions; it decides nothing, and knows no engine.
 * Every instant is epoch ms. Every method of the writer is one transaction: all of it, or nothing.
 */
import type { NamedBreaker } from '../domain/breaker-row.ts'
import type { Cause } from '../domain/cause.ts'
import type { DeadLetter, StoredLetter } from '../domain/dead-letter.ts'
import type { FeedPosition } from '../domain/feed-event.ts'
import type { ClaimedJob, Fence, Job, JobState, NewJob } from '../domain/job.ts'
import type { Operation, OperationFilter, OperationTarget } from '../domain/operation.ts'
import type { Settlement } from '../domain/outcome.ts'
import type { RetentionPolicy } from '../domain/retention.ts'
import type { Selector } from '../domain/selector.ts'
import type { CounterDelta, StatDelta } from '../domain/stat-delta.ts'
import type { BegunStep, CompletedStep, ListedStep, StepFilter } from '../domain/step.ts'
import type { Facts, FactsRequest } from './facts.ts'
import type { Page, Paged } from './page.ts'
import type { Plan } from './plan.ts'
import type {
  ActivityQuery,
  AttemptTotal,
  CauseVariables,
  ExpiredLease,
  HistoryRow,
  IncidentView,
  JobDetail,
  Feed,
  PausedType,
  StopTotal,
  StoreInfo,
  TypeView,
  WaitingTotal,
  WorkerRow,
  WorkerView,
} from './views.ts'

/** What became of one NewJob. */
export type Enqueued =
  | { status: 'created'; key: number }
  /** The same type, idempotency key and variables came before; `key` is the first job's. */
  | { status: 'duplicate'; key: number }
  /** The same type and idempotency key with other variables. */
  | { status: 'refused'; reason: 'idempotency_conflict'; key: number }
  | { status: 'refused'; reason: 'backlog_full'; limit: number; depth: number }
  | { status: 'refused'; reason: 'constraint'; message: string }

export interface ClaimRequest {
  workerId: string
  /** At most this many jobs in all, shared round-robin over the types in the order given. */
  limit: number
  types: readonly ClaimType[]
  /** True: only suspects (two or more losses in a row). False: only others. */
  suspects: boolean
}

export interface ClaimType {
  type: string
  limit: number
  /** The attempt's timeout; `runUntil` is now + timeoutMs + 60 s. */
  timeoutMs: number
  /** The handler's own number, taken at the first claim of a job whose `retries` nobody chose. */
  retries: number
}

/** `refused`: the database would not take it (a constraint); the job was stopped with an incident `settlement_refused`. */
export type Settled = 'applied' | 'stale' | 'refused'

export interface Renewed {
  /** The attempts leased to these workers. */
  held: readonly Fence[]
  /** Of the workers that have a row, by id. */
  states: ReadonlyMap<string, WorkerRow['state']>
}

export interface Progress {
  jobKey: number
  attempt: number
  fraction: number
  note: string | null
}

export interface ExchangeRequest<Answer> {
  settlements: readonly Settlement[]
  claim?: ClaimRequest
  follow?: Follow<Answer>
}

export interface Exchanged<Answer> {
  /** In the order of the settlements. */
  settled: readonly Settled[]
  claimed: readonly ClaimedJob[]
  /** The answers of `follow.afterSettled`. */
  followed: readonly Answer[]
}

/**
 * What is rare in an exchange is decided by plans, which run in its transaction. Both functions are pure and may be
 * called more than once; null: nothing follows.
 */
export interface Follow<Answer> {
  /** Called with the applied settlements, before the claim. The store itself ends the bad streaks of types with a success and no incident. */
  afterSettled(applied: readonly Settlement[]): Work<Answer> | null
  /** Called if types started jobs that are still on a ramp. */
  afterClaimed(rampStarts: readonly { type: string; count: number }[]): Work<unknown> | null
}

export interface Work<Answer> {
  plan: Plan<unknown, Answer>
  items: readonly unknown[]
}

/** Each method is one transaction: all of it is applied, or nothing. */
export interface StoreWriter {
  /** In the order given; a refused job leaves the others standing. */
  enqueue(jobs: readonly NewJob[], now: number): Promise<readonly Enqueued[]>
  /** Of a settlement to `completed` only what a success changes is written: retries, failures, deferrals and runAt stay as they are. */
  exchange<Answer = never>(request: ExchangeRequest<Answer>, now: number): Promise<Exchanged<Answer>>
  /** Extends the leases of these workers. A worker without a row gets no lease. */
  renew(workerIds: readonly string[], leaseUntil: number, now: number): Promise<Renewed>
  /** Reads the facts of a plan, calls it, writes its changes. Answers in the order of the items. */
  transact<Item, Answer>(
    plan: Plan<Item, Answer>,
    items: readonly Item[],
    now: number,
  ): Promise<readonly Answer[]>
  /** States the intent. Throws WfError `refused` for a name that is empty or too long, or one step too many. */
  beginStep(fence: Fence, step: string, now: number): Promise<BegunStep>
  /** The first result wins. Throws WfError `refused` for a result that is too large. */
  completeStep(fence: Fence, step: string, result: string, now: number): Promise<CompletedStep>
  /** Takes back an intent that this attempt stated anew and whose effect was not begun, so that its outcome isn't unknown. */
  withdrawStep(fence: Fence, step: string): Promise<void>
  addStats(
    stats: readonly StatDelta[],
    counters: readonly CounterDelta[],
    progress: readonly Progress[],
    now: number,
  ): Promise<void>
  /** Deletes one small batch, at most 1,000 rows of each kind; `more` says whether another would find rows. */
  prune(
    policy: RetentionPolicy,
    now: number,
  ): Promise<{ jobs: number; deadLetters: number; idempotencyKeys: number; stats: number; more: boolean }>
}

export interface StoreReader {
  info(): Promise<StoreInfo>
  job(key: number): Promise<JobDetail | null>
  /** What plans decide by, for a dry run: of one moment, and nothing is locked. */
  facts(request: FactsRequest): Promise<Facts>
  /** Newest key first. */
  jobs(selector: Selector, page: Page): Promise<Paged<Job>>
  /** Newest first. */
  incidents(selector: Selector, page: Page): Promise<Paged<IncidentView>>
  deadLetters(selector: Selector, page: Page): Promise<Paged<DeadLetter>>
  deadLetter(key: number): Promise<StoredLetter | null>
  /** Open incidents or dead letters that fit; behind the cursor of a page only where there is one. Null where that would take a look into each. */
  tally(list: 'incidents' | 'dlq', selector: Selector, page?: Omit<Page, 'limit'>): Promise<number | null>
  workers(now: number): Promise<readonly WorkerView[]>
  types(now: number): Promise<readonly TypeView[]>
  /** Cheap, unlike `types`: counts no jobs. */
  pausedTypes(now: number): Promise<readonly PausedType[]>
  /** Live states from their partial indexes; never a scan of finished jobs. */
  counts(): Promise<Readonly<Partial<Record<JobState, number>>>>
  /** Whether a claim by these types would find something due now. Cheap; takes no write lock. */
  hasDue(types: readonly string[], suspects: boolean, now: number): Promise<boolean>
  /**
   * Whether a job of these types runs, is due, or comes back by itself (backoff, deferral); of a paused type only what runs
   * counts. One moment is looked at, and no row of a job that is only delayed is read.
   */
  hasPending(types: readonly string[], now: number): Promise<boolean>
  /** Earliest runAt among waiting jobs of these types, or end of a pause of one; null when there is neither. */
  nextDue(types: readonly string[]): Promise<number | null>
  /** Fences that a worker holds now. */
  held(workerId: string): Promise<readonly Fence[]>
  running(workerId: string): Promise<readonly Job[]>
  expiredLeases(now: number, limit: number): Promise<readonly ExpiredLease[]>
  /** Available and waiting jobs whose deadline is before `now`. */
  overdue(now: number, limit: number): Promise<readonly Job[]>
  /** What was done to no single job (pauses, released workers), newest first; 1 … 1,000. */
  history(limit: number): Promise<readonly HistoryRow[]>
  /** All that were ever opened, by name: few rows, cheap enough to be asked for each second. */
  breakers(): Promise<readonly NamedBreaker[]>
  breaker(name: string): Promise<NamedBreaker | null>
  /** What opened and closed it, newest first; 1 … 1,000, all of them no older than `since`. */
  breakerHistory(name: string, limit: number, since?: number): Promise<readonly HistoryRow[]>
  /** Those of the newest jobs first. */
  allSteps(filter: StepFilter, page: Page): Promise<Paged<ListedStep>>
  /** Newest first. */
  operations(filter: OperationFilter, page: Page): Promise<Paged<Operation>>
  operation(id: number): Promise<Operation | null>
  /** By key, then by name. `undoable`: only those that it changed and that were not brought back; a job whose image has gone with it is told as one that is not kept. */
  operationTargets(id: number, page: Page, undoable?: boolean): Promise<Paged<OperationTarget>>
  /** Of the open incidents that fit: the most incidents first, at most `mostCauses`. */
  causes(selector: Selector, now: number): Promise<readonly Cause[]>
  /** A bounded sample, however many there are. */
  causeVariables(cause: Pick<Cause, 'fingerprint' | 'type' | 'sampleKeys'>): Promise<CauseVariables>
  attemptTotals(query: ActivityQuery): Promise<readonly AttemptTotal[]>
  stopTotals(query: ActivityQuery): Promise<readonly StopTotal[]>
  /** Jobs that wait, from their partial index. */
  waitingTotals(): Promise<readonly WaitingTotal[]>
  /** The position of the instant `since` (epoch ms) in the feed. */
  feedPositionAt(since: number): Promise<FeedPosition>
  /** Events after a position. Of each kind at most `limit` one by one; of a kind with more, counts by type. */
  feedSince(position: FeedPosition, limit: number, now: number): Promise<Feed>
  stats(sinceMinute: number): Promise<readonly StatDelta[]>
  counters(): Promise<readonly CounterDelta[]>
  /** Raised by one for each change by another connection (SQLite: `PRAGMA data_version`). Rejects once the store can be worked with no more. */
  version(): Promise<number>
  close(): Promise<void>
}

/** What is used of a caller's better-sqlite3 connection, written out so that wf's types need none of that package's. */
export interface CallersConnection {
  /** Path of the file. */
  readonly name: string
  readonly memory: boolean
  readonly inTransaction: boolean
  prepare(source: string): object
  pragma(source: string, options?: { simple?: boolean }): unknown
}

export interface Store extends StoreWriter, StoreReader {
  /**
   * Enqueues within the open transaction of a caller's connection to the same store. Throws WfError `refused` for a
   * connection without a transaction, to another store, or on which an accepted job would not be durable.
   */
  enqueueIn(connection: CallersConnection, jobs: readonly NewJob[], now: number): readonly Enqueued[]
  /** The clock that due times and leases are judged by: ours on SQLite, the database's on PostgreSQL. */
  now(): number
  /** Calls `changed` soon after another connection committed (about a millisecond where the file can be watched). Ends with the returned function. */
  watch(changed: () => void): () => void
}
