/**
 * Checks whether the path of a store still leads to the file that a connection has open. A deleted, moved or replaced file accepts
 * writes as before, but no one will ever read them: a job that it accepted would be lost.
 */
import { realpathSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Clock } from '../../../clock.ts'
import { WfError } from '../../../errors.ts'
import type { Connection } from './connection.ts'

export interface StorePlace {
  /** Identity of the opened file. */
  readonly file: string
  /** Checks the file (3 µs). Throws WfError `store_missing` or `store_replaced`, or the file system's error. */
  check(): void
  /** Also checks the WAL and its index, at most once a second. */
  checkAll(): void
}

/** Of a store in memory. */
export const nowhere: StorePlace = { file: '', check: () => undefined, checkAll: () => undefined }

const checkEveryMs = 1_000
/** Tries to open a path whose file keeps changing. */
const mostTries = 10

/** Opens the file at a path, and makes sure that it was there before and after. */
export function openInPlace(
  location: string,
  clock: Clock,
  open: (location: string) => Connection,
): { db: Connection; place: StorePlace } {
  if (location === ':memory:') return { db: open(location), place: nowhere }
  for (let tries = 1; ; tries++) {
    const before = identityOf(location)
    const db = open(location)
    try {
      const file = identityOf(location)
      if (file !== null && file === before)
        return { db, place: placeOf({ location, clock, file, real: realpathSync(location) }) }
      if (tries === mostTries) throw file === null ? missing(location) : replaced(location)
    } catch (error) {
      db.close()
      throw error
    }
    db.close()
  }
}

interface Place {
  location: string
  clock: Clock
  file: string
  /** Without symbolic links: SQLite puts its WAL there. */
  real: string
}

function placeOf({ location, clock, file, real }: Place): StorePlace {
  /** The files beside it at the first check; null if absent. They stay while the connection is open. */
  let beside: readonly (readonly [path: string, identity: string | null])[] | null = null
  let checkedAtMs = Number.NEGATIVE_INFINITY
  const check = () => {
    const found = identityOf(location)
    if (found !== file) throw found === null ? missing(location) : replaced(location)
  }
  return {
    file,
    check,
    checkAll() {
      const nowMs = clock.monotonic()
      if (nowMs - checkedAtMs < checkEveryMs) return
      check()
      beside ??= ['-wal', '-shm'].map((end) => [`${real}${end}`, identityOf(`${real}${end}`)] as const)
      for (const [path, known] of beside)
        if (known !== null && identityOf(path) !== known) throw logReplaced(location, path)
      // Only a successful check is remembered.
      checkedAtMs = nowMs
    },
  }
}

/** Device and inode; an open file's inode isn't reused. Null if there is no file. */
export function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

function missing(location: string): WfError {
  return new WfError(
    'store_missing',
    `the store ${location} is gone: its file was deleted or moved while it was open`,
    {
      hint: 'Put the file back; or stop every process that had it open, and start it again.',
    },
  )
}

function replaced(location: string): WfError {
  return new WfError(
    'store_replaced',
    `the store ${location} was replaced: its path leads to another file than the one that was opened`,
    {
      hint: 'Stop every process that had the old file open and start it again; put a backup in place only while all of them are stopped.',
    },
  )
}

function logReplaced(location: string, path: string): WfError {
  return new WfError(
    'store_replaced',
    `the store ${location} lost ${basename(path)}: that file was deleted or replaced while it was open`,
    {
      hint: 'Stop every process of this store with SIGTERM, none by force: the last one saves what the log held. Then start them again.',
    },
  )
}
