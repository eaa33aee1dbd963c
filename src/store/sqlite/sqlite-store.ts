/** The port on one SQLite connection. Each writing method is one piece of work for the group commit. */
import { checkStepName, checkStepResult } from '../../domain/step.ts'
import type { ClaimRequest, Enqueued, ExchangeRequest, Exchanged, Store, StoreWriter } from '../port.ts'
import type { WorkerRow } from '../views.ts'
import { wakeUp } from './file/commit-watch.ts'
import type { Connection } from './file/connection.ts'
import type { StorePlace } from './file/file-identity.ts'
import { GroupCommit } from './file/group-commit.ts'
import type { LockWait } from './file/lock-wait.ts'
import { schemaGuard } from './file/schema-guard.ts'
import { isRefusal } from './file/sqlite-errors.ts'
import type { LogSync } from './file/wal-fsync.ts'
import { closeUncopied } from './file/wal-recovery.ts'
import { claimer } from './hot/claim.ts'
import { enqueuer } from './hot/enqueue.ts'
import { callersEnqueuer } from './hot/enqueue-in.ts'
import { exchange, type ExchangeParts } from './hot/exchange.ts'
import { pruner } from './hot/prune.ts'
import { settler } from './hot/settle.ts'
import { attemptSteps } from './hot/steps.ts'
import { reading, sqliteReader, type Read } from './queries/reader.ts'
import { rowsOf, type Rows } from './rows/rows.ts'
import { transactor, type Alone, type Transactor } from './transact.ts'

/** A batch of retention is a transaction of its own. */
const pruneWeight = 64

export interface SqliteStore extends Store {
  /** For checks of the tables. */
  readonly connection: Connection
}

export function sqliteStore(
  db: Connection,
  { wait, place, log }: { wait: LockWait; place: StorePlace; log: LogSync | null },
): SqliteStore {
  const { clock, location } = wait
  const rows = rowsOf(db)
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
  const reader = sqliteReader(rows, { read, location })
  const transact = once(() => transactor(rows, aloneIn(group)))
  const store: Store = {
    now: () => clock.now(),
    ...reader,
    ...flushedReads(reader, group),
    async hasDue(types, suspects, now) {
      const found = await reader.hasDue(types, suspects, now)
      wake.checkedDue(found)
      return found
    },
    async version() {
      await read(() => group.check())
      return reader.version()
    },
    ...writes(rows, group, transact),
    exchange: exchanging(rows, { group, read, transact, checkedDue: wake.checkedDue }),
    enqueueIn: callersEnqueuer({ place, log, location }),
    watch: wake.watch,
    async close() {
      await group.close()
      wake.close()
      log?.close()
      if (db.open && log?.failure) closeUncopied(db, location)
      else db.close()
    },
  }
  return { ...store, connection: db }
}

/** Readers see a commit before it is on disk. Callers act on these two answers, so they wait for it. */
function flushedReads(
  reader: ReturnType<typeof sqliteReader>,
  group: GroupCommit,
): Pick<Store, 'job' | 'hasPending'> {
  return {
    async job(key) {
      const detail = await reader.job(key)
      await group.flushed()
      return detail
    },
    async hasPending(types, now) {
      const pending = await reader.hasPending(types, now)
      if (!pending) await group.flushed()
      return pending
    },
  }
}

function guardOf(db: Connection, { location, place }: { location: string; place: StorePlace }): () => void {
  const schema = schemaGuard(db, location)
  return () => {
    place.checkAll()
    schema()
  }
}

function aloneIn({ savepoint }: GroupCommit): Alone {
  return (work, refused) => {
    try {
      return savepoint(work)
    } catch (error) {
      if (isRefusal(error)) return refused(error)
      throw error
    }
  }
}

type Writes = Omit<StoreWriter, 'exchange'>

function writes(rows: Rows, group: GroupCommit, transact: () => Transactor): Writes {
  const { stats, workers } = rows
  const alone = aloneIn(group)
  const jobs = once(() => enqueuer(rows))
  const steps = once(() => attemptSteps(rows.db))
  const prune = once(() => pruner(rows))
  const write = <T>(weight: number, run: (careful: boolean) => T): Promise<T> =>
    group.run({ weight, byWorker: false, run })
  return {
    enqueue: (batch, now) =>
      write(batch.length, (careful) =>
        batch.map((job) => {
          const enqueue = () => jobs().enqueue(job, now)
          return careful ? alone(enqueue, constraint) : enqueue()
        }),
      ),
    transact: (plan, items, now) =>
      write(items.length, (careful) => transact()[careful ? 'runEach' : 'run'](plan, items, now)),
    renew: (ids, leaseUntil) =>
      write(1, () => {
        const states = new Map<string, WorkerRow['state']>()
        for (const id of ids) {
          const state = workers.renew(id, leaseUntil)
          if (state !== null) states.set(id, state)
        }
        return { held: [...states.keys()].flatMap(workers.held), states }
      }),
    async beginStep(fence, step, now) {
      checkStepName(step)
      return write(1, () => steps().begin(fence, step, now))
    },
    async completeStep(fence, step, result, now) {
      checkStepResult(step, Buffer.byteLength(result))
      return write(1, () => steps().complete(fence, { step, result }, now))
    },
    withdrawStep: (fence, step) => write(1, () => steps().withdraw(fence, step)),
    addStats: (deltas, counters, progress, now) =>
      write(1, () => {
        for (const delta of deltas) stats.add(delta)
        for (const counter of counters) stats.count(counter)
        for (const one of progress) stats.progress(one, now)
      }),
    prune: (policy, now) => write(pruneWeight, () => prune()(policy, now)),
  }
}

interface Exchanging {
  group: GroupCommit
  read: Read
  transact: () => Transactor
  checkedDue(found: boolean): void
}

function exchanging(rows: Rows, { group, read, transact, checkedDue }: Exchanging): StoreWriter['exchange'] {
  const parts = once(
    (): ExchangeParts => ({
      ...{ settler: settler(rows), claimer: claimer(rows), types: rows.types },
      savepoint: group.savepoint,
      transact: (...args) => transact().run(...args),
    }),
  )
  const hasDue = ({ types, suspects }: ClaimRequest, now: number) => {
    const names = types.map(({ type }) => type)
    return read(() => parts().claimer.hasDue(names, suspects, now))
  }
  // Attempts that were claimed here and are not settled yet: their handlers run.
  let running = 0
  return async <Answer>(request: ExchangeRequest<Answer>, now: number): Promise<Exchanged<Answer>> => {
    const { settlements, claim } = request
    // Reads first: an idle worker must not take the write lock, which others need.
    if (settlements.length === 0 && (claim === undefined || !(await hasDue(claim, now)))) {
      checkedDue(false)
      return { settled: [], claimed: [], followed: [] }
    }
    const exchanged = await group.run({
      weight: settlements.length + (claim?.limit ?? 0),
      byWorker: true,
      handlersRun: running > settlements.length,
      run: (careful) => exchange(parts(), request, { now, careful }),
    })
    running = Math.max(0, running - settlements.length) + exchanged.claimed.length
    if (claim !== undefined) checkedDue(exchanged.claimed.length > 0)
    return exchanged
  }
}

function constraint({ message }: Error): Enqueued {
  return { status: 'refused', reason: 'constraint', message }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
