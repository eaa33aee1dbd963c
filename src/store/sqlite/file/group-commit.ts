/**
 * One transaction for every write of a tick of the event loop, so that a commit's fsync is paid once for all of them.
 * Promises settle when the COMMIT is on disk (wal-fsync.ts). Nothing here awaits while a transaction is open.
 */
import { isStoreGone, WfError } from '../../../errors.ts'
import type { Connection } from './connection.ts'
import { lockDelayMs, type LockWait } from './lock-wait.ts'
import type { LogSync } from './wal-fsync.ts'
import { createPace } from './write-throttle.ts'
import { savepointOf, type Savepoint } from './savepoint.ts'
import { isDamage, isLocked, isStoreFailure, storeError, syncErrors } from './sqlite-errors.ts'

/** Bounds of one transaction, so that signals, timers and other writers don't wait long. One piece of work is never split. */
const mostJobs = 64
const longestMs = 5
/** How long a short write retries a lock at every turn of the event loop before it uses timers. */
const watchfulMs = 2
/** How long `close` waits for a lock that another process holds. */
const closePatienceMs = 5_000

export interface Work<T> {
  /** Approximate number of jobs that it touches. */
  weight: number
  /** True for a worker's exchange; short writes of producers and leases go first if they can. */
  byWorker: boolean
  /** Handlers of that worker are running: after a slow commit they run first, and what they finish joins the next transaction. */
  handlersRun?: boolean
  /** Called inside the transaction; again with `careful` if a constraint failed in the first try. */
  run(careful: boolean): T
}

/** A caller that waits, and its answer. */
interface Answer {
  done: { value: unknown } | { error: unknown } | null
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Item extends Work<unknown>, Answer {
  queuedMs: number
  tried: boolean
}

export interface GroupCommitOptions {
  db: Connection
  wait: LockWait
  /** Called at the start of each transaction; may throw a WfError. */
  guard(): void
  /** Called before and after each COMMIT; throws WfError if the path no longer leads to the file. */
  inPlace(): void
  /** Called after each transaction of this connection. */
  committed(): void
  /** Syncs commits before they are acknowledged; null if SQLite's own COMMIT syncs. */
  log: Pick<LogSync, 'sync'> | null
}

export class GroupCommit {
  readonly savepoint: Savepoint
  readonly #options: GroupCommitOptions
  readonly #begin
  readonly #commit
  readonly #rollback
  readonly #pace = createPace()
  readonly #clock
  #queue: Item[] = []
  /** Committed, and not yet known to be on disk. */
  #unsynced: Answer[] = []
  #syncing = false
  #scheduled = false
  #lockTries = 0
  /** When the current wait for the lock began. */
  #lockedMs: number | null = null
  /** A damaged store is neither claimed from nor written to again: each write could make it worse. */
  #damage: unknown = null
  #closing: { sinceMs: number; closed: () => void; done: Promise<void> } | null = null

  constructor(options: GroupCommitOptions) {
    this.#options = options
    this.#clock = options.wait.clock
    this.savepoint = savepointOf(options.db)
    this.#begin = options.db.prepare('BEGIN IMMEDIATE')
    this.#commit = options.db.prepare('COMMIT')
    this.#rollback = options.db.prepare('ROLLBACK')
  }

  /** Throws the reason why every further write would be refused: damage, a newer schema, a file that is gone. */
  check(): void {
    if (this.#damage !== null) throw this.#damage
    this.#options.guard()
  }

  run<T>(work: Work<T>): Promise<T> {
    if (this.#closing !== null) return Promise.reject(closedError(this.#options.wait.location))
    if (this.#damage !== null) return Promise.reject(this.#damage)
    return new Promise<T>((resolve, reject) => {
      const { weight, byWorker, handlersRun = false } = work
      const queuedMs = this.#clock.monotonic()
      const run = (careful: boolean) => work.run(careful)
      this.#queue.push({
        weight,
        byWorker,
        handlersRun,
        run,
        queuedMs,
        tried: false,
        done: null,
        resolve: resolve as (value: unknown) => void,
        reject,
      })
      this.#soon()
    })
  }

  /** Resolves when every commit so far, of any process, is as durable as those that this process acknowledges. */
  flushed(): Promise<void> {
    const { log } = this.#options
    if (log === null) return Promise.resolve()
    if (this.#closing !== null) return Promise.reject(closedError(this.#options.wait.location))
    if (this.#damage !== null) return Promise.reject(this.#damage)
    return new Promise((resolve, reject) => {
      this.#unsynced.push({
        done: null,
        resolve: () => resolve(),
        reject: (error) => reject(this.#damage ?? error),
      })
      // All calls of one turn share a sync.
      setImmediate(() => this.#sync(log))
    })
  }

  /** Waits for the queued work. */
  close(): Promise<void> {
    if (this.#closing === null) {
      let closed = () => {}
      const done = new Promise<void>((resolve) => {
        closed = resolve
      })
      this.#closing = { sinceMs: this.#clock.monotonic(), closed, done }
      this.#soon()
    }
    return this.#closing.done
  }

  #soon(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#flush)
  }

  #after(ms: number): void {
    this.#scheduled = true
    this.#clock.after(ms, this.#flush)
  }

  readonly #flush = (): void => {
    this.#scheduled = false
    const handlersRun = this.#queue.every((item) => item.handlersRun)
    const restMs = this.#queue.length === 0 ? 0 : this.#pace.restMs(this.#clock.monotonic(), handlersRun)
    // A timer takes at least 1 ms; shorter waits go turn by turn, while handlers run.
    if (restMs > 0) return restMs < 1 ? this.#soon() : this.#after(restMs)
    if (this.#queue.length > 0) this.#transact(this.#queue.length, false)
    if (this.#scheduled) return
    if (this.#queue.length > 0) this.#soon()
    else if (!this.#syncing && this.#unsynced.length === 0) this.#closing?.closed()
  }

  #transact(most: number, careful: boolean): void {
    const { db, guard, inPlace, committed } = this.#options
    let taken: Item[] = []
    try {
      const beganMs = this.#clock.monotonic()
      this.#begin.run()
      guard()
      taken = this.#work(most, careful)
      inPlace()
      const commitMs = this.#clock.monotonic()
      this.#commit.run()
      const endedMs = this.#clock.monotonic()
      this.#pace.committed({ beganMs, commitMs, endedMs })
    } catch (error) {
      if (db.inTransaction) this.#rollback.run()
      return this.#undone(error, careful)
    }
    this.#lockTries = 0
    this.#lockedMs = null
    this.#queue = this.#queue.slice(taken.length)
    committed()
    const { log } = this.#options
    if (log === null) return this.#answer(taken)
    for (const item of taken) this.#unsynced.push(item)
    this.#sync(log)
  }

  /** One sync at a time: later commits share the next one. */
  #sync(log: Pick<LogSync, 'sync'>): void {
    if (this.#syncing || this.#unsynced.length === 0) return
    this.#syncing = true
    const answers = this.#unsynced
    this.#unsynced = []
    log.sync((failure) => {
      this.#syncing = false
      if (failure === null) this.#answer(answers)
      else this.#lose(answers, failure)
      this.#sync(log)
      if (this.#closing !== null) this.#soon()
    })
  }

  #answer(answers: readonly Answer[]): void {
    try {
      // Checked again, because a commit takes time: never acknowledge a write to a file that no one can open.
      this.#options.inPlace()
    } catch (error) {
      const told = storeError(error, this.#options.wait.location)
      for (const { reject } of answers) reject(told)
      return
    }
    for (const answer of answers) settle(answer)
  }

  #lose(answers: readonly Answer[], failure: Error): void {
    const { unknown, ended } = syncErrors(failure, this.#options.wait.location)
    this.#damage = ended
    for (const { reject } of [...answers, ...this.#unsynced.splice(0)]) reject(unknown)
    for (const { reject } of this.#queue.splice(0)) reject(ended)
  }

  /** Runs items from the front of the queue until the transaction is big or long enough; returns them. */
  #work(most: number, careful: boolean): Item[] {
    const startedMs = this.#clock.monotonic()
    let weight = 0
    let count = 0
    for (const item of this.#queue) {
      if (
        count === most ||
        (count > 0 && (weight + item.weight > mostJobs || this.#clock.monotonic() - startedMs >= longestMs))
      )
        break
      count += 1
      weight += item.weight
      item.tried = true
      item.done = careful ? this.#alone(item) : { value: item.run(false) }
    }
    return this.#queue.slice(0, count)
  }

  #alone(item: Item): Item['done'] {
    try {
      return { value: this.savepoint(() => item.run(true)) }
    } catch (error) {
      if (isStoreFailure(error)) throw error
      return { error: storeError(error, this.#options.wait.location) }
    }
  }

  #undone(error: unknown, careful: boolean): void {
    if (isLocked(error)) return this.#locked(error)
    const tried = this.#queue.filter(({ tried }) => tried).length
    // A constraint failed: repeat item by item.
    if (tried > 0 && !careful && !isStoreFailure(error) && !isStoreGone(error))
      return this.#transact(tried, true)
    const told = storeError(error, this.#options.wait.location)
    if (isDamage(error)) this.#damage = told
    const failed = this.#queue.splice(0, this.#damage === null ? Math.max(1, tried) : this.#queue.length)
    for (const item of failed) item.reject(told)
  }

  #locked(error: unknown): void {
    const { lockTimeoutMs, location } = this.#options.wait
    const nowMs = this.#clock.monotonic()
    this.#pace.contended(nowMs)
    const closingMs = this.#closing === null ? null : nowMs - this.#closing.sinceMs
    const patient = ({ queuedMs }: Item) =>
      (lockTimeoutMs === null || nowMs - queuedMs < lockTimeoutMs) && (closingMs ?? 0) < closePatienceMs
    const given = this.#queue.filter((item) => !patient(item))
    this.#queue = this.#queue.filter(patient)
    for (const item of given) item.reject(storeError(error, location))
    if (this.#queue.length > 0) this.#tryAgain(nowMs)
  }

  /** Short writes retry each turn, to fit between two transactions of a busy worker; a timer would rarely hit that gap. */
  #tryAgain(nowMs: number): void {
    if (this.#lockedMs === null) this.#lockedMs = nowMs
    const short = this.#queue.some(({ byWorker }) => !byWorker)
    if (short && nowMs - this.#lockedMs < watchfulMs) this.#soon()
    else this.#after(lockDelayMs(this.#lockTries++, this.#options.wait.random))
  }
}

function closedError(location: string): WfError {
  return new WfError('store_unavailable', `the store ${location} is closed`)
}

function settle({ done, resolve, reject }: Answer): void {
  if (done !== null && 'error' in done) reject(done.error)
  else resolve(done?.value)
}
