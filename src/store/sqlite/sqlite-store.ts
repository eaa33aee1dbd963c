/**
 * The port on one SQLite connection. Each writing method is one piece of work for the group commit; what it does to the
 * tables is said in the file of that deed (claim, settle, enqueue, resolve …). It decides nothing and knows no engine.
 */
import { WfError } from '../../errors.ts'
import type { Applied, Resolution } from '../../domain/resolution.ts'
import { checkStepName, checkStepResult } from '../../domain/step.ts'
import type { ClaimRequest, Enqueued, Exchanged, Store, StoreWriter, WorkerRelease } from '../port.ts'
import { breakersTable } from './rows/breakers.ts'
import { claimer } from './hot/claim.ts'
import type { Connection } from './file/connection.ts'
import { deadlines } from './deadlines.ts'
import { enqueuer } from './hot/enqueue.ts'
import { exchange, type ExchangeParts } from './hot/exchange.ts'
import { GroupCommit } from './file/group-commit.ts'
import { historyTable } from './rows/history.ts'
import type { LockWait } from './file/lock-wait.ts'
import { logs, type LogSync } from './file/wal-fsync.ts'
import { operationWrites, targetRecords } from './rows/operation-writes.ts'
import { pruner } from './hot/prune.ts'
import { purger } from './purge.ts'
import { reading, sqliteReader, type Read } from './queries/reader.ts'
import { resolver, targetRecorder } from './resolve.ts'
import { schemaGuard } from './file/schema-guard.ts'
import { settler } from './hot/settle.ts'
import { isConstraint } from './file/sqlite-errors.ts'
import { statsTable } from './rows/stats.ts'
import { places, type StorePlace } from './file/file-identity.ts'
import { typesTable } from './rows/job-types.ts'
import { closeUncopied } from './file/wal-recovery.ts'
import { wakeUp } from './file/commit-watch.ts'
import { workerIdempotencyTable } from './rows/steps.ts'
import { workersTable } from './rows/workers.ts'
import type { WorkerView } from '../views.ts'

/** A batch of retention is a transaction of its own. */
const pruneWeight = 64

export function sqliteStore(
  db: Connection,
  { wait, place, log }: { wait: LockWait; place: StorePlace; log: LogSync | null },
): Store {
  const { clock, location } = wait
  const wake = wakeUp(db, { clock, location })
  const group = new GroupCommit({
    db,
    wait,
    guard: guardOf(db, { location, place }),
    inPlace: place.check,
    committed: wake.ownCommit,
    log,
  })
  const read = reading(db, { wait, place })
  const reader = sqliteReader(db, { read, location })
  const store: Store = {
    now: () => clock.now(),
    ...reader,
    async hasDue(types, suspects, now) {
      const found = await reader.hasDue(types, suspects, now)
      wake.looked(found)
      return found
    },
    async version() {
      await read(() => group.check())
      return reader.version()
    },
    async job(key) {
      const detail = await reader.job(key)
      // Others see a commit before it is on disk, and whoever waits for a job's end builds on what he is told.
      await group.flushed()
      return detail
    },
    async hasPending(types, now) {
      const pending = await reader.hasPending(types, now)
      if (!pending) await group.flushed()
      return pending
    },
    ...jobWrites(db, group),
    exchange: exchanging(db, { group, read, looked: wake.looked }),
    ...workerWrites(db, group),
    ...resilienceWrites(db, group),
    ...operationWrites(db, group),
    watch: wake.watch,
    async close() {
      await group.close()
      wake.close()
      log?.close()
      if (db.open && log?.failure) closeUncopied(db, location)
      else db.close()
    },
  }
  connections.set(store, db)
  places.set(store, place)
  if (log !== null) logs.set(store, log)
  return store
}

function guardOf(db: Connection, { location, place }: { location: string; place: StorePlace }): () => void {
  const schema = schemaGuard(db, location)
  return () => {
    place.look()
    schema()
  }
}

const connections = new WeakMap<Store, Connection>()

/** For checks of what lies in the tables; null for a store of another kind. */
export function connectionOf(store: Store): Connection | null {
  return connections.get(store) ?? null
}

const nothing: Exchanged = { settled: [], claimed: [], paused: [] }

/** Runs one row of a batch; after a constraint stopped the first try, so that it stands or falls alone. */
type Row = <T>(careful: boolean, work: () => T, refused: (error: Error) => T) => T

function rowOf({ savepoint }: GroupCommit): Row {
  return (careful, work, refused) => {
    if (!careful) return work()
    try {
      return savepoint(work)
    } catch (error) {
      if (
        isConstraint(error) ||
        error instanceof TypeError ||
        error instanceof RangeError ||
        error instanceof WfError
      )
        return refused(error)
      throw error
    }
  }
}

function jobWrites(
  db: Connection,
  group: GroupCommit,
): Pick<StoreWriter, 'enqueue' | 'resolve' | 'purgeLetters' | 'stop' | 'prune'> {
  const row = rowOf(group)
  const jobs = enqueuer(db)
  const resolve = resolver(db)
  const record = targetRecorder(db)
  const late = deadlines(db)
  const prune = pruner(db)
  const purge = purger(db)
  const write = <T>(weight: number, run: (careful: boolean) => T): Promise<T> =>
    group.run({ weight, byWorker: false, run })
  return {
    enqueue: (batch, now) =>
      write(batch.length, (careful) =>
        batch.map((job) => row(careful, () => jobs.enqueue(job, now), constraint)),
      ),
    resolve: (batch, now) =>
      write(batch.length, (careful) =>
        batch.map((one) =>
          row(
            careful,
            () => resolve(one, now),
            (error) => {
              const failed = notResolved(one, error)
              record(one, failed, { image: null, now })
              return failed
            },
          ),
        ),
      ),
    purgeLetters: (wanted, now) => write(wanted.keys.length, () => purge(wanted, now)),
    stop: (batch, now) => write(batch.length, () => batch.map((stop) => late.stop(stop, now))),
    prune: (policy, now) => write(pruneWeight, () => prune(policy, now)),
  }
}

function exchanging(
  db: Connection,
  { group, read, looked }: { group: GroupCommit; read: Read; looked(found: boolean): void },
): StoreWriter['exchange'] {
  const parts: ExchangeParts = {
    settler: settler(db),
    claimer: claimer(db),
    types: typesTable(db),
    savepoint: group.savepoint,
  }
  const hasDue = ({ types, suspects }: ClaimRequest, now: number) =>
    parts.claimer.hasDue(
      types.map(({ type }) => type),
      suspects,
      now,
    )
  // Attempts that came from here and have not come back: their handlers run.
  let held = 0
  return async (hand, now) => {
    const { settlements, claim } = hand
    // Looks first: an idle worker must not take the write lock, which others need.
    if (settlements.length === 0 && (claim === undefined || !(await read(() => hasDue(claim, now))))) {
      looked(false)
      return nothing
    }
    const weight = settlements.length + (claim?.limit ?? 0)
    const handlersRun = held > settlements.length
    const exchanged = await group.run({
      weight,
      byWorker: true,
      handlersRun,
      run: (careful) => exchange(parts, hand, { now, careful }),
    })
    held = Math.max(0, held - settlements.length) + exchanged.claimed.length
    if (claim !== undefined) looked(exchanged.claimed.length > 0)
    return exchanged
  }
}

type WorkerWrites = Pick<
  StoreWriter,
  | 'renew'
  | 'registerWorkers'
  | 'setWorkerState'
  | 'retireWorkers'
  | 'declareTypes'
  | 'pauseTypes'
  | 'tellBreakers'
  | 'addStats'
>

function workerWrites(db: Connection, group: GroupCommit): WorkerWrites {
  const workers = workersTable(db)
  const types = typesTable(db)
  const history = historyTable(db)
  const stats = statsTable(db)
  const records = targetRecords(db)
  const write = <T>(run: () => T): Promise<T> => group.run({ weight: 1, byWorker: false, run })
  const each = <T>(list: readonly T[], change: (item: T) => void): Promise<void> =>
    write(() => void list.map(change))
  return {
    renew: (ids, leaseUntil) =>
      write(() => ids.filter((id) => workers.renew(id, leaseUntil)).flatMap((id) => workers.held(id))),
    registerWorkers: (rows) => each(rows, workers.register),
    setWorkerState: (ids, state, now, drain) =>
      each(ids, (id) => {
        workers.setState(id, state)
        if (!drain) return
        history.add({
          jobKey: null,
          at: now,
          event: 'worker_drained',
          who: drain.who,
          reason: drain.reason,
          detail: JSON.stringify({ worker: id }),
        })
        records.worker(drain.operation, id, now)
      }),
    retireWorkers: (ids, now, release) =>
      each(ids, (id) => {
        const row = release && workers.all().find((worker) => worker.id === id)
        if (release) history.add(releasedRow({ id, row: row ?? null }, release, now))
        workers.retire(id)
        records.worker(release?.operation, id, now)
      }),
    tellBreakers: (id, breakers) => write(() => workers.tellBreakers(id, breakers)),
    declareTypes: (declarations, now) => each(declarations, (declaration) => types.declare(declaration, now)),
    pauseTypes: (names, { paused, reason, who, untilAt = null, operation }, now) =>
      write(() =>
        names.filter((type) => {
          const run = () =>
            paused
              ? types.pause(type, { who, reason, untilAt }, now)
              : types.resume(type, { who, reason }, now)
          return records.type(
            operation,
            { type, why: `${type} was ${paused ? 'paused' : 'not paused'} already`, now },
            run,
          )
        }),
      ),
    addStats: (deltas, counters, progress, now) =>
      write(() => {
        for (const delta of deltas) stats.add(delta)
        for (const counter of counters) stats.count(counter)
        for (const one of progress) stats.progress(one, now)
      }),
  }
}

type ResilienceWrite = 'changeBreaker' | 'beginStep' | 'completeStep' | 'withdrawStep' | 'forgetSteps'

function resilienceWrites(db: Connection, group: GroupCommit): Pick<StoreWriter, ResilienceWrite> {
  const breakers = breakersTable(db)
  const steps = workerIdempotencyTable(db)
  const records = targetRecords(db)
  const write = <T>(run: () => T): Promise<T> => group.run({ weight: 1, byWorker: false, run })
  return {
    changeBreaker: (change, now) =>
      write(() => {
        if (change.operation === undefined) return breakers.change(change, now)
        const before = breakers.get(change.name)
        const after = breakers.change(change, now)
        records.breaker(change, before, after, now)
        return after
      }),
    async beginStep(fence, step, now) {
      checkStepName(step)
      return write(() => steps.begin(fence, step, now))
    },
    async completeStep(fence, step, result, now) {
      checkStepResult(step, Buffer.byteLength(result))
      return write(() => steps.complete(fence, { step, result }, now))
    },
    withdrawStep: (fence, step) => write(() => steps.withdraw(fence, step)),
    forgetSteps: (forget, now) =>
      write(() => {
        const forgotten = steps.forget(forget, now)
        records.forgotten(forget, forgotten, now)
        return forgotten
      }),
  }
}

function releasedRow(
  { id, row }: { id: string; row: WorkerView | null },
  { who, reason, forced }: WorkerRelease,
  now: number,
) {
  const known = row && { label: row.label, pid: row.pid, host: row.host, leaseUntil: row.leaseUntil }
  return {
    jobKey: null,
    at: now,
    event: 'worker_released',
    who,
    reason,
    detail: JSON.stringify({ worker: id, ...known, forced }),
  }
}

function constraint({ message }: Error): Enqueued {
  return { status: 'refused', reason: 'constraint', message }
}

function notResolved({ jobKey }: Resolution, { message }: Error): Applied {
  return {
    jobKey,
    status: 'failed',
    from: null,
    to: null,
    why: `the store refused the change of job ${jobKey}: ${message}`,
  }
}
