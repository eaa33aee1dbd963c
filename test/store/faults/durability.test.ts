import { fdatasync, fdatasyncSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openStore } from '../../../src/app.ts'
import { loadConfig } from '../../../src/config.ts'
import { WfError } from '../../../src/errors.ts'
import {
  openReader,
  openWriter,
  setJournal,
  type Connection,
} from '../../../src/store/sqlite/file/connection.ts'
import { refuseOldEngine } from '../../../src/store/sqlite/file/driver.ts'
import { enqueueIn } from '../../../src/store/sqlite/hot/enqueue-in.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import { freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'

vi.mock('node:fs', { spy: true })

function syncs(): number {
  return vi.mocked(fdatasync).mock.calls.length + vi.mocked(fdatasyncSync).mock.calls.length
}

const fileSystemType = { local: () => 0xef53, network: () => 0x6969 }

function settingsOf(db: Connection | null): Record<string, unknown> {
  const names = ['journal_mode', 'synchronous', 'foreign_keys', 'trusted_schema']
  return Object.fromEntries(names.map((name) => [name, db?.pragma(name, { simple: true })]))
}

describe('durability', () => {
  // B091
  it('by default every commit is synced before it is answered, in a new store and in one that was there', async () => {
    const path = freshPath()
    const config = await loadConfig({})
    expect(config.durability).toBe('power')
    // SQLite syncs its checkpoints; the log is synced by the store itself.
    const whole = { journal_mode: 'wal', synchronous: 1, foreign_keys: 1, trusted_schema: 0 }
    for (let time = 0; time < 2; time++) {
      const store = await openStore({ location: path, mode: 'write', create: true, config })
      onTestFinished(() => store.close())
      expect(settingsOf(dbOf(store))).toEqual(whole)
      for (let commits = 0; commits < 3; commits++) {
        const before = syncs()
        await store.enqueue(jobsOf(1), 1)
        expect(syncs()).toBeGreaterThan(before)
      }
      const before = syncs()
      expect(await store.job(1)).not.toBeNull()
      expect(syncs(), 'what is told of a job may have been committed by another process').toBeGreaterThan(
        before,
      )
    }
  })

  // B091
  it('is relaxed only by name, and never below NORMAL', async () => {
    const store = await openWrite(freshPath(), { durability: 'process' })
    expect(settingsOf(dbOf(store))).toMatchObject({ synchronous: 1 })
    const before = syncs()
    await store.enqueue(jobsOf(1), 1)
    expect(syncs()).toBe(before)
    await expect(loadConfig({ env: { WF_DURABILITY: 'off' } })).rejects.toMatchObject({
      code: 'invalid_config',
    })
  })

  // B091
  it('holds on a network file system too, with a rollback journal', async () => {
    const store = await openWrite(freshPath(), {
      fileSystemType: fileSystemType.network,
      networkFileSystem: 'allow',
    })
    expect(settingsOf(dbOf(store))).toMatchObject({ journal_mode: 'delete', synchronous: 2 })
  })

  it('a connection that was opened over an older setting of the file says what is meant again', async () => {
    const path = freshPath()
    await openWrite(path)
    const db = openWriter(path)
    onTestFinished(() => void db.close())
    // The driver's own default, which is why it has to be said each time.
    expect(db.pragma('synchronous', { simple: true })).toBe(1)
    setJournal(db, { durability: 'power', shared: true })
    expect(db.pragma('synchronous', { simple: true })).toBe(2)
  })

  it('a reader can write nothing at all', async () => {
    const path = freshPath()
    await openWrite(path)
    const db = openReader(path)
    onTestFinished(() => void db.close())
    for (const sql of [
      'DELETE FROM wf_meta',
      'CREATE TABLE more (id)',
      'PRAGMA user_version = 7',
      'CREATE TEMP TABLE more (id)',
    ]) {
      expect(() => db.exec(sql), sql).toThrow(/readonly/)
    }
  })

  it('opening a store that is up to date writes nothing to it', async () => {
    const path = freshPath()
    await openWrite(path)
    const outsider = openRaw(path)
    const before = outsider.pragma('data_version', { simple: true })
    await openWrite(path)
    expect(outsider.pragma('data_version', { simple: true })).toBe(before)
    expect(outsider.pragma('auto_vacuum', { simple: true })).toBe(2)
  })
})

describe('the engine', () => {
  // B094
  it('is one in which two connections that write and checkpoint at once lose nothing', async () => {
    const { engineVersion } = await (await openWrite(freshPath())).info()
    expect(() => refuseOldEngine(engineVersion)).not.toThrow()
    expect(engineVersion.localeCompare('3.51.3', undefined, { numeric: true })).toBeGreaterThanOrEqual(0)
  })

  // B094
  it.each(['3.7.0', '3.49.2', '3.51.2', '3.9.99', '2.99.9', ''])(
    '%s is refused, with what to install',
    (version) => {
      const refused = thrownBy(() => refuseOldEngine(version))
      expect(refused).toMatchObject({
        code: 'store_unavailable',
        hint: expect.stringContaining('better-sqlite3'),
      })
      expect(refused?.message).toContain('3.51.3')
    },
  )

  // B094
  it('of a connection that a producer brings along is looked at too', async () => {
    const path = freshPath()
    await openWrite(path)
    const db = openRaw(path)
    db.pragma('synchronous = FULL')
    db.function('sqlite_version', () => '3.49.2')
    db.exec('BEGIN IMMEDIATE')
    expect(thrownBy(() => void enqueueIn(db, jobsOf(1), 1))).toMatchObject({
      code: 'store_unavailable',
      hint: expect.stringContaining('better-sqlite3'),
    })
    db.exec('COMMIT')
    expect(db.prepare('SELECT count(*) FROM wf_jobs').pluck().get()).toBe(0)
  })

  // B094
  it.each(['3.51.3', '3.52.0', '3.53.2', '3.100.0', '4.0.0'])('%s is accepted', (version) => {
    expect(thrownBy(() => refuseOldEngine(version))).toBeNull()
  })
})

function thrownBy(call: () => void): WfError | null {
  try {
    call()
    return null
  } catch (error) {
    if (error instanceof WfError) return error
    throw error
  }
}
