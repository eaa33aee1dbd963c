import {
  addOperationTargets,
  beginOperation,
  changeBreaker,
  declareTypes,
  endOperation,
  forgetSteps,
  pauseTypes,
  purgeLetters,
  registerWorkers,
  reportBreakers,
  resolveJobs,
  retireWorkers,
  setWorkerState,
  stopJobs,
  undoTargets,
} from '../../support/plans.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { openReader } from '../../../src/store/sqlite/file/connection.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import type { Store, StoreWriter } from '../../../src/store/port.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { claimRequest, openedBreaker } from '../../support/store-scene.ts'
import { refusalOf, startChildren, type Child } from './support/child.ts'
import { fileScene } from './support/every-state.ts'
import { freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'
import { long } from '../../support/long.ts'

const someOperation = {
  verb: 'cancel',
  who: 'ada',
  selector: '1',
  reason: null,
  flags: {},
  matched: 1,
} as const

/** Every write of the port, with hands that are not empty. */
const writes: Record<
  Exclude<keyof StoreWriter, 'transact'> | string,
  (store: Store, now: number) => Promise<unknown>
> = {
  enqueue: (store, now) => store.enqueue(jobsOf(1), now),
  exchange: (store, now) => store.exchange({ settlements: [], claim: claimRequest() }, now),
  renew: (store, now) => store.renew(['w#1'], now + 60_000, now),
  resolve: (store, now) => resolveJobs(store, [{ jobKey: 1, verb: 'cancel', who: 'ada', reason: null }], now),
  stop: (store, now) => stopJobs(store, [], now),
  registerWorkers: (store, now) => registerWorkers(store, [], now),
  setWorkerState: (store, now) => setWorkerState(store, ['w#1'], { state: 'draining' }, now),
  retireWorkers: (store, now) => retireWorkers(store, ['w#9'], now),
  declareTypes: (store, now) => declareTypes(store, [], now),
  pauseTypes: (store, now) => pauseTypes(store, ['u'], { paused: true, reason: null, who: 'ada' }, now),
  changeBreaker: (store, now) => changeBreaker(store, openedBreaker(), now),
  tellBreakers: (store) => reportBreakers(store, 'w#1', []),
  beginStep: (store, now) => store.beginStep({ jobKey: 1, attempt: 1, workerId: 'w#1' }, 'charge', now),
  completeStep: (store, now) =>
    store.completeStep({ jobKey: 1, attempt: 1, workerId: 'w#1' }, 'charge', '1', now),
  withdrawStep: (store) => store.withdrawStep({ jobKey: 1, attempt: 1, workerId: 'w#1' }, 'charge'),
  forgetSteps: (store, now) => forgetSteps(store, { jobKey: 1, step: null, who: 'ada', reason: null }, now),
  addStats: (store, now) => store.addStats([], [{ metric: 'm', labels: '{}', value: 1 }], [], now),
  beginOperation: (store, now) => beginOperation(store, someOperation, now),
  addOperationTargets: (store, now) => addOperationTargets(store, 1, [], now),
  endOperation: async (store, now) =>
    endOperation(store, await beginOperation(store, someOperation, now), now),
  undo: (store, now) =>
    undoTargets(store, { operation: 1, of: 1, targets: [], who: 'ada', reason: null }, now),
  purgeLetters: (store, now) =>
    purgeLetters(store, { keys: [1], open: true, who: 'test', reason: null }, now),
  prune: (store, now) =>
    store.prune({ finishedMs: 1, deadLettersMs: 1, idempotencyKeysMs: 1, statsMs: 1 }, now),
}

/** Holds the write lock until the returned function is called. */
function lock(path: string): () => void {
  const outsider = openRaw(path)
  outsider.exec('BEGIN IMMEDIATE')
  return () => outsider.exec('COMMIT')
}

/** What became of a promise so far. */
function watched<T>(promise: Promise<T>): { state: 'waits' | 'done' | 'refused'; error: unknown } {
  const seen: ReturnType<typeof watched> = { state: 'waits', error: null }
  promise.then(
    () => {
      seen.state = 'done'
    },
    (error: unknown) => {
      Object.assign(seen, { state: 'refused', error })
    },
  )
  return seen
}

async function lockedScene(lockTimeoutMs: number) {
  const path = freshPath()
  const scene = await fileScene(path)
  await scene.enqueue({}, {})
  await scene.store.close()
  const clock = createFakeClock()
  const store = await openWrite(path, { clock, lockTimeoutMs })
  return { path, clock, store }
}

describe('while another process holds the write lock', () => {
  // B077
  it.each(Object.entries(writes))('%s waits, and is done when the lock is free', async (_, write) => {
    const { path, clock, store } = await lockedScene(30_000)
    const free = lock(path)
    const seen = watched(write(store, clock.now()))
    await clock.advance(10_000)
    expect(seen.state).toBe('waits')
    free()
    await clock.advance(50)
    expect(seen).toEqual({ state: 'done', error: null })
    expect(checkInvariantsOf(path)).toEqual([])
  })

  it.each(Object.entries(writes))(
    // B077
    '%s is refused when its patience ends, not before, and changes nothing; the store works on afterwards',
    async (_, write) => {
      const { path, clock, store } = await lockedScene(30_000)
      const free = lock(path)
      const seen = watched(write(store, clock.now()))
      await clock.advance(29_900)
      expect(seen.state).toBe('waits')
      await clock.advance(200)
      expect(seen).toMatchObject({
        state: 'refused',
        error: { code: 'store_locked', message: expect.stringContaining(path) },
      })
      free()
      const again = watched(write(store, clock.now()))
      await clock.advance(50)
      expect(again).toEqual({ state: 'done', error: null })
    },
  )

  // B077
  it('what waits is done in order, together, and nothing twice', async () => {
    const { path, clock, store } = await lockedScene(30_000)
    const free = lock(path)
    const first = Promise.all(Array.from({ length: 50 }, () => store.enqueue(jobsOf(1), clock.now())))
    await clock.advance(5_000)
    free()
    await clock.advance(100)
    expect((await first).flat().map((each) => 'key' in each && each.key)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 3),
    )
  })

  // B080
  it('no call sleeps inside SQLite: every connection has a busy timeout of 0 and waits on a timer', async () => {
    const { path, clock, store } = await lockedScene(30_000)
    const reader = openReader(path)
    onTestFinished(() => void reader.close())
    for (const db of [dbOf(store), reader]) expect(db.pragma('busy_timeout', { simple: true })).toBe(0)
    const free = lock(path)
    const seen = watched(store.enqueue(jobsOf(1), clock.now()))
    // No time passes here but that of the clock, so a call that waited by itself would not have come back to set a timer.
    await clock.advance(10)
    await clock.settle()
    expect(clock.pendingTimers).toBe(1)
    expect(seen.state).toBe('waits')
    free()
    await clock.advance(30)
    expect(seen.state).toBe('done')
  })

  // B080
  it('timers and other tasks of the process run on, and reads are answered', async () => {
    const path = freshPath()
    const [child] = (await startChildren(1)) as [Child]
    await child.do('open', { path })
    await child.call('enqueue', jobsOf(3), systemClock.now())
    const free = lock(path)
    const seen = watched(child.call('enqueue', jobsOf(1), systemClock.now()))
    for (let turn = 0; turn < 20; turn++) expect(await child.call('counts')).toMatchObject({ available: 3 })
    // It has met the lock many times by now, and still answers at once.
    const { SQLITE_BUSY: met = 0 } = await untilErrors(child, ({ SQLITE_BUSY = 0 }) => SQLITE_BUSY > 5)
    expect(met).toBeGreaterThan(5)
    expect(seen.state).toBe('waits')
    free()
    await until(() => seen.state !== 'waits')
    expect(seen.state).toBe('done')
  })

  it('closing does not wait for ever, and says of what waits that it was not written', async () => {
    const { path, clock, store } = await lockedScene(30_000)
    const free = lock(path)
    const seen = watched(store.enqueue(jobsOf(1), clock.now()))
    const closed = watched(store.close())
    const closedAgain = watched(store.close())
    await clock.advance(4_900)
    expect([seen.state, closed.state, closedAgain.state]).toEqual(['waits', 'waits', 'waits'])
    await clock.advance(200)
    expect([seen.state, closed.state, closedAgain.state]).toEqual(['refused', 'done', 'done'])
    expect(await refusalOf(store.enqueue(jobsOf(1), 1))).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('is closed'),
    })
    free()
    expect(openRaw(path).prepare('SELECT count(*) FROM wf_jobs').pluck().get()).toBe(2)
  })
})

type Errors = Record<string, number>

async function untilErrors(child: Child, enough: (errors: Errors) => boolean): Promise<Errors> {
  for (;;) {
    const errors = await child.do<Errors>('errors')
    if (enough(errors)) return errors
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

describe('many processes that read and then write', () => {
  // B077 B079
  it('none ever meets a snapshot that is too old, none ends, and nothing is lost though an outsider takes the lock again and again', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    let jobs = long ? 20_000 : 1_500
    await store.enqueue(jobsOf(jobs), systemClock.now())
    const workers = await startChildren(3)
    const [operator] = (await startChildren(1)) as [Child]
    await Promise.all([...workers, operator].map((child) => child.do('open', { path })))
    const settled = new Set<number>()
    for (const [index, worker] of workers.entries()) {
      const workerId = `w#${index}`
      const row = {
        label: 'w',
        pid: 1,
        host: 'test',
        startedAt: 1,
        state: 'running' as const,
        concurrency: 8,
        types: ['t'],
        quarantine: false,
      }
      await worker.plan(
        'registerWorkers',
        [{ ...row, id: workerId, leaseUntil: systemClock.now() + 600_000 }],
        systemClock.now(),
      )
      worker.heard<{ settled?: number[] }>((said) => {
        for (const key of said.settled ?? []) {
          expect(settled.has(key)).toBe(false)
          settled.add(key)
        }
      })
      await worker.do('work', { workerId, type: 't', batch: 8 })
    }
    const pausing = operator.do<number>('until', {
      method: 'renew',
      args: [['w#0', 'w#1', 'w#2'], systemClock.now() + 600_000, systemClock.now()],
    })
    const outsider = openRaw(path)
    let rounds = 0
    for (; settled.size < jobs || rounds < 5; rounds++) {
      if (settled.size > jobs - 500 && rounds < 5) {
        await store.enqueue(jobsOf(500), systemClock.now())
        jobs += 500
      }
      const met = ((await operator.do<Errors>('errors'))['SQLITE_BUSY'] ?? 0) + 5
      outsider.exec('BEGIN IMMEDIATE')
      await untilErrors(operator, ({ SQLITE_BUSY = 0 }) => SQLITE_BUSY >= met)
      outsider.exec('COMMIT')
      const before = settled.size
      await until(() => settled.size > before || settled.size === jobs)
    }
    await operator.do('halt')
    expect(await pausing).toBeGreaterThan(0)
    for (const child of [...workers, operator]) {
      const errors = await child.do<Errors>('errors')
      expect(Object.keys(errors).filter((code) => code !== 'SQLITE_BUSY')).toEqual([])
      expect(child.hasEnded).toBe(false)
    }
    expect(await store.counts()).toMatchObject({ available: 0, running: 0 })
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B079
  it('each transaction that may write is IMMEDIATE: nothing in the stores begins one in another way', () => {
    const folder = fileURLToPath(new URL('../../../src/store', import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    const begins = files.flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => !/^\s*(\/?\*|\/\/)/.test(line))
        .filter(
          (line) =>
            /['"`]\s*BEGIN\b(?! (IMMEDIATE|EXCLUSIVE))|\.transaction\(/.test(line) && !line.includes('hint:'),
        )
        .map((line) => `${file}: ${line.trim()}`),
    )
    // A backup, and reads of one moment, only read.
    const reading = [
      "file/backup.ts: source.exec('BEGIN')",
      'queries/read-snapshot.ts: return db.transaction(read)',
    ]
    expect(begins.sort()).toEqual(reading.map((line) => `sqlite/${line}`))
  })
})
