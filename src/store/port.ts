/**
 * The port to a store: batch-shaped and asynchronous, so that a database across a network fits it as well as a
 * file. A store applies what was decided and answers questions; it decides nothing, and knows no engine.
 * Every instant is epoch ms. Every method of the writer is one transaction: all of it, or nothing.
 */
import type { BreakerChange, LocalBreaker, NamedBreaker } from '../domain/breaker-row.ts'
import type { DeadLetter, StoredLetter } from '../domain/dead-letter.ts'
import type { Incident } from '../domain/incident.ts'
import type { ClaimedJob, Fence, Job, JobState, NewJob } from '../domain/job.ts'
import type { AttemptRecord, NewIncident, Settlement } from '../domain/outcome.ts'
import type { Purge } from '../domain/purge.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import type { RetentionPolicy } from '../domain/retention.ts'
import type { ErrorMatch, Selector, WhereCondition } from '../domain/selector.ts'
import type { CounterDelta, StatDelta } from '../domain/stat-delta.ts'
import type { ActivityReader } from './activity-store.ts'
import type { CauseReader } from './cause-store.ts'
import type { BegunStep, CompletedStep, ForgetSteps, ListedStep, Step, StepFilter } from '../domain/step.ts'
import type {
  OperationReader,
  OperationWriter,
  PauseChange,
  WorkerDrain,
  WorkerRelease,
} from './operation-store.ts'

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

export interface PausedType {
  type: string
  /** Epoch ms. */
  since: number
  /** Epoch ms at which it ends by itself. */
  untilAt: number | null
  /** `wf` when a row of stops did it. */
  by: string
  reason: string | null
}

export interface WorkerRow {
  /** `label#incarnation`. */
  id: string
  label: string
  pid: number
  host: string
  startedAt: number
  leaseUntil: number
  state: 'running' | 'draining'
  concurrency: number
  types: readonly string[]
  /** Takes only suspects, one at a time. */
  quarantine: boolean
}

export interface WorkerView extends WorkerRow {
  /** Jobs it holds now. */
  running: number
  /** Those that it shares with nobody; not there until it has told. */
  breakers?: readonly LocalBreaker[]
}

/** What a worker tells the store about a type it handles. */
export interface TypeDeclaration {
  type: string
  timeoutMs: number
  concurrency: number
  retries: number
  /** Unfinished jobs of the type that a producer may pile up; null for no limit. */
  backlogLimit: number | null
  onExhausted: 'incident' | 'dead-letter'
  /** Names of the shared breakers that hold its jobs while they are open; none unless told. */
  breakers?: readonly string[]
}

export interface TypeView {
  type: string
  declaration: TypeDeclaration | null
  pausedAt: number | null
  /** Epoch ms at which the pause ends by itself. */
  pausedUntil: number | null
  pausedBy: string | null
  pauseReason: string | null
  /** Poison or incident outcomes in a row without a success. */
  badStreak: number
  counts: Partial<Record<JobState, number>>
  /** runAt of the oldest due available job; null when none waits. */
  oldestDueAt: number | null
  /** Living workers that handle it. */
  workers: number
}

export interface Progress {
  jobKey: number
  attempt: number
  fraction: number
  note: string | null
}

export interface StoreWriter extends OperationWriter {
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

export type { ErrorMatch, Selector, WhereCondition }

export interface Page {
  /** 1 … 1,000. */
  limit: number
  /** `next` of the page before, in the same order. */
  cursor?: string
  /** One of `sortOrders` of what is listed; its first unless told. */
  sort?: string
  /** From the end of the order backwards, or from the cursor: what comes before the row that it stands for, the nearest first. */
  reverse?: boolean
}

export interface Paged<T> {
  /** Fewer than asked for, even none, where much was read to find them: `next` alone tells whether there can be more. */
  items: readonly T[]
  /** Cursor of the next page; null at the end. */
  next: string | null
  /** Rows whose errors or variables were looked into. */
  looked?: number
}

/** Jobs carry no variables in lists; a detail has everything. */
export interface JobDetail {
  job: Job
  variables: string
  result: string | null
  attempts: readonly AttemptRecord[]
  incidents: readonly Incident[]
  deadLetter: DeadLetter | null
  history: readonly HistoryRow[]
  progress: { fraction: number; note: string | null; at: number } | null
  idempotencyKey: string | null
  children: readonly number[]
  steps: readonly Step[]
  /** As in `ClaimedJob`. */
  effectsEpoch: number
}

/** A transition that is not an attempt: enqueue by key, resolution, cancel, changed variables, pause. */
export interface HistoryRow {
  id: number
  /** Null for what concerns a type or a worker, not a job. */
  jobKey: number | null
  at: number
  event: string
  who: string
  reason: string | null
  /** JSON text of an object with what changed; null when there is nothing to say. */
  detail: string | null
}

export interface IncidentView extends Incident {
  job: Job
}

export interface ExpiredLease {
  job: Job
  reason: 'lease_expired' | 'run_until_passed'
}

export interface StoreInfo {
  /** Absolute path, or a URL without password. */
  location: string
  storeId: string
  schemaVersion: number
  engineVersion: string
}

export interface StoreReader extends OperationReader, CauseReader, ActivityReader {
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
