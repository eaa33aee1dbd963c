/** One connection to a store's file, set up the way every one of wf's is. */
import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { WfError } from '../../../errors.ts'

export type Connection = Database.Database
export type Statement = Database.Statement<unknown[]>

/** `power`: a commit survives power loss. `process`: it survives the crash of every process, but the last ones may go with the power. */
export type Durability = 'power' | 'process'

const walSizeLimitBytes = 64 * 1024 * 1024
/** Claims and settlements touch few pages, the system's own cache has the rest; the driver's default of 16 MB is memory of every worker. */
const pageCacheKb = 2_000

export function openWriter(location: string): Connection {
  const db = new Database(location, { timeout: 0, fileMustExist: location !== ':memory:' })
  return guarded(db, () => {
    db.pragma('trusted_schema = OFF')
    db.pragma('foreign_keys = ON')
    // Only takes hold while the file is empty; later it would write to it each time, and wake whoever watches.
    if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma(`journal_size_limit = ${walSizeLimitBytes}`)
    db.pragma(`cache_size = -${pageCacheKb}`)
  })
}

/** Can neither write nor create anything, nor copy the WAL into the file when it is the last to close. */
export function openReader(location: string): Connection {
  const db = new Database(location, { timeout: 0, readonly: true })
  return guarded(db, () => {
    db.pragma('trusted_schema = OFF')
    db.pragma('query_only = ON')
  })
}

function guarded(db: Connection, setUp: () => void): Connection {
  try {
    setUp()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Takes locks: run it until it meets none. The driver's own default for a WAL is NORMAL, so this says what is meant each time. */
export function setJournal(
  db: Connection,
  { durability, shared }: { durability: Durability; shared: boolean },
): void {
  if (shared) {
    const mode = db.pragma('journal_mode = WAL', { simple: true })
    if (mode !== 'wal' && mode !== 'memory')
      throw new WfError(
        'store_unavailable',
        `${db.name} cannot be switched to a write-ahead log (it stays in mode ${String(mode)})`,
      )
  } else {
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = DELETE')
    // Takes the lock that the mode then keeps; otherwise two processes could open, read, and bar each other from writing.
    db.exec('BEGIN EXCLUSIVE')
    db.exec('COMMIT')
  }
  db.pragma(durability === 'power' ? 'synchronous = FULL' : 'synchronous = NORMAL')
}

/** With its mode from the first byte on, whatever the umask; SQLite gives the -wal and -shm files the same. */
export function createFile(location: string): void {
  closeSync(openSync(location, 'a', 0o600))
}

export function engineVersion(db: Connection): string {
  return db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
}
