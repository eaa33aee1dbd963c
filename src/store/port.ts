/**
 * The port to a store: batch-shaped and asynchronous, so that a database across a network fits it as well as a
 * file. A store applies what was decided and answers questions; it decides nothing, and knows no engine.
 * Every instant is epoch ms. Every method of the writer is one transaction: all of it, or nothing.
 */
import type { BreakerChange, LocalBreaker, NamedBreaker } from '../domain/breaker-row.ts'
import type { Cause } from '../domain/cause.ts'
import type { DeadLetter, StoredLetter } from '../domain/dead-letter.ts'
import type { Marks } from '../domain/feed-event.ts'
import type { ClaimedJob, Fence, Job, JobState, NewJob } from '../domain/job.ts'
import type {
  NewOperation,
  NewTarget,
  Operation,
  OperationFilter,
  OperationTarget,
  TargetName,
  Undone,
} from '../domain/operation.ts'
import type { NewIncident, Settlement } from '../domain/outcome.ts'
import type { Purge } from '../domain/purge.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import type { RetentionPolicy } from '../domain/retention.ts'
import type { Selector } from '../domain/selector.ts'
import type { CounterDelta, StatDelta } from '../domain/stat-delta.ts'
import type { BegunStep, CompletedStep, ForgetSteps, ListedStep, Step, StepFilter } from '../domain/step.ts'
import type { Page, Paged } from './page.ts'
import type {
  ActivityQuery,
  AttemptTotal,
  CauseVariables,
  ExpiredLease,
  HistoryRow,
  IncidentView,
  JobDetail,
  News,
  PausedType,
  StopTotal,
  StoreInfo,
  TypeDeclaration,
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

export interface Exchanged {
  /** In the order of the settlements. */
  settled: readonly Settled[]
  claimed: readonly ClaimedJob[]
  /** Types that this exchange paused because too many of their attempts in a row stopped. */
  paused: readonly string[]
}

/** A stop that no attempt caused: the job's deadline passed while it waited. Applied only if it still holds at `now`. */
export interface Stop {
  jobKey: number
  incident: NewIncident
}

export interface Progress {
  jobKey: number
  attempt: number
  fraction: number
  note: string | null
}

export interface PauseChange {
  /** False: jobs of the types may start again. */
  paused: boolean
  reason: string | null
  who: string
  /** Of a pause: epoch ms at which it ends by itself. Null or not given: somebody has to resume the types. */
  untilAt?: number | null
  /** What became of each is written as a target of this operation. */
  operation?: number
}

/** A person's word that workers are dead. */
export interface WorkerRelease {
  who: string
  reason: string | null
  /** Nobody looked whether they live. */
  forced: boolean
  /** As in PauseChange. */
  operation?: number
}

/** A person's wish that workers drain. */
export type WorkerDrain = Omit<WorkerRelease, 'forced'>

export interface UndoBatch {
  /** The undo's own operation: its targets are written with what becomes of them. */
  operation: number
  /** The operation that is taken back. */
  of: number
  targets: readonly TargetName[]
  who: string
  reason: string | null
}

export interface StoreWriter {
  /** In the order given; a refused one leaves the others standing. */
  enqueue(jobs: readonly NewJob[], now: number): Promise<readonly Enqueued[]>
  /** Of a settlement to `completed` only what a success changes is written: retries, failures, deferrals and runAt stay as they are. */
  exchange(
    hand: { settlements: readonly Settlement[]; claim?: ClaimRequest },
    now: number,
  ): Promise<Exchanged>
  /** Moves the leases of these workers; answers the attempts each still holds. A worker that is not registered gets no lease. */
  renew(workerIds: readonly string[], leaseUntil: number, now: number): Promise<readonly Fence[]>
  resolve(batch: readonly Resolution[], now: number): Promise<readonly Applied[]>
  /** Deletes dead letters, in the order of the keys. A job that goes on keeps in its history that its letter was purged. */
  purgeLetters(purge: Purge, now: number): Promise<readonly Applied[]>
  /** True for each stop that was applied. */
  stop(batch: readonly Stop[], now: number): Promise<readonly boolean[]>
  registerWorkers(workers: readonly WorkerRow[], now: number): Promise<void>
  /** What a person asked for is kept in the history as `worker_drained`; the workers see it with their next renewal. */
  setWorkerState(
    workerIds: readonly string[],
    state: WorkerRow['state'],
    now: number,
    drain?: WorkerDrain,
  ): Promise<void>
  /** Takes the rows away. Attempts that they still hold become expired at once. What a person did is kept in the history as `worker_released`. */
  retireWorkers(workerIds: readonly string[], now: number, release?: WorkerRelease): Promise<void>
  declareTypes(types: readonly TypeDeclaration[], now: number): Promise<void>
  /**
   * Answers the types whose state changed; of one that is paused already, to another end, that counts as a change. The end of
   * a pause, by whatever, sets the bad streak to 0 and lets the type's jobs go on a ramp (domain/ramp.ts), over all workers.
   */
  pauseTypes(types: readonly string[], change: PauseChange, now: number): Promise<readonly string[]>
  /** Answers what it is afterwards; null where it is not kept and `apply` made nothing of it. */
  changeBreaker(change: BreakerChange, now: number): Promise<NamedBreaker | null>
  /** How a worker's own breakers stand: kept in its row, and gone with it. Nothing where it has no row. */
  tellBreakers(workerId: string, breakers: readonly LocalBreaker[]): Promise<void>
  /** States the intent. Throws a WfError `refused` for a name that is empty or too long, or one step too many. */
  beginStep(fence: Fence, step: string, now: number): Promise<BegunStep>
  /** The first result wins. Throws a WfError `refused` for one that is too large. */
  completeStep(fence: Fence, step: string, result: string, now: number): Promise<CompletedStep>
  /** Takes an intent back whose effect was not begun, so that nobody is in doubt about it. Only what this attempt stated anew, while it holds. */
  withdrawStep(fence: Fence, step: string): Promise<void>
  /** Answers the names of those that were forgotten: their effect can then happen again. Kept in the job's history. */
  forgetSteps(forget: ForgetSteps, now: number): Promise<readonly string[]>
  /** Answers its id, which grows. Throws a WfError `conflict` for an undo of what was undone already. */
  beginOperation(operation: NewOperation, now: number): Promise<number>
  /** Targets that no change of the store stands for: passed by, looked at, or meant and not reached (`pending`). One that is there already stays. */
  addOperationTargets(id: number, targets: readonly NewTarget[], now: number): Promise<void>
  /** Nothing more comes; answers it with its counts. */
  endOperation(id: number, now: number): Promise<Operation>
  /** Brings targets back where nothing has happened since, each for itself; in the order given. */
  undo(batch: UndoBatch, now: number): Promise<readonly Undone[]>
  addStats(
    stats: readonly StatDelta[],
    counters: readonly CounterDelta[],
    progress: readonly Progress[],
    now: number,
  ): Promise<void>
  /** One small batch (≤ 1,000 rows of each kind); `more` says whether another would find something. */
  prune(
    policy: RetentionPolicy,
    now: number,
  ): Promise<{ jobs: number; deadLetters: number; idempotencyKeys: number; stats: number; more: boolean }>
}

export interface StoreReader {
  info(): Promise<StoreInfo>
  job(key: number): Promise<JobDetail | null>
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
  steps(jobKey: number): Promise<readonly Step[]>
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
  /** Where news begin: at the instant `since`. */
  marksAt(since: number, now: number): Promise<Marks>
  /** What came since. Of each sort at most `limit` one by one; of a sort with more, counts by type. */
  newsSince(marks: Marks, limit: number, now: number): Promise<News>
  stats(sinceMinute: number): Promise<readonly StatDelta[]>
  counters(): Promise<readonly CounterDelta[]>
  /** Raised by one for each change by another connection (SQLite: `PRAGMA data_version`). Rejects once the store can be worked with no more. */
  version(): Promise<number>
  close(): Promise<void>
}

export interface Store extends StoreWriter, StoreReader {
  /** The clock that due times and leases are judged by: ours on SQLite, the database's on PostgreSQL. */
  now(): number
  /** Calls `changed` soon after another connection committed (about a millisecond where the file can be watched). Ends with the returned function. */
  watch(changed: () => void): () => void
}
