/** A store whose file is deleted, moved or replaced while it is open: nothing is accepted that nobody would find. */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { openMemoryStore } from '../../../src/testing/memory-store.ts'
import { seededRandom } from '../../../src/random.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { openReader } from '../../../src/store/sqlite/file/connection.ts'
import { GroupCommit } from '../../../src/store/sqlite/file/group-commit.ts'
import { identityOf, openInPlace } from '../../../src/store/sqlite/file/file-identity.ts'
import { WfError } from '../../../src/errors.ts'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { claimRequest, outcomes, type Scene } from '../../support/store-scene.ts'
import { refusalOf, startChild } from './support/child.ts'
import { everyState, fileScene } from './support/every-state.ts'
import { freshPath, jobsOf, openRaw, openRead, openWrite } from './support/files.ts'

const beside = (path: string) => [path, `${path}-wal`, `${path}-shm`]

/** A sound copy of a store in use, as a backup is. */
function backedUp(path: string): string {
  const target = `${path}.backup`
  const db = new Database(path)
  db.exec(`VACUUM INTO '${target}'`)
  db.close()
  return target
}

/** What becomes of the file, and the code that says so. */
const fates: Readonly<Record<string, readonly [code: string, change: (path: string) => void]>> = {
  'was deleted': ['store_missing', (path) => unlinkSync(path)],
  'was deleted with all that lies beside it': [
    'store_missing',
    (path) => beside(path).map((file) => rmSync(file)),
  ],
  'was moved': ['store_missing', (path) => renameSync(path, `${path}.old`)],
  'lies in a folder that was moved': [
    'store_missing',
    (path) => renameSync(dirname(path), `${dirname(path)}-old`),
  ],
  'was replaced by a backup': ['store_replaced', (path) => renameSync(backedUp(path), path)],
  'was deleted and restored': [
    'store_replaced',
    (path) => {
      const backup = backedUp(path)
      for (const file of beside(path)) rmSync(file)
      cpSync(backup, path)
    },
  ],
  'was moved, and a link to another put in its place': [
    'store_replaced',
    (path) => {
      const backup = backedUp(path)
      renameSync(path, `${path}.old`)
      symlinkSync(backup, path)
    },
  ],
}

const writes: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'an enqueue': ({ enqueue }) => enqueue({}),
  'a claim': ({ claim }) => claim(),
  'a completion': async ({ store, settlement, now }) => {
    const job = (await store.job(1))?.job
    if (!job) throw new Error('no job')
    await store.exchange({ settlements: [settlement(job, outcomes.success({ ok: true }))] }, now())
  },
  'a renewal': ({ store, now }) => store.renew(['w#1'], now() + 60_000, now()),
  'a resolution': ({ resolve }) => resolve(2, 'cancel'),
  statistics: ({ store, now }) => store.addStats([], [{ metric: 'm', labels: '{}', value: 1 }], [], now()),
}

/** One job is claimed by w#1, two are available. */
async function scene(path = freshPath()): Promise<{ path: string; scene: Scene }> {
  mkdirSync(dirname(path), { recursive: true })
  const made = await fileScene(path)
  await made.enqueue({}, {}, {})
  await made.claimOne()
  return { path, scene: made }
}

const inFolder = () => join(dirname(freshPath()), 'data', 'wf.db')

describe('a store whose file', () => {
  describe.each(Object.entries(fates))('%s', (_, [code, change]) => {
    it.each(Object.entries(writes))('refuses %s, and names the file and what to do', async (_name, write) => {
      const { path, scene: made } = await scene(inFolder())
      change(path)
      for (let time = 0; time < 2; time++) {
        const refused = await refusalOf(write(made))
        expect(refused).toMatchObject({ code, hint: expect.stringMatching(/[Ss]top every process/) })
        expect(refused.message).toContain(path)
      }
    })

    it('tells readers at their next look, a second later at most', async () => {
      const { path, scene: made } = await scene(inFolder())
      const reader = await openRead(path, { clock: made.clock })
      await reader.counts()
      change(path)
      await made.clock.advance(1_000)
      for (const store of [reader, made.store]) {
        expect(await refusalOf(store.counts())).toMatchObject({ code })
        expect(await refusalOf(store.version())).toMatchObject({ code })
      }
    })
  })

  it('is refused each of many writes of one tick', async () => {
    const { path, scene: made } = await scene()
    const all = Array.from({ length: 200 }, () => made.enqueue({}))
    renameSync(path, `${path}.old`)
    const codes = await Promise.all(all.map((each) => refusalOf(each)))
    expect(new Set(codes.map(({ code }) => code))).toEqual(new Set(['store_missing']))
  })

  it('was moved holds what was accepted and nothing else, and takes writes again when it is back', async () => {
    const { path, scene: made } = await scene()
    const moved = join(dirname(path), 'old.db')
    renameSync(path, moved)
    await refusalOf(made.enqueue({}))
    await refusalOf(made.claim())
    renameSync(moved, path)
    expect(await made.enqueue({})).toMatchObject([{ status: 'created', key: 4 }])
    expect(await made.store.counts()).toMatchObject({ available: 3, running: 1 })
    await made.store.close()
    expect(checkInvariantsOf(path)).toEqual([])
  })

  it('was replaced leaves the new one alone: what lies beside it stays, whoever closes the old one', async () => {
    const { path, scene: made } = await scene()
    const other = await startChild()
    await other.do('open', { path })
    renameSync(backedUp(path), path)
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`)
    const fresh = await openWrite(path)
    expect(await fresh.enqueue(jobsOf(1), systemClock.now())).toMatchObject([{ status: 'created', key: 4 }])
    const names = beside(path).map((file) => identityOf(file))
    await refusalOf(made.enqueue({}))
    await made.store.close()
    await other.leave()
    expect(beside(path).map((file) => identityOf(file))).toEqual(names)
    expect(await fresh.enqueue(jobsOf(1), systemClock.now())).toMatchObject([{ status: 'created', key: 5 }])
    await fresh.close()
    expect(checkInvariantsOf(path)).toEqual([])
  })

  it.each(['-wal', '-shm'])(
    'lost its %s takes nothing more within a second, and loses nothing when it is closed',
    async (end) => {
      const { path, scene: made } = await scene()
      await made.clock.advance(1_000)
      await made.enqueue({})
      rmSync(`${path}${end}`)
      await made.clock.advance(1_000)
      const refused = await refusalOf(made.enqueue({}))
      expect(refused).toMatchObject({ code: 'store_replaced', hint: expect.stringContaining('SIGTERM') })
      expect(refused.message).toContain(`wf.db${end}`)
      expect(await refusalOf(made.store.counts())).toMatchObject({ code: 'store_replaced' })
      await made.store.close()
      expect(existsSync(`${path}-wal`)).toBe(false)
      expect(await (await openRead(path)).counts()).toMatchObject({ available: 3, running: 1 })
      expect(checkInvariantsOf(path)).toEqual([])
    },
  )

  it('is reached by a link is the one that the link leads to; another link, another store', async () => {
    const { path } = await scene()
    const other = freshPath()
    await everyState(other)
    const link = join(dirname(other), 'current.db')
    symlinkSync(path, link)
    const clock = createFakeClock()
    const store = await openWrite(link, { clock })
    expect(await store.enqueue(jobsOf(1), clock.now())).toMatchObject([{ status: 'created' }])
    unlinkSync(link)
    symlinkSync(other, link)
    expect(await refusalOf(store.enqueue(jobsOf(1), clock.now()))).toMatchObject({ code: 'store_replaced' })
  })

  it('lies in memory is never looked for', async () => {
    const store = await openMemoryStore({ clock: createFakeClock() })
    onTestFinished(() => store.close())
    expect(await store.exchange({ settlements: [], claim: claimRequest() }, store.now())).toMatchObject({
      claimed: [],
    })
  })

  it('is written past wf, copied or checkpointed is the same file all the time', async () => {
    const { path, scene: made } = await scene()
    const raw = openRaw(path)
    backedUp(path)
    for (const pragma of [
      'wal_checkpoint(TRUNCATE)',
      'wal_checkpoint(RESTART)',
      'optimize',
      'incremental_vacuum',
    ]) {
      raw.pragma(pragma)
      raw.exec('CREATE TABLE IF NOT EXISTS mine (n); INSERT INTO mine VALUES (1)')
      await made.clock.advance(1_000)
      expect(await made.enqueue({})).toMatchObject([{ status: 'created' }])
    }
    raw.exec('VACUUM')
    await made.clock.advance(1_000)
    expect(await made.enqueue({})).toMatchObject([{ status: 'created' }])
  })
})

describe('opening', () => {
  it('takes no file for the one it opened that was not there before and after', () => {
    const path = freshPath()
    const db = new Database(path)
    db.exec('CREATE TABLE t (n)')
    db.close()
    let swaps = 0
    const swapping = (times: number) => (location: string) => {
      const opened = openReader(location)
      if (swaps++ < times) renameSync(backedUp(location), location)
      return opened
    }
    const { db: found, place } = openInPlace(path, systemClock, swapping(3))
    expect(swaps).toBe(4)
    expect(place.file).toBe(identityOf(path))
    found.close()
    swaps = 0
    expect(() => openInPlace(path, systemClock, swapping(99))).toThrow(
      expect.objectContaining({ code: 'store_replaced' }),
    )
    expect(() => openInPlace(join(path, 'no'), systemClock, openReader)).toThrow()
  })
})

describe('a commit', () => {
  function group(inPlace: () => void) {
    const path = freshPath()
    const db = new Database(path)
    db.pragma('journal_mode = WAL')
    db.exec('CREATE TABLE n (v)')
    onTestFinished(() => void db.close())
    const wait = { clock: createFakeClock(), random: seededRandom(1), lockTimeoutMs: null, location: path }
    let committed = 0
    const commits = new GroupCommit({
      db,
      wait,
      guard: () => undefined,
      inPlace,
      committed: () => committed++,
      log: null,
    })
    let runs = 0
    const insert = () => {
      runs++
      db.exec('INSERT INTO n VALUES (1)')
    }
    return {
      write: () => commits.run({ weight: 1, byWorker: false, run: insert }),
      rows: () => openRaw(path).prepare('SELECT count(*) FROM n').pluck().get(),
      counts: () => ({ runs, committed }),
    }
  }
  const gone = new WfError('store_replaced', 'it was replaced')

  it('that would go into a file which is no longer there is not made', async () => {
    const { write, rows, counts } = group(() => {
      throw gone
    })
    expect(await refusalOf(write())).toBe(gone)
    expect(rows()).toBe(0)
    expect(counts()).toEqual({ runs: 1, committed: 0 })
  })

  it('during which the file went away is acknowledged to nobody, and not made twice', async () => {
    let looks = 0
    const { write, counts } = group(() => {
      if (++looks === 2) throw gone
    })
    expect(await Promise.all([refusalOf(write()), refusalOf(write())])).toEqual([gone, gone])
    expect(counts()).toEqual({ runs: 2, committed: 1 })
  })
})
