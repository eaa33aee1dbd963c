/**
 * The port to a store: batch-shaped and asynchronous, so that a database across a network fits it as well as
 * a file. A store applies decisions and answers queries; it decides nothing and imports no engine.
 * Every instant is epoch ms.
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

/** The result of one NewJob. */
export type Enqueued =
  | { status: 'created'; key: number }
  /** A job of the same type, idempotency key and variables exists; `key` is that job's. */
  | { status: 'duplicate'; key: number }
  /** The same type and idempotency key with other variables. */
  | { status: 'refused'; reason: 'idempotency_conflict'; key: number }
  | { status: 'refused'; reason: 'backlog_full'; limit: number; depth: number }
  | { status: 'refused'; reason: 'constraint'; message: string }

export interface ClaimRequest {
  workerId: string
  /** Maximum number of jobs in all, shared round-robin over the types in the given order. */
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
  /** The handler's number, used at the first claim of a job whose producer chose none. */
  retries: number
}

/** `refused`: a constraint of the database failed; the job was stopped with an incident `settlement_refused`. */
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
  /** A settlement to `completed` leaves retries, failures, deferrals and runAt unchanged. */
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
  /** Number of matching open incidents or dead letters, with a cursor only those behind it. Null if each row had to be parsed. */
  tally(list: 'incidents' | 'dlq', selector: Selector, page?: Omit<Page, 'limit'>): Promise<number | null>
  workers(now: number): Promise<readonly WorkerView[]>
  types(now: number): Promise<readonly TypeView[]>
  /** Cheap, unlike `types`: counts no jobs. */
  pausedTypes(now: number): Promise<readonly PausedType[]>
  /** Live states, from their partial indexes; never scans finished jobs. */
  counts(): Promise<Readonly<Partial<Record<JobState, number>>>>
  /** Whether a claim by these types would find something due now. Cheap; takes no write lock. */
  hasDue(types: readonly string[], suspects: boolean, now: number): Promise<boolean>
  /**
   * Whether a job of these types runs, is due, or comes back by itself (backoff, deferral); of a paused type only running jobs
   * count. Reads one snapshot, and no row of a job that is only delayed.
   */
  hasPending(types: readonly string[], now: number): Promise<boolean>
  /** Earliest runAt among waiting jobs of these types, or end of a pause of one; null when there is neither. */
  nextDue(types: readonly string[]): Promise<number | null>
  /** The attempts leased to a worker. */
  held(workerId: string): Promise<readonly Fence[]>
  running(workerId: string): Promise<readonly Job[]>
  expiredLeases(now: number, limit: number): Promise<readonly ExpiredLease[]>
  /** Available and waiting jobs whose deadline is before `now`. */
  overdue(now: number, limit: number): Promise<readonly Job[]>
  /** Events of no single job (pauses, released workers), newest first; 1 to 1,000. */
  history(limit: number): Promise<readonly HistoryRow[]>
  /** Every breaker that was ever opened, by name: few rows, cheap enough to read each second. */
  breakers(): Promise<readonly NamedBreaker[]>
  breaker(name: string): Promise<NamedBreaker | null>
  /** Openings and closings, newest first; 1 to 1,000, none older than `since`. */
  breakerHistory(name: string, limit: number, since?: number): Promise<readonly HistoryRow[]>
  /** Newest jobs first. */
  allSteps(filter: StepFilter, page: Page): Promise<Paged<ListedStep>>
  /** Newest first. */
  operations(filter: OperationFilter, page: Page): Promise<Paged<Operation>>
  operation(id: number): Promise<Operation | null>
  /** By key, then by name. `undoable`: only changed targets that were not undone. A job that was pruned has no image. */
  operationTargets(id: number, page: Page, undoable?: boolean): Promise<Paged<OperationTarget>>
  /** Matching open incidents by cause, the most frequent first; at most `mostCauses`. */
  causes(selector: Selector, now: number): Promise<readonly Cause[]>
  /** A bounded sample. */
  causeVariables(cause: Pick<Cause, 'fingerprint' | 'type' | 'sampleKeys'>): Promise<CauseVariables>
  attemptTotals(query: ActivityQuery): Promise<readonly AttemptTotal[]>
  stopTotals(query: ActivityQuery): Promise<readonly StopTotal[]>
  /** Waiting jobs, from their partial index. */
  waitingTotals(): Promise<readonly WaitingTotal[]>
  /** The position of the instant `since` (epoch ms) in the feed. */
  feedPositionAt(since: number): Promise<FeedPosition>
  /** Events after a position. Of each kind at most `limit` one by one; of a kind with more, counts by type. */
  feedSince(position: FeedPosition, limit: number, now: number): Promise<Feed>
  stats(sinceMinute: number): Promise<readonly StatDelta[]>
  counters(): Promise<readonly CounterDelta[]>
  /** Grows with each change by another connection (SQLite: `PRAGMA data_version`). Rejects once the store is unusable. */
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
  /** The clock of due times and leases: the process's on SQLite, the database's on PostgreSQL. */
  now(): number
  /** Calls `changed` soon after another connection committed, about 1 ms if the file can be watched. Returns an unsubscribe function. */
  watch(changed: () => void): () => void
}
