/** Stores on SQLite for tests: in memory or in a file of the test's own, checked and closed when the test ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { seededRandom } from '../../src/random.ts'
import { checkInvariants } from '../../src/store/sqlite/check-invariants.ts'
import type { Connection } from '../../src/store/sqlite/file/connection.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../src/store/sqlite/file/open.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/port.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import type { OpenedStore } from './store-scene.ts'

/** Removed when the test ends. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wf-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const ownFile = (): string => join(ownFolder(), 'wf.db')

export function dbOf(store: Store): Connection {
  if (!('connection' in store)) throw new Error('not a store on SQLite')
  return (store as SqliteStore).connection
}

/** Closed when the test ends, which then fails if a timer is left. */
export async function openSqlite(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const clock = options.clock ?? createFakeClock()
  const defaults = { path: ':memory:', random: seededRandom(1), durability: 'power' as const, create: true }
  const store = await openSqliteStore({ ...defaults, ...options, clock })
  onTestFinished(() => store.close())
  return store
}

export async function openScene(path: string): Promise<OpenedStore> {
  const clock = createFakeClock()
  onTestFinished(async () => {
    await clock.settle()
    expect(clock.pendingTimers, 'timers left on the clock').toBe(0)
  })
  const store = await openSqlite({ path, clock })
  return {
    store,
    clock,
    another: path === ':memory:' ? null : () => openSqlite({ path, clock }),
    faults: () => checkInvariants(dbOf(store)),
  }
}
