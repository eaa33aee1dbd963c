import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { newJob } from '../../src/domain/new-job.ts'
import { fileWatch } from '../../src/store/sqlite/file/file-watch.ts'
import type { Store } from '../../src/store/port.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { wakeUp } from '../../src/store/sqlite/file/commit-watch.ts'
import { dbOf, openSqlite, ownFile, ownFolder } from '../support/store-sqlite.ts'

const enqueue = (store: Store, type = 't') => store.enqueue([newJob({ type }, store.now())], store.now())

/** Two connections to one file; the first one's time stands still, so that only the file itself can wake it. */
async function pair() {
  const path = ownFile()
  const clock = createFakeClock()
  const idle = await openSqlite({ path, clock })
  const busy = await openSqlite({ path, clock: systemClock })
  return { path, clock, idle, busy }
}

/** Ends only what hangs. */
const longest = { timeout: 120_000 }

describe('watching a store', () => {
  // B118
  it('is told of a commit of another connection by the file itself', async () => {
    const { idle, busy } = await pair()
    const told = new Promise<void>((resolve) => onTestFinished(idle.watch(resolve)))
    await enqueue(busy)
    await told
    expect(await idle.hasDue(['t'], false, idle.now())).toBe(true)
  })

  // B118
  it('hears of every one of 200 commits, each after the one before was seen', async () => {
    const path = ownFile()
    const [idle, busy] = [
      await openSqlite({ path, clock: systemClock }),
      await openSqlite({ path, clock: systemClock }),
    ]
    let wake = () => {}
    onTestFinished(idle.watch(() => wake()))
    for (let round = 0; round < 200; round++) {
      const told = new Promise<void>((resolve) => {
        wake = resolve
      })
      await enqueue(busy)
      await told
    }
    expect((await idle.counts()).available).toBe(200)
  })

  it('is told by a poll, within 50 ms, where the file cannot be watched', async () => {
    const { idle, busy, clock } = await pair()
    const blind = wakeUp(dbOf(idle), { clock, location: `${ownFolder()}/none` })
    onTestFinished(() => blind.close())
    const told = vi.fn()
    blind.watch(told)
    for (let round = 1; round <= 3; round++) {
      await enqueue(busy)
      await clock.advance(50)
      expect(told).toHaveBeenCalledTimes(round)
    }
    await clock.advance(10_000)
    expect(told).toHaveBeenCalledTimes(3)
  })

  it('is not told of commits of its own, nor of anything after it has ended', async () => {
    const { idle, busy, clock } = await pair()
    const told = vi.fn()
    const end = idle.watch(told)
    for (let commit = 0; commit < 20; commit++) await enqueue(idle)
    await clock.advance(1_000)
    expect(told).not.toHaveBeenCalled()
    end()
    await enqueue(busy)
    await clock.advance(1_000)
    expect(told).not.toHaveBeenCalled()
    expect(clock.pendingTimers).toBe(0)
  })

  it('leaves no timer and no watch behind when its store is closed', async () => {
    const { idle, busy, clock } = await pair()
    idle.watch(() => {})
    idle.watch(() => {})
    await enqueue(busy)
    await clock.advance(3)
    await idle.close()
    expect(clock.pendingTimers).toBe(0)
    const watches = process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap')
    expect(watches).toEqual([])
  })

  it('rests after a look that found nothing, longer each time up to 50 ms, and is awake again after quiet', async () => {
    const { idle, busy, clock } = await pair()
    const told = vi.fn(() => void idle.hasDue(['mine'], false, idle.now()))
    onTestFinished(idle.watch(told))
    const commitAndWait = async (ms: number) => {
      told.mockClear()
      await enqueue(busy, 'other')
      await clock.advance(ms)
      return told.mock.calls.length
    }
    await vi.waitFor(async () => expect(await commitAndWait(1)).toBe(1), longest)
    for (const rest of [5, 10, 20, 40, 50, 50]) {
      expect(await commitAndWait(rest - 2), `within the rest of ${rest} ms`).toBe(0)
      await clock.advance(2)
      expect(told).toHaveBeenCalledTimes(1)
    }
    await clock.advance(200)
    told.mockClear()
    await enqueue(busy, 'mine')
    await vi.waitFor(async () => {
      await clock.advance(1)
      expect(told).toHaveBeenCalled()
    }, longest)
  })

  it('does nothing on a store in memory, where nobody else can commit', async () => {
    const clock = createFakeClock()
    const store = await openSqlite({ clock })
    store.watch(() => {
      throw new Error('told')
    })()
    await enqueue(store)
    expect(clock.pendingTimers).toBe(0)
  })
})

describe('the watch of a file', () => {
  it('is simply not open where there is no file, and opens when there is one', () => {
    const missing = `${ownFolder()}/none`
    const watch = fileWatch(missing, () => {})
    watch.open()
    expect(watch.isOpen()).toBe(false)
    const present = fileWatch(ownFolder(), () => {})
    present.open()
    present.open()
    expect([present.isOpen(), existsSync(missing)]).toEqual([true, false])
    present.close()
    present.close()
    expect(present.isOpen()).toBe(false)
  })
})
