import { describe, expect, it, onTestFinished } from 'vitest'
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createFile, openWriter, setJournal } from '../../src/store/sqlite/file/connection.ts'
import { LogSync, openLog, type DiskCalls } from '../../src/store/sqlite/file/wal-fsync.ts'
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts'
import { ownFile } from '../support/store-sqlite.ts'

/** Two descriptors of one file. */
function ownFiles() {
  const path = ownFile()
  writeFileSync(path, 'x')
  return { here: openSync(path, 'r+'), pool: openSync(path, 'r+') }
}

function bench(disk: (clock: FakeClock) => DiskCalls) {
  const files = ownFiles()
  const clock = createFakeClock()
  let failures = 0
  const log = new LogSync({ files, clock, failed: () => void failures++, disk: disk(clock) })
  onTestFinished(() => log.close())
  const synced: (Error | null)[] = []
  return {
    log,
    files,
    clock,
    synced,
    sync: () => log.sync((error) => synced.push(error)),
    failures: () => failures,
  }
}

/** Takes `takesMs` when the loop waits for it; what the pool is given waits until the test ends it. */
function fakeDisk(takesMs: () => number) {
  const calls: string[] = []
  const descriptors: number[] = []
  const pool: ((error: Error | null) => void)[] = []
  const disk = (clock: FakeClock): DiskCalls => ({
    here(descriptor) {
      calls.push('here')
      descriptors.push(descriptor)
      clock.block(takesMs())
    },
    inPool(descriptor, done) {
      calls.push('pool')
      descriptors.push(descriptor)
      pool.push(done)
    },
  })
  return { calls, descriptors, pool, disk }
}

describe('the sync of the log', () => {
  it('waits for a quick disk itself: the way to another thread would take longer', () => {
    const { calls, disk } = fakeDisk(() => 0.2)
    const { sync, synced } = bench(disk)
    for (let times = 0; times < 5; times++) sync()
    expect(calls).toEqual(['here', 'here', 'here', 'here', 'here'])
    expect(synced).toEqual([null, null, null, null, null])
  })

  it('lets a thread wait for a slow disk, and comes back when the disk is quick again', () => {
    let takesMs = 30
    const { calls, pool, disk } = fakeDisk(() => takesMs)
    const { sync, synced } = bench(disk)
    sync()
    sync()
    expect([calls, synced.length]).toEqual([['here', 'pool'], 1])
    pool.shift()?.(null)
    expect(synced.length).toBe(2)
    takesMs = 0
    for (let times = 0; calls.at(-1) === 'pool' && times < 200; times++) {
      sync()
      pool.shift()?.(null)
    }
    expect(calls.at(-1)).toBe('here')
  })

  it('does it itself when handlers keep all threads of the pool busy, until the pool has got round to it', async () => {
    const { calls, pool, disk } = fakeDisk(() => 30)
    const { sync, synced, clock } = bench(disk)
    sync()
    sync()
    await clock.advance(50)
    expect([calls, synced]).toEqual([
      ['here', 'pool', 'here'],
      [null, null],
    ])
    sync()
    expect(calls.at(-1)).toBe('here')
    pool.shift()?.(null)
    expect(synced.length).toBe(3)
    sync()
    expect(calls.at(-1)).toBe('pool')
    pool.shift()?.(null)
    expect(clock.pendingTimers).toBe(0)
  })

  // B093
  it('forgets no failure, not even one that comes when nobody waits for it any more', async () => {
    const { pool, disk } = fakeDisk(() => 30)
    const { sync, synced, clock, failures } = bench(disk)
    sync()
    sync()
    await clock.advance(50)
    expect(failures()).toBe(0)
    pool.shift()?.(new Error('EIO'))
    expect(failures()).toBe(1)
    sync()
    sync()
    expect(synced.map((error) => error?.message ?? 'ok')).toEqual(['ok', 'ok', 'EIO', 'EIO'])
    expect(failures()).toBe(1)
  })

  // B093
  it('asks on a descriptor of its own while the pool asks on another: the system tells each of a failure, and each once', async () => {
    const { descriptors, pool, disk } = fakeDisk(() => 30)
    const { sync, files, clock } = bench(disk)
    sync()
    sync()
    await clock.advance(50)
    expect(descriptors).toEqual([files.here, files.pool, files.here])
    pool.shift()?.(null)
  })

  // B093
  it('never asks a disk again that has failed once', () => {
    let calls = 0
    const { log, sync, synced, failures } = bench(() => ({
      here() {
        calls++
        throw new Error('EIO: i/o error, fdatasync')
      },
      inPool() {},
    }))
    sync()
    sync()
    expect(() => log.now()).toThrow('EIO')
    expect(synced).toMatchObject([
      { message: 'EIO: i/o error, fdatasync' },
      { message: 'EIO: i/o error, fdatasync' },
    ])
    expect([calls, failures(), log.failure?.message]).toEqual([1, 1, 'EIO: i/o error, fdatasync'])
  })

  it('leaves no file open, however late the pool is', async () => {
    const { pool, disk } = fakeDisk(() => 30)
    const { log, files, sync, clock } = bench(disk)
    sync()
    sync()
    await clock.advance(50)
    log.close()
    log.close()
    expect(fstatSync(files.pool).size, 'the pool is still at it').toBe(1)
    pool.shift()?.(null)
    expect(() => fstatSync(files.here)).toThrow('EBADF')
    expect(() => fstatSync(files.pool)).toThrow('EBADF')
  })

  it('syncs a real file, at once too', () => {
    const log = new LogSync({ files: ownFiles(), clock: createFakeClock(), failed: () => undefined })
    onTestFinished(() => log.close())
    const told: unknown[] = []
    log.sync((error) => told.push(error))
    log.now()
    expect(told).toEqual([null])
  })
})

describe.skipIf(process.platform !== 'linux')('the log that is opened beside SQLite', () => {
  const descriptors = () => readdirSync('/proc/self/fd').length

  it('is the one that SQLite has open', () => {
    const path = ownFile()
    const db = openWriter(createdAt(path))
    onTestFinished(() => void db.close())
    setJournal(db, { durability: 'power', shared: true })
    db.pragma('page_count')
    const log = openLog(`${path}-wal`)
    if (log === null) throw new Error('not opened')
    const [here, pool] = [fstatSync(log.here).ino, fstatSync(log.pool).ino]
    closeSync(log.here)
    closeSync(log.pool)
    expect([here, pool]).toEqual([statSync(`${path}-wal`).ino, statSync(`${path}-wal`).ino])
  })

  it('is none where another file lies in its place, or none: then SQLite syncs by itself', () => {
    const path = ownFile()
    const db = openWriter(createdAt(path))
    onTestFinished(() => void db.close())
    setJournal(db, { durability: 'power', shared: true })
    db.pragma('page_count')
    const before = descriptors()
    renameSync(`${path}-wal`, `${path}-moved`)
    expect(openLog(`${path}-wal`)).toBeNull()
    writeFileSync(`${path}-wal`, readFileSync(`${path}-moved`))
    expect(openLog(`${path}-wal`)).toBeNull()
    expect(descriptors()).toBe(before)
  })
})

function createdAt(path: string): string {
  createFile(path)
  return path
}
