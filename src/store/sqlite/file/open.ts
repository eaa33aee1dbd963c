/**
 * Opens a store on SQLite: checks the file, creates or upgrades it if requested, and says clearly
 * why not otherwise. Imports no configuration, command or engine.
 */
import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Clock } from '../../../clock.ts'
import { WfError } from '../../../errors.ts'
import { systemRandom, type Random } from '../../../random.ts'
import type { StoreReader } from '../../port.ts'
import type { SqliteStore } from '../sqlite-store.ts'
import {
  createFile,
  openReader,
  openWriter,
  setJournal,
  type Connection,
  type Durability,
} from './connection.ts'
import { checkDriver } from './driver.ts'
import { whileLocked, type LockWait } from './lock-wait.ts'
import { LogSync, openLog } from './wal-fsync.ts'
import { migrate, refuseBusy, refuseNewer, refuseOlder, schemaVersion, versionOf } from './migrate.ts'
import { networkFileSystem as networkName, refuseNetwork } from './network-fs.ts'
import { reading, sqliteReader } from '../queries/reader.ts'
import { rowsOf } from '../rows/rows.ts'
import { isCannotOpen, nothingBeside, storeError } from './sqlite-errors.ts'
import { openInPlace } from './file-identity.ts'
import { markUnsynced, mendLog } from './wal-recovery.ts'

export interface NetworkOptions {
  /** `allow` uses a rollback journal and locks out every other process (default: `refuse`). */
  networkFileSystem?: 'refuse' | 'allow'
  /** Type number of the file system that a path lies on; for tests. */
  fileSystemType?: (path: string) => number
}

export interface SqliteStoreOptions extends NetworkOptions {
  /** A file, or `:memory:` for a store that lives as long as its connection. */
  path: string
  clock: Clock
  random: Random
  durability: Durability
  /** Creates the store and its directory if there is none; otherwise opening rejects with WfError `store_missing`. */
  create: boolean
  /** Refuses to upgrade an older schema while workers live. */
  sparesWorkers?: boolean
  /** How long to wait for another process's lock, also while opening, before WfError `store_locked` (default: forever). */
  lockTimeoutMs?: number
}

/** Rejects with WfErrors store_missing, store_corrupt, store_read_only, store_locked, store_unavailable, schema_newer, schema_older. An older schema is upgraded, after a backup. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { clock, random, lockTimeoutMs = null } = options
  const location = options.path === ':memory:' ? options.path : resolve(options.path)
  const wait: LockWait = { clock, random, lockTimeoutMs, location }
  try {
    checkDriver()
    const network = location === ':memory:' ? null : allowedNetwork(location, options)
    if (location !== ':memory:') await prepareFile(wait, options.create)
    return await openPrepared(wait, {
      durability: options.durability,
      shared: network === null,
      sparesWorkers: options.sparesWorkers ?? false,
    })
  } catch (error) {
    throw openError(error, location)
  }
}

function openError(error: unknown, location: string): unknown {
  return isCannotOpen(error) && existsSync(location) && !mayWrite(dirname(location))
    ? nothingBeside(error, location)
    : storeError(error, location)
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the name of the network file system; null for a local one. Throws unless it is allowed. */
function allowedNetwork(
  location: string,
  { networkFileSystem = 'refuse', fileSystemType }: NetworkOptions,
): string | null {
  const name = networkName(location, fileSystemType)
  if (name !== null && networkFileSystem !== 'allow') refuseNetwork(location, name)
  return name
}

interface Prepared {
  durability: Durability
  shared: boolean
  sparesWorkers: boolean
}

async function openPrepared(wait: LockWait, { sparesWorkers, ...journal }: Prepared): Promise<SqliteStore> {
  const { db, place } = await whileLocked(wait, () => openInPlace(wait.location, wait.clock, openWriter))
  let log: LogSync | null = null
  try {
    await whileLocked(wait, () => setJournal(db, journal))
    if (journal.shared && !db.memory) {
      // SQLite opens its log when it first reads.
      await whileLocked(wait, () => versionOf(db))
      // Opened before the check for a mark, so that no failure falls between the two.
      if (journal.durability === 'power') log = ownSync(wait)
      await whileLocked(wait, () => mendLog(db, wait.location))
    }
    if (sparesWorkers) await whileLocked(wait, () => refuseBusy(db, wait))
    await migrate(db, wait)
    // From here on SQLite syncs its checkpoints only.
    if (log !== null) db.pragma('synchronous = NORMAL')
    // Readers never load the writing half.
    const { sqliteStore } = await import('../sqlite-store.ts')
    place.checkAll()
    return sqliteStore(db, { wait, place, log })
  } catch (error) {
    log?.close()
    db.close()
    throw error
  }
}

/** Null if SQLite has to sync itself. */
function ownSync({ location, clock }: LockWait): LogSync | null {
  const files = openLog(`${realpathSync(location)}-wal`)
  return files && new LogSync({ files, clock, failed: () => markUnsynced(location) })
}

/** Checks the file with a read-only connection, so that a refused file keeps its bytes. */
async function prepareFile(wait: LockWait, create: boolean): Promise<void> {
  const { location } = wait
  if (!isEmpty(location)) {
    accessSync(location, constants.W_OK)
    const found = await whileLocked(wait, () => peek(location))
    refuseNewer(found, schemaVersion, location)
    if (found > 0 || create) return
    throw missing(location, 'that file holds no store of wf')
  }
  if (!create) throw missing(location, existsSync(location) ? 'that file is empty' : 'there is no such file')
  mkdirSync(dirname(location), { recursive: true, mode: 0o700 })
  createFile(location)
}

/** Whether there is no file, or an empty one. Throws WfError for a directory or an unreadable file. */
function isEmpty(location: string): boolean {
  const found = readable(location, () => statSync(location, { throwIfNoEntry: false }))
  if (found?.isDirectory())
    throw new WfError('store_unavailable', `${location} is a directory`, {
      hint: 'Name a file in it, such as `wf.db`.',
    })
  if (found === undefined || found.size === 0) {
    refuseLoneLog(location)
    return true
  }
  readable(location, () => accessSync(location, constants.R_OK))
  return false
}

/** A WAL with commits without its file: the file was removed or emptied. A new store would delete the WAL. */
function refuseLoneLog(location: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  // Checks the file again, last: another process may be creating the store.
  if (sizeOf(`${location}-wal`) === 0 || sizeOf(location) > 0) return
  throw new WfError(
    'store_corrupt',
    `${location} is missing or empty, and beside it lies ${basename(location)}-wal with what was written last`,
    {
      hint: 'Put back the file that the log belongs to; or remove the log too, to begin anew.',
    },
  )
}

/** SQLite would only say that it cannot open the file. */
function readable<T>(location: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')))
      throw error
    throw new WfError(
      'store_unavailable',
      `the store ${location} may not be read by this user (${error.code})`,
      {
        hint: 'Run wf as the owner of the store; other users need the right to read the file and to search its directories.',
        cause: error,
      },
    )
  }
}

function missing(location: string, what: string): WfError {
  return new WfError('store_missing', `no store at ${location}: ${what}`, {
    hint: 'Check the path (--store, WF_STORE), or make one: `wf enqueue`, `wf init` and `wf run-worker` do.',
  })
}

function peek(location: string): number {
  const db = openReader(location)
  try {
    return versionOf(db)
  } finally {
    db.close()
  }
}

export interface SqliteReaderOptions extends NetworkOptions {
  path: string
  clock: Clock
}

/** Opens a store for reading: never creates, migrates or writes. Rejects with WfErrors store_missing, store_corrupt, store_read_only, store_unavailable, schema_newer, schema_older. */
export async function openSqliteReader({
  path,
  clock,
  ...network
}: SqliteReaderOptions): Promise<StoreReader> {
  const location = resolve(path)
  const wait: LockWait = { clock, random: systemRandom, lockTimeoutMs: 5_000, location }
  try {
    allowedNetwork(location, network)
    if (isEmpty(location))
      throw missing(location, existsSync(location) ? 'that file is empty' : 'there is no such file')
    checkDriver()
    const { db, place } = await whileLocked(wait, () => openInPlace(location, clock, openChecked))
    const reader = sqliteReader(rowsOf(db), { read: reading(db, { wait, place }), location })
    return {
      ...reader,
      async close() {
        db.close()
      },
    }
  } catch (error) {
    throw openError(error, location)
  }
}

function openChecked(location: string): Connection {
  const db = openReader(location)
  try {
    const found = versionOf(db)
    if (found === 0) throw missing(location, 'that file holds no store of wf')
    refuseNewer(found, schemaVersion, location)
    refuseOlder(found, location)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
