import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { backupTo } from '../../../src/store/sqlite/file/backup.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { openReader, type Connection } from '../../../src/store/sqlite/file/connection.ts'
import type { Enqueued } from '../../../src/store/port.ts'
import { refusalOf, startChild } from './support/child.ts'
import { everyState } from './support/every-state.ts'
import { freshPath, jobsOf, openRaw, openRead, openWrite } from './support/files.ts'
import { long } from '../../support/long.ts'

function openSource(path: string): Connection {
  const db = openReader(path)
  onTestFinished(() => void db.close())
  return db
}

const keysIn = (path: string) =>
  new Set(
    openRaw(path)
      .prepare('SELECT key FROM wf_jobs JOIN wf_job_data ON job_key = key')
      .pluck()
      .all() as number[],
  )

describe('a backup', () => {
  // B095
  it('made while others write is sound, holds every job acknowledged before it began, and is one file of mode 0600', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    // Larger than one step of the copy, so that commits fall between its steps.
    await store.enqueue(jobsOf(100, { variables: { text: 'x'.repeat(250_000) } }), systemClock.now())
    const acknowledged = new Set(Array.from({ length: 100 }, (_, index) => index + 1))
    const writers = [await startChild({ umask: '000' }), await startChild()]
    let writing = true
    const written = writers.map(async (child) => {
      await child.do('open', { path })
      while (writing)
        for (const key of keysOf(await child.call('enqueue', jobsOf(1), systemClock.now())))
          acknowledged.add(key)
    })
    for (let round = 0; round < (long ? 50 : 4); round++) {
      const target = `${path}.backup-${round}`
      const before = [...acknowledged]
      const seenAt = acknowledged.size
      await backupTo(openSource(path), target)
      const kept = keysIn(target)
      expect(before.filter((key) => !kept.has(key))).toEqual([])
      expect(checkInvariantsOf(target)).toEqual([])
      expect((statSync(target).mode & 0o777).toString(8)).toBe('600')
      while (acknowledged.size < seenAt + 5) await new Promise((resolve) => setImmediate(resolve))
    }
    writing = false
    await Promise.all(written)
    expect(readdirSync(dirname(path)).filter((name) => /unfinished|journal/.test(name))).toEqual([])
  })

  // B095
  it('can be opened in the place of the store, and work goes on with it', async () => {
    const path = freshPath()
    await everyState(path)
    const target = join(dirname(path), 'copy.db')
    await backupTo(openSource(path), target)
    const [original, copy] = [await openRead(path), await openWrite(target, { create: false })]
    expect((await copy.info()).storeId).toBe((await original.info()).storeId)
    expect(await copy.counts()).toEqual(await original.counts())
    expect(keysOf(await copy.enqueue(jobsOf(1), 1))).toHaveLength(1)
  })

  // B095
  it('takes the place of an older one only when it is whole', async () => {
    const path = freshPath()
    await everyState(path)
    const target = join(dirname(path), 'copy.db')
    writeFileSync(target, 'the older one')
    // Cut short in the middle: the copy cannot be completed.
    const db = openRaw(path)
    const page = db
      .prepare("SELECT pageno FROM dbstat WHERE name = 'wf_job_data' AND pagetype = 'leaf' LIMIT 1")
      .pluck()
      .get() as number
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    const damage = openRaw(path)
    damage.unsafeMode(true)
    damage.pragma('writable_schema = ON')
    damage.prepare("UPDATE sqlite_schema SET rootpage = ? WHERE name = 'wf_results'").run(page)
    damage.close()
    expect(await refusalOf(backupTo(openSource(path), target))).toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('not sound'),
    })
    expect(readdirSync(dirname(path)).filter((name) => !/^wf\.db/.test(name))).toEqual(['copy.db'])
    expect(statSync(target).size).toBe('the older one'.length)
  })

  // B095
  it('is never under its final name half-made, and leaves nothing behind when it cannot be made', async () => {
    const path = freshPath()
    await everyState(path)
    mkdirSync(join(dirname(path), 'taken', 'inside'), { recursive: true })
    for (const target of [join(dirname(path), 'taken'), join(dirname(path), 'nowhere', 'copy.db')]) {
      await expect(backupTo(openSource(path), target)).rejects.toThrow()
    }
    expect(readdirSync(dirname(path)).filter((name) => !/^wf\.db/.test(name))).toEqual(['taken'])
  })

  // B095
  it('of a connection that is writing is refused instead of being empty', async () => {
    const path = freshPath()
    await everyState(path)
    const db = openRaw(path)
    db.exec('BEGIN IMMEDIATE')
    await expect(backupTo(db, `${path}.copy`)).rejects.toThrow()
    expect(readdirSync(dirname(path)).filter((name) => name.includes('copy'))).toEqual([])
  })
})

function keysOf(enqueued: readonly Enqueued[]): number[] {
  return enqueued.flatMap((each) => (each.status === 'created' ? [each.key] : []))
}
