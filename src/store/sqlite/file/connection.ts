/** Connections to a store's file, with wf's settings. */
import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { WfError } from '../../../errors.ts'

export type Connection = Database.Database
export type Statement = Database.Statement<unknown[]>

/** `power`: a commit survives power loss. `process`: it survives the crash of every process; a power loss may take the last commits. */
export type Durability = 'power' | 'process'

const walSizeLimitBytes = 64 * 1024 * 1024
/** Claims and settlements touch few pages, and the system caches the rest; the driver's default is 16 MB a worker. */
const pageCacheKb = 2_000

export function openWriter(location: string): Connection {
  const db = new Database(location, { timeout: 0, fileMustExist: location !== ':memory:' })
  return guarded(db, () => {
    db.pragma('trusted_schema = OFF')
    db.pragma('foreign_keys = ON')
    // Only works on an empty file; later it would write each time and wake all watchers.
    if (db.pragma('page_count', { simple: true }) === 0) db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma(`journal_size_limit = ${walSizeLimitBytes}`)
    db.pragma(`cache_size = -${pageCacheKb}`)
  })
}

/** Can't write or create anything, nor checkpoint the WAL when it is the last to close. */
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

/** Takes locks: repeat it until it meets none. Always sets `synchronous`, because the driver's default for a WAL is NORMAL. */
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
    // Takes the lock that the mode then keeps; otherwise two processes could open, read, and block each other's writes.
    db.exec('BEGIN EXCLUSIVE')
    db.exec('COMMIT')
  }
  db.pragma(durability === 'power' ? 'synchronous = FULL' : 'synchronous = NORMAL')
}

/** Mode 0600 whatever the umask; SQLite gives the -wal and -shm files the same mode. */
export function createFile(location: string): void {
  closeSync(openSync(location, 'a', 0o600))
}

export function engineVersion(db: Connection): string {
  return db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
}
