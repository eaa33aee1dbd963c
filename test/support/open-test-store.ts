import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openStore } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { seededRandom } from '../../src/random.ts'
import type { Store } from '../../src/store/port.ts'
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts'

export interface TestStore {
  store: Store
  clock: FakeClock
  location: string
}

export interface TestStoreOptions {
  clock?: FakeClock
  /** A file of its own, which several connections can open; default: in memory. */
  file?: boolean
  /** Open this one, which another call made. */
  location?: string
}

/** A store of the test's own, closed when the test ends; a timer that is left on its clock then fails the test. */
export async function openTestStore({
  clock = createFakeClock(),
  file = false,
  location,
}: TestStoreOptions = {}): Promise<TestStore> {
  const place = location ?? (file ? join(temporaryDirectory(), 'wf.db') : ':memory:')
  const config = await loadConfig({})
  const store = await openStore({
    location: place,
    mode: 'write',
    create: true,
    config,
    clock,
    random: seededRandom(1),
    lockTimeoutMs: null,
  })
  onTestFinished(async () => {
    await store.close()
    await clock.settle()
    expect(clock.pendingTimers, 'timers left on the clock').toBe(0)
  })
  return { store, clock, location: place }
}

/** Removed when the test ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'wf-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
