/**
 * Enqueues within the open transaction of a caller's own connection: the job exists if, and only if, the
 * caller's own rows do. Refuses a connection on which an accepted job would not be durable.
 */
import { realpathSync } from 'node:fs'
import { WfError } from '../../../errors.ts'
import type { NewJob } from '../../../domain/job.ts'
import type { CallersConnection, Enqueued, Store } from '../../port.ts'
import { engineVersion, type Connection } from '../file/connection.ts'
import { refuseOldEngine } from '../file/driver.ts'
import { enqueuer, type Enqueuer } from './enqueue.ts'
import { refuseNewer, refuseOlder, schemaVersion, versionOf } from '../file/migrate.ts'
import { savepointOf, type Savepoint } from '../file/savepoint.ts'
import { rowsOf } from '../rows/rows.ts'
import type { StorePlace } from '../file/file-identity.ts'
import { isConstraint, storeError, syncErrors } from '../file/sqlite-errors.ts'
import type { LogSync } from '../file/wal-fsync.ts'

const known = new WeakMap<Connection, { jobs: Enqueuer; savepoint: Savepoint }>()

/** SQLite's number for FULL; 3 is EXTRA, which is FULL and more. */
const fullSynchronous = 2

/**
 * In the given order; a refused job leaves the others standing. Throws WfError `refused` if the connection is in no
 * transaction or not at `synchronous = FULL`, `store_missing` if its file holds no store, `schema_older` or `schema_newer`
 * if the versions differ. Use an IMMEDIATE transaction: a deferred one that has read can fail on its first write.
 */
export function enqueueIn(db: Connection, jobs: readonly NewJob[], now: number): readonly Enqueued[] {
  refuseUnsafe(db)
  const parts = known.get(db) ?? partsOf(db)
  known.set(db, parts)
  return jobs.map((job) => addOne(db, parts, job, now))
}

export interface EnqueueInPlace {
  place: StorePlace
  log: Pick<LogSync, 'now'> | null
  location: string
}

/** The port's `enqueueIn`: also refuses a connection to another file than the store's. */
export function callersEnqueuer({ place, log, location }: EnqueueInPlace): Store['enqueueIn'] {
  return (connection, jobs, now) => {
    place.check()
    if (!isSameFile(connection, location)) {
      throw new WfError('refused', `the connection is to ${connection.name}, not to the store ${location}`, {
        hint: "open the store's own file with it",
      })
    }
    refuseMoved(connection, place.file)
    const enqueued = enqueueIn(connection as Connection, jobs, now)
    // Another process may have committed the first job a moment ago, and a caller that writes nothing syncs nothing.
    if (log !== null && enqueued.some(({ status }) => status === 'duplicate')) syncNow(log, location)
    return enqueued
  }
}

function syncNow(log: Pick<LogSync, 'now'>, location: string): void {
  try {
    log.now()
  } catch (error) {
    throw error instanceof Error ? syncErrors(error, location).ended : error
  }
}

/** The file at the path when a connection first enqueued: nothing else says which file the connection has open. */
const firstFiles = new WeakMap<CallersConnection, string>()

function refuseMoved(connection: CallersConnection, file: string): void {
  const first = firstFiles.get(connection) ?? file
  firstFiles.set(connection, first)
  if (first === file) return
  throw new WfError(
    'store_replaced',
    `the connection to ${connection.name} was opened on a file that is no longer there`,
    { hint: 'close it, and open the file anew' },
  )
}

function isSameFile({ name, memory }: CallersConnection, location: string): boolean {
  return !memory && location !== ':memory:' && realpathSync(name) === realpathSync(location)
}

/** The connection may come from another better-sqlite3 than wf's own, with another engine in it. */
function partsOf(db: Connection): { jobs: Enqueuer; savepoint: Savepoint } {
  refuseOldEngine(engineVersion(db))
  return { jobs: enqueuer(rowsOf(db)), savepoint: savepointOf(db) }
}

function addOne(
  db: Connection,
  { jobs, savepoint }: { jobs: Enqueuer; savepoint: Savepoint },
  job: NewJob,
  now: number,
): Enqueued {
  try {
    return savepoint(() => jobs.enqueue(job, now))
  } catch (error) {
    if (isConstraint(error)) return { status: 'refused', reason: 'constraint', message: error.message }
    throw storeError(error, db.name)
  }
}

function refuseUnsafe(db: Connection): void {
  if (!db.inTransaction) {
    throw new WfError('refused', 'enqueueIn works inside an open transaction, and this connection has none', {
      hint: 'Wrap it: db.transaction(() => { …your rows…; enqueueIn(db, …) }).immediate()',
    })
  }
  if (!db.memory && (db.pragma('synchronous', { simple: true }) as number) < fullSynchronous) {
    throw new WfError(
      'refused',
      'this connection does not wait for the disk: a job enqueued on it could be lost with the power after it was accepted',
      {
        hint: "Once after opening it, and after switching to WAL: db.pragma('synchronous = FULL')",
      },
    )
  }
  const version = versionOf(db)
  if (version === 0) {
    throw new WfError('store_missing', `the database ${db.name} holds no store of wf`, {
      hint: 'Open it once with openClient({ store, create: true }), or run `wf init`.',
    })
  }
  refuseNewer(version, schemaVersion, db.name)
  refuseOlder(version, db.name)
}
