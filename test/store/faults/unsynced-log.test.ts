import {
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readFileSync,
  closeSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../src/client.ts'
import { systemClock } from '../../../src/clock.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { openWriter, setJournal } from '../../../src/store/sqlite/file/connection.ts'
import { openLog } from '../../../src/store/sqlite/file/wal-fsync.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import { validFrames } from '../../../src/store/sqlite/file/wal-checksum.ts'
import { refusalOf, startChild } from './support/child.ts'
import { freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'

vi.mock('node:fs', { spy: true })

/** The next sync of a log, wherever it is asked for, is told that the disk failed. */
function failNextSync(code = 'EIO'): { happened(): boolean } {
  let happened = false
  const error = () => {
    happened = true
    vi.mocked(fdatasync).mockReset()
    vi.mocked(fdatasyncSync).mockReset()
    return Object.assign(new Error(`${code}: fdatasync`), { code })
  }
  vi.mocked(fdatasyncSync).mockImplementation(() => {
    throw error()
  })
  vi.mocked(fdatasync).mockImplementation((_, done) => setImmediate(() => done(error())))
  onTestFinished(() => {
    vi.mocked(fdatasync).mockReset()
    vi.mocked(fdatasyncSync).mockReset()
  })
  return { happened: () => happened }
}

function syncs(): number {
  return vi.mocked(fdatasync).mock.calls.length + vi.mocked(fdatasyncSync).mock.calls.length
}

/** As the kernel lists them. */
function ownLocks(): string[] {
  if (process.platform !== 'linux') return []
  const lines = readFileSync('/proc/locks', 'latin1').split('\n')
  return lines
    .filter((line) => line.includes(` ${process.pid} `))
    .map((line) => line.replace(/^\d+: /, ''))
    .sort()
}

const keysIn = (path: string) => openRaw(path).prepare('SELECT key FROM wf_jobs ORDER BY key').pluck().all()

/** One job that was acknowledged, one of which nobody knows, and nobody who has the store open. */
async function failedStore(path = freshPath()): Promise<string> {
  const store = await openWrite(path)
  await store.enqueue(jobsOf(1), 1)
  failNextSync()
  await refusalOf(store.enqueue(jobsOf(1), 1))
  await store.close()
  return path
}

describe.skipIf(process.platform !== 'linux')('a sync of the log that fails', () => {
  it.each(['EIO', 'ENOSPC', 'EDQUOT'])(
    // B093
    '(%s) ends the use of the store, with words for the one in doubt and for all who come later',
    async (code) => {
      const path = freshPath()
      const store = await openWrite(path)
      await store.enqueue(jobsOf(1), 1)
      const failure = failNextSync(code)
      expect(await refusalOf(store.enqueue(jobsOf(1), 1))).toMatchObject({
        code: 'outcome_unknown',
        message: expect.stringMatching(new RegExp(`^nobody knows whether this was stored: .*${code}`)),
        hint: expect.stringContaining('idempotency key'),
      })
      expect(failure.happened()).toBe(true)
      const before = syncs()
      const later = {
        code: 'store_corrupt',
        message: expect.stringMatching(/this process stores nothing more$/),
      }
      expect(await refusalOf(store.enqueue(jobsOf(1), 1))).toMatchObject(later)
      expect(await refusalOf(store.job(1))).toMatchObject(later)
      expect(await refusalOf(store.version()), 'a worker ends by that').toMatchObject(later)
      expect(syncs(), 'no sync is tried again').toBe(before)
      expect(existsSync(`${path}-unsynced`)).toBe(true)
    },
  )

  // B093
  it('leaves the log beside the store when it closes: nothing is copied from a log that may have a hole', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    await store.enqueue(jobsOf(1), 1)
    const bytes = readFileSync(path)
    failNextSync()
    await refusalOf(store.enqueue(jobsOf(1), 1))
    await store.close()
    expect(dbOf(store).open).toBe(false)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
  })

  it.each(['power', 'process'] as const)(
    // B093
    'is mended by whoever opens the store next (%s): the log is written anew, and synced',
    async (durability) => {
      const path = await failedStore()
      const size = statSync(`${path}-wal`).size
      vi.mocked(writeSync).mockClear()
      const before = syncs()
      const store = await openWrite(path, { durability })
      const written = vi.mocked(writeSync).mock.calls.reduce((sum, call) => sum + Number(call[3]), 0)
      expect(written).toBe(size)
      expect(syncs()).toBe(before + 1)
      expect([existsSync(`${path}-unsynced`), existsSync(`${path}-unsynced-mending`)]).toEqual([false, false])
      await store.enqueue(jobsOf(1), 1)
      await store.close()
      expect(keysIn(path)).toEqual([1, 2, 3])
      expect(checkInvariantsOf(path)).toEqual([])
    },
  )

  // B093
  it('keeps the store shut while the disk does not take the log', async () => {
    const path = await failedStore()
    for (let time = 0; time < 2; time++) {
      failNextSync('ENOSPC')
      expect(await refusalOf(openWrite(path))).toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining('ENOSPC'),
        hint: expect.stringContaining('Check the disk'),
      })
      expect(existsSync(`${path}-unsynced-mending`)).toBe(true)
    }
    const store = await openWrite(path)
    await store.enqueue(jobsOf(1), 1)
    expect(keysIn(path)).toEqual([1, 2, 3])
  })

  // B093
  it('waits with mending for whoever writes', async () => {
    const path = await failedStore()
    const writer = openRaw(path)
    writer.exec('BEGIN IMMEDIATE')
    expect(await refusalOf(openWrite(path, { lockTimeoutMs: 0 }))).toMatchObject({ code: 'store_locked' })
    expect(existsSync(`${path}-unsynced`)).toBe(true)
    writer.exec('ROLLBACK')
    await openWrite(path)
    expect(existsSync(`${path}-unsynced`)).toBe(false)
  })

  // B093
  it('refuses a log of which others use more than can be read back, until they have ended', async () => {
    const path = await failedStore()
    const other = openRaw(path)
    expect(other.prepare('SELECT count(*) FROM wf_jobs').pluck().get()).toBe(2)
    // What the system forgot: the last commit is as it was before it.
    const log = openSync(`${path}-wal`, 'r+')
    writeSync(log, Buffer.alloc(24), 0, 24, fstatSync(log).size - 4_120)
    closeSync(log)
    expect(await refusalOf(openWrite(path))).toMatchObject({
      code: 'store_corrupt',
      hint: expect.stringContaining('Stop every process'),
    })
    other.close()
  })
})

describe('the log', () => {
  it('is judged by its checksums as the engine judges it', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    await store.enqueue(jobsOf(20), 1)
    const db = openRaw(path)
    const [row] = db.pragma('wal_checkpoint(NOOP)') as { log: number }[]
    const whole = readFileSync(`${path}-wal`)
    const framesOf = (bytes: Buffer) => {
      const copy = freshPath()
      writeFileSync(copy, bytes)
      const file = openSync(copy, 'r')
      const found = validFrames(file)
      closeSync(file)
      return found
    }
    expect(framesOf(whole)).toBe(row?.log)
    expect(framesOf(whole.subarray(0, whole.length - 1))).toBe((row?.log ?? 0) - 1)
    expect([framesOf(Buffer.alloc(0)), framesOf(Buffer.alloc(100))]).toEqual([0, 0])
    const spoilt = Buffer.from(whole)
    spoilt.writeUInt8(spoilt.readUInt8(32 + 4_120 + 100) ^ 1, 32 + 4_120 + 100)
    expect(framesOf(spoilt)).toBe(1)
  })

  // B091
  it('opening and closing it drops no lock of the engine: another process is kept out as before', async () => {
    const path = freshPath()
    await (await openWrite(path)).close()
    const db = openWriter(path)
    onTestFinished(() => void db.close())
    setJournal(db, { durability: 'power', shared: true })
    db.exec('BEGIN IMMEDIATE')
    const child = await startChild()
    const enqueues = async () => {
      await child.do('open', { path, lockTimeoutMs: 0 })
      const refused = await refusalOf(child.call('enqueue', jobsOf(1), 1))
      await child.do('close')
      return refused
    }
    // Needs the file for itself alone, so it fails while anybody has it open.
    const takesOver = () =>
      child.do('sql', { path, sql: 'PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE' })
    expect(await enqueues()).toMatchObject({ code: 'store_locked' })
    const before = ownLocks()
    const log = openLog(`${path}-wal`)
    if (log !== null) for (const file of [log.here, log.pool]) closeSync(file)
    expect(log === null).toBe(process.platform !== 'linux')
    expect(ownLocks()).toEqual(before)
    // And a whole store beside it.
    await (await openWrite(path)).close()
    expect(await enqueues()).toMatchObject({ code: 'store_locked' })
    db.exec('ROLLBACK')
    expect(await refusalOf(takesOver())).toMatchObject({ code: 'SQLITE_BUSY' })
    db.close()
    await takesOver()
  })

  // B091
  it('commits of processes that empty and shorten the log meanwhile are all there', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    const other = openRaw(path)
    const accepted: number[] = []
    for (let round = 0; round < 20; round++) {
      const answers = store.enqueue(jobsOf(3, { variables: { text: 'x'.repeat(20_000) } }), 1)
      if (round % 3 === 0) other.pragma('wal_checkpoint(TRUNCATE)')
      if (round % 3 === 1) other.pragma('wal_checkpoint(RESTART)')
      for (const { status, ...rest } of await answers)
        if (status === 'created' && 'key' in rest) accepted.push(rest.key)
    }
    expect(keysIn(path)).toEqual(accepted)
  })
})

describe('what rests on a commit of another process', () => {
  async function twoStores() {
    const path = freshPath()
    const [mine, theirs] = [await openWrite(path), await openWrite(path, { durability: 'process' })]
    return { path, mine, theirs }
  }

  // B091
  it('is synced before it is told: that a job is a duplicate, what a job has come to, that nothing is left', async () => {
    const { mine, theirs } = await twoStores()
    const [job] = jobsOf(1, { idempotencyKey: 'k' })
    if (!job) throw new Error('no job')
    await theirs.enqueue([job], 1)
    let before = syncs()
    const synced = () => {
      const now = syncs()
      const more = now > before
      before = now
      return more
    }
    expect(await mine.enqueue([job], 1)).toMatchObject([{ status: 'duplicate' }])
    expect(synced()).toBe(true)
    expect(await mine.job(1)).not.toBeNull()
    expect(synced()).toBe(true)
    expect(await mine.hasPending(['other'], 1)).toBe(false)
    expect(synced()).toBe(true)
    expect(await mine.hasPending(['t'], systemClock.now())).toBe(true)
    expect(synced(), 'it is asked again').toBe(false)
  })

  // B091
  it("is synced before a caller's transaction is told of a duplicate: it may have nothing else to write", async () => {
    const { path, mine, theirs } = await twoStores()
    const client = createClient({ store: mine, clock: systemClock, who: 'test' })
    const own = createClient({ store: theirs, clock: systemClock, who: 'test' })
    await own.enqueue('t', {}, { idempotencyKey: 'k' })
    const db = new Database(path)
    onTestFinished(() => void db.close())
    db.pragma('synchronous = FULL')
    const ask = (key: string) =>
      db.transaction(() => client.enqueueIn(db, 't', {}, { idempotencyKey: key })).immediate()
    const before = syncs()
    expect(ask('new')).toMatchObject({ duplicate: false })
    expect(syncs()).toBe(before)
    expect(ask('k')).toMatchObject({ duplicate: true })
    expect(syncs()).toBe(before + 1)
    failNextSync()
    expect(() => ask('k')).toThrow(expect.objectContaining({ code: 'store_corrupt' }))
  })
})
