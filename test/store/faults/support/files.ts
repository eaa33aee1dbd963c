/** Stores in files of a test's own, opened as production opens them, and copies of them. */
import { long } from '../../../support/long.ts'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished, vi } from 'vitest'
import { systemClock } from '../../../../src/clock.ts'
import { newJob, type EnqueueInput } from '../../../../src/domain/new-job.ts'
import { seededRandom } from '../../../../src/random.ts'
import type { Connection } from '../../../../src/store/sqlite/file/connection.ts'
import {
  openSqliteReader,
  openSqliteStore,
  type SqliteReaderOptions,
  type SqliteStoreOptions,
} from '../../../../src/store/sqlite/file/open.ts'
import type { Store, StoreReader } from '../../../../src/store/port.ts'
import { temporaryDirectory } from '../../../support/open-test-store.ts'

if (long) vi.setConfig({ testTimeout: 900_000 })

export const freshPath = () => join(temporaryDirectory(), 'wf.db')

/** Closed when the test ends. */
export async function openWrite(path: string, options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const defaults = {
    clock: systemClock,
    random: seededRandom(1),
    durability: 'power',
    create: true,
    lockTimeoutMs: 120_000,
  } as const
  const store = await openSqliteStore({ ...defaults, path, ...options })
  onTestFinished(() => store.close())
  return store
}

export async function openRead(
  path: string,
  options: Partial<SqliteReaderOptions> = {},
): Promise<StoreReader> {
  const reader = await openSqliteReader({ clock: systemClock, path, ...options })
  onTestFinished(() => reader.close())
  return reader
}

/** A connection that is not wf's: an outsider. */
export function openRaw(path: string): Connection {
  const db = new Database(path, { timeout: 120_000 })
  onTestFinished(() => {
    db.close()
  })
  return db
}

export const jobsOf = (count: number, input: Partial<EnqueueInput> = {}) =>
  Array.from({ length: count }, () => newJob({ type: 't', ...input }, systemClock.now()))

/** Of everything in the folder of the store: names and bytes. */
export function bytesOf(path: string): Record<string, string> {
  const folder = dirname(path)
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  return Object.fromEntries(readdirSync(folder).map((name) => [name, hash(name)]))
}

/** A copy of a store's file and of what lies beside it, in a folder of its own. */
export function copyOf(path: string): string {
  const target = freshPath()
  mkdirSync(dirname(target), { recursive: true })
  for (const end of ['', '-wal']) if (existsSync(`${path}${end}`)) cpSync(`${path}${end}`, `${target}${end}`)
  return target
}
