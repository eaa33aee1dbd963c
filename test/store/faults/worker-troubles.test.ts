import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../../src/engine/engine.ts'
import { createEvents } from '../../../src/engine/events.ts'
import { createSweeper } from '../../../src/engine/sweeper.ts'
import { createStats } from '../../../src/metrics/stats.ts'
import { seededRandom } from '../../../src/random.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import type { ActivatedJob, HandlerContext } from '../../../src/worker/handler/define-handler.ts'
import { createInline } from '../../../src/worker/inline.ts'
import { normaliseHandler } from '../../../src/worker/handler/handler-schema.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { freshPath, openRaw, openWrite } from './support/files.ts'
import { canMount, smallDisk } from './support/small-disk.ts'

const minute = 60_000

/** A worker with all that production runs beside it, on a clock that a test moves, with jobs of 200 ms. */
async function workingStore(path: string, jobs: number) {
  const clock = createFakeClock()
  const random = seededRandom(5)
  const log = capturedLog()
  const store = await openWrite(path, { clock, random, lockTimeoutMs: 30_000 })
  const events = createEvents()
  const engine = createEngine({ store, random, events })
  const runs = new Map<number, number>()
  const handler = normaliseHandler({
    type: 't',
    concurrency: 5,
    async run({ key }: ActivatedJob<unknown>, { signal }: HandlerContext) {
      runs.set(key, (runs.get(key) ?? 0) + 1)
      await clock.sleep(200, signal)
      return { ran: runs.get(key) }
    },
  })
  const retention = { finishedMs: null, deadLettersMs: null, idempotencyKeysMs: null, statsMs: null }
  const worker = createInline({
    ...{ engine, clock, random, log, label: 'w', host: 'test', pid: 1, concurrency: null, maxJobs: null },
    handlers: new Map([['t', handler]]),
    storeId: (await store.info()).storeId,
    lease: { leaseMs: 30_000, renewMs: 10_000 },
    upkeep: [
      createSweeper({ engine, clock, log, sweepMs: 5_000, renewalMs: 10_000, retention }),
      createStats({ events, store, clock, log }),
    ],
  })
  const started = worker.start()
  await clock.advance(10)
  await started
  onTestFinished(async () => {
    const ended = worker.stop()
    await clock.advance(2_000)
    await ended
  })
  const enqueued = engine.enqueue(Array.from({ length: jobs }, () => ({ type: 't' })))
  await clock.advance(10)
  await enqueued
  const completed = () =>
    openRaw(path).prepare("SELECT count(*) FROM wf_jobs WHERE state = 'completed'").pluck().get() as number
  return { clock, log, store, runs, completed, path }
}

type Working = Awaited<ReturnType<typeof workingStore>>

/** After the trouble: everything ends, by itself, in the time that a backoff and a lease take. */
async function expectRecovery({ clock, completed, runs, path }: Working, jobs: number): Promise<void> {
  await clock.advance(minute)
  expect(completed()).toBe(jobs)
  expect(runs.size).toBe(jobs)
  expect(checkInvariantsOf(path)).toEqual([])
}

describe('a worker', () => {
  // A38 B086
  it('on a disk that is full for five minutes: nothing ends, few words, and it works on by itself when there is space', async (context) => {
    if (!canMount) return context.skip()
    const disk = smallDisk()
    const working = await workingStore(join(disk.folder, 'wf.db'), 60)
    const { clock, log, store, completed } = working
    await clock.advance(450)
    const before = completed()
    expect(before).toBeGreaterThan(0)
    dbOf(store).pragma('wal_checkpoint(TRUNCATE)')
    disk.fill()
    for (let minutes = 0; minutes < 5; minutes++) {
      const said = log.lines.length
      await clock.advance(minute)
      expect(log.lines.length - said).toBeLessThanOrEqual(20)
    }
    expect(
      log.lines.some(({ level, message }) => level === 'warn' && message.includes('the disk is full')),
    ).toBe(true)
    expect(completed()).toBe(before)
    disk.empty()
    await expectRecovery(working, 60)
  })

  // A38 B086
  it('on a disk that is full for ten seconds: what its handlers had done is kept and stored, and none runs twice', async (context) => {
    if (!canMount) return context.skip()
    const disk = smallDisk()
    const working = await workingStore(join(disk.folder, 'wf.db'), 60)
    const { clock, log, store, runs } = working
    await clock.advance(450)
    dbOf(store).pragma('wal_checkpoint(TRUNCATE)')
    disk.fill()
    const said = log.lines.length
    await clock.advance(10_000)
    expect(log.lines.length - said).toBeLessThanOrEqual(20)
    disk.empty()
    await expectRecovery(working, 60)
    expect([...runs.values()].filter((count) => count > 1)).toEqual([])
  })

  // A38 B077
  it('whose database an outsider locks for 10 s, again and again: nothing runs twice, few words, and it works on each time', async () => {
    const path = freshPath()
    const working = await workingStore(path, 200)
    const { clock, log, completed, runs } = working
    const outsider = openRaw(path)
    for (let round = 0; round < 3; round++) {
      await clock.advance(450)
      const before = completed()
      outsider.exec('BEGIN IMMEDIATE')
      await clock.advance(10_000)
      expect(completed()).toBe(before)
      outsider.exec('COMMIT')
      await clock.advance(1_000)
      expect(completed()).toBeGreaterThan(before)
    }
    // A lock that others hold for a while is no trouble worth a word.
    expect(log.lines.filter(({ level }) => level !== 'info').map(({ message }) => message)).toEqual([])
    await expectRecovery(working, 200)
    expect([...runs.values()].filter((count) => count > 1)).toEqual([])
  })

  // A38 B077
  it('whose database stays locked for two minutes gives its jobs up before others may run them, says so, and comes back', async () => {
    const path = freshPath()
    const working = await workingStore(path, 50)
    const { clock, log, completed } = working
    await clock.advance(450)
    const outsider = openRaw(path)
    outsider.exec('BEGIN IMMEDIATE')
    for (let minutes = 0; minutes < 2; minutes++) {
      const said = log.lines.length
      await clock.advance(minute)
      expect(log.lines.length - said).toBeLessThanOrEqual(20)
    }
    expect(
      log.lines.filter(({ message }) => message.includes('leases could not be renewed in time')),
    ).toHaveLength(1)
    expect(completed()).toBeLessThan(50)
    outsider.exec('COMMIT')
    await expectRecovery(working, 50)
  })
})
