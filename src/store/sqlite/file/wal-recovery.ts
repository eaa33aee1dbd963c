/**
 * What becomes of a store after a sync of its log has failed. From then on the system may show commits that the disk does not
 * have and will never be given by itself, for what could not be written counts as written: a later sync says nothing about it.
 * To commit on top of such a hole, or to copy the log into the store, could lose jobs or damage the file when the power goes.
 * So a mark is left beside the store, and whoever opens it next writes the log once more, byte for byte, before all else.
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename } from 'node:path'
import { WfError } from '../../../errors.ts'
import { openReader, type Connection } from './connection.ts'
import { versionOf } from './migrate.ts'
import { validFrames, walHeaderBytes } from './wal-checksum.ts'

/** Where SQLite keeps the log of a store, and wf what it must remember about that log. */
function besideOf(location: string): { log: string; mark: string; mending: string } {
  const real = realpathSync(location)
  return { log: `${real}-wal`, mark: `${real}-unsynced`, mending: `${real}-unsynced-mending` }
}

/** Throws nothing: a disk that is in trouble may not even take the mark. */
export function markUnsynced(location: string): void {
  try {
    writeFileSync(besideOf(location).mark, '', { mode: 0o600 })
  } catch {
    // Then only those who have the store open know: each of them is told of the failure by the system.
  }
}

/**
 * Does nothing without a mark. Takes the write lock: run it until it meets none, before anything is written. Throws a WfError
 * `store_corrupt` when the log cannot be read back as it was written, `store_unavailable` when the disk does not take it.
 */
export function mendLog(db: Connection, location: string): void {
  const { log, mark, mending } = besideOf(location)
  if (!existsSync(mark) && !existsSync(mending)) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // A sync that fails from here on leaves a mark of its own.
    if (existsSync(mark)) renameSync(mark, mending)
    rewrite(log, location)
    rmSync(mending, { force: true })
  } finally {
    db.exec('ROLLBACK')
  }
}

/** Nobody adds to the log meanwhile, and none begins it anew. No lock of SQLite's is on it, so opening and closing it drops none. */
function rewrite(log: string, location: string): void {
  const file = openSync(log, 'r+')
  try {
    const expected = framesOf(location)
    const found = validFrames(file)
    if (found < expected) throw unreadable(location, log)
    writeAgain(file)
    fdatasyncSync(file)
  } catch (error) {
    if (error instanceof WfError) throw error
    throw new WfError(
      'store_unavailable',
      `the disk does not take the log of ${location}: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'Check the disk and the space on it, then start wf again.',
        cause: error,
      },
    )
  } finally {
    closeSync(file)
  }
}

/** How many frames the index of the log, which all connections share, counts. */
function framesOf(location: string): number {
  const reader = openReader(location)
  try {
    const [row] = reader.pragma('wal_checkpoint(NOOP)') as { log: number }[]
    return row?.log ?? 0
  } finally {
    reader.close()
  }
}

const chunkBytes = 256 * 1024

/** What is written counts as changed, even where it is the same: the system has to put it on the disk again. */
function writeAgain(file: number): void {
  const { size } = fstatSync(file)
  if (size < walHeaderBytes) return
  const chunk = Buffer.alloc(chunkBytes)
  for (let at = 0; at < size; ) {
    const bytes = readSync(file, chunk, 0, chunkBytes, at)
    if (bytes === 0) return
    for (let written = 0; written < bytes; )
      written += writeSync(file, chunk, written, bytes - written, at + written)
    at += bytes
  }
}

/** The last connection to close would copy the log into the store; one that can only read stays until this one is gone. */
export function closeUncopied(db: Connection, location: string): void {
  const reader = readerOf(location)
  db.close()
  reader?.close()
}

/** With the lock that says that somebody is there. Null where the file is gone, and with it what there was to spoil. */
function readerOf(location: string): Connection | null {
  try {
    const reader = openReader(location)
    versionOf(reader)
    return reader
  } catch {
    return null
  }
}

function unreadable(location: string, log: string): WfError {
  return new WfError(
    'store_corrupt',
    `the disk lost a part of ${basename(log)} that processes of the store ${location} still count on`,
    {
      hint: 'Stop every process of this store, then start them again: what the log still holds is found by the first. Nothing of the rest was acknowledged.',
    },
  )
}
