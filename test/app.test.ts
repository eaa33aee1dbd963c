import {
  declareTypes,
  pauseTypes,
  registerWorkers,
  resolveJobs,
  retireWorkers,
  setWorkerState,
  stopJobs,
} from './support/plans.ts'
import { renameSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configOf, openStore } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import type { Store } from '../src/store/port.ts'
import { createFakeClock } from '../src/testing/fake-clock.ts'
import { openMemoryStore } from '../src/testing/memory-store.ts'
import { openTestStore, temporaryDirectory } from './support/open-test-store.ts'

async function opened(options: Parameters<typeof openStore>[0]): Promise<Store> {
  const store = await openStore({ config: await loadConfig({}), ...options })
  onTestFinished(() => store.close())
  return store
}

describe('opening a store', () => {
  it('takes a path, a relative path and a file: URL for the same file, and answers with the absolute path', async () => {
    const path = join(temporaryDirectory(), 'wf.db')
    const first = await opened({ location: path, mode: 'write', create: true })
    const { storeId } = await first.info()
    for (const location of [relative(process.cwd(), path), pathToFileURL(path).href]) {
      expect(await (await opened({ location, mode: 'write' })).info()).toMatchObject({
        storeId,
        location: path,
      })
    }
  })

  it('takes the place from the configuration when none is named', async () => {
    const path = join(temporaryDirectory(), 'configured.db')
    const config = await loadConfig({ flags: { store: path } })
    expect((await (await opened({ mode: 'write', create: true, config })).info()).location).toBe(path)
  })

  it('makes nothing unless it is asked to, and nothing at all for reading', async () => {
    const path = join(temporaryDirectory(), 'wf.db')
    for (const options of [{ mode: 'write' }, { mode: 'read' }, { mode: 'read', create: true }] as const) {
      await expect(opened({ location: path, ...options })).rejects.toMatchObject({ code: 'store_missing' })
    }
  })

  it('refuses kinds of stores that there are not, without a word of what stands in the URL', async () => {
    for (const location of [
      'postgres://me:s3cret@host/db',
      'postgresql://host',
      'POSTGRES://me:s3cret@host',
      'mysql://me:s3cret@host',
      'http://x',
    ]) {
      const refused = await opened({ location, mode: 'write' }).catch((error: Error) => error)
      expect(refused, location).toMatchObject({ code: 'usage' })
      expect(JSON.stringify({ ...refused, message: (refused as Error).message })).not.toContain('s3cret')
    }
  })

  it('reads flags before variables before defaults for the configuration of this process', async () => {
    expect(await configOf({ store: './x.db', durability: 'process' })).toMatchObject({
      store: './x.db',
      durability: 'process',
      leaseMs: 30_000,
    })
  })

  it('gives a reader that sees what others write, is told of it, and refuses to write', async () => {
    const { store, location, clock } = await openTestStore({ file: true })
    const reader = await opened({ location, mode: 'read', clock })
    let told = 0
    const end = reader.watch(() => told++)
    await clock.advance(1_000)
    expect(told).toBe(0)
    await pauseTypes(store, ['mail'], { paused: true, reason: null, who: 'ann' }, store.now())
    await clock.advance(250)
    expect(told).toBe(1)
    expect((await reader.types(reader.now())).map(({ type }) => type)).toEqual(['mail'])
    end()
    await pauseTypes(store, ['sms'], { paused: true, reason: null, who: 'ann' }, store.now())
    await clock.advance(1_000)
    expect(told).toBe(1)
    const writes = [
      reader.enqueue([], 0),
      reader.exchange({ settlements: [] }, 0),
      reader.renew([], 0, 0),
      resolveJobs(reader, [], 0),
      stopJobs(reader, [], 0),
      registerWorkers(reader, [], 0),
      setWorkerState(reader, [], { state: 'draining' }, 0),
      retireWorkers(reader, [], 0),
      declareTypes(reader, [], 0),
      pauseTypes(reader, [], { paused: false, reason: null, who: 'ann' }, 0),
      reader.addStats([], [], [], 0),
      reader.prune({ finishedMs: null, deadLettersMs: null, idempotencyKeysMs: null, statsMs: null }, 0),
    ]
    for (const write of writes)
      await expect(write).rejects.toMatchObject({ message: expect.stringContaining('reading only') })
  })

  it('tells a watch that the file is gone, once, and that it is there again', async () => {
    const { location, clock } = await openTestStore({ file: true })
    const reader = await opened({ location, mode: 'read', clock })
    let told = 0
    const end = reader.watch(() => told++)
    await clock.advance(1_000)
    renameSync(location, `${location}.old`)
    await clock.advance(10_000)
    expect(told).toBe(1)
    await expect(reader.counts()).rejects.toMatchObject({ code: 'store_missing' })
    renameSync(`${location}.old`, location)
    await clock.advance(10_000)
    expect(told).toBe(2)
    end()
  })

  it('a watch ends in silence when the reader is closed under it', async () => {
    const { location, clock } = await openTestStore({ file: true })
    const reader = await opened({ location, mode: 'read', clock })
    reader.watch(() => expect.unreachable())
    await clock.advance(300)
    await reader.close()
    await clock.advance(1_000)
    expect(clock.pendingTimers).toBe(0)
  })

  it('keeps a store in memory for tests, on any clock', async () => {
    const clock = createFakeClock(5_000)
    const store = await openMemoryStore({ clock })
    expect(store.now()).toBe(5_000)
    expect(await store.counts()).toMatchObject({ available: 0, running: 0 })
    await store.close()
  })
})
