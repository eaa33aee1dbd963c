import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refuseOlder, schemaVersion } from '../../../src/store/sqlite/file/migrate.ts'
import { refusalOf, startChild, type Child } from './support/child.ts'
import { everyState } from './support/every-state.ts'
import { bytesOf, freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'
import { hasStranger, publicPath, stranger } from './support/users.ts'

const counts = { available: 1, waiting: 1, running: 1, rejected: 1, failed: 2, dead: 1, cancelled: 1 }

/** A store, closed, with these modes of its file and directory. */
async function closedStore(fileMode: number, folderMode: number): Promise<string> {
  const path = publicPath(0o755)
  await everyState(path)
  chmodSync(path, fileMode)
  chmodSync(dirname(path), folderMode)
  onTestFinished(() => chmodSync(dirname(path), 0o755))
  return path
}

const reads = (child: Child, path: string) => child.do('open', { path, reads: true })
const writes = (child: Child, path: string, create = false) =>
  child.do('open', { path, create, lockTimeoutMs: 1_000 })

describe.skipIf(!hasStranger)('a store that may not be written', () => {
  // B088
  it('file 0444, directory 0555, and nobody has it open: refused, naming the file and the reason', async () => {
    const path = await closedStore(0o444, 0o555)
    const before = bytesOf(path)
    const child = await startChild(stranger)
    for (const open of [reads, writes]) {
      const refused = await refusalOf(open(child, path))
      expect(refused.code).toBe('store_read_only')
      expect(refused.message).toContain(path)
    }
    const { message, hint } = await refusalOf(reads(child, path))
    expect(message).toMatch(/even to read it, SQLite needs to write files beside it/)
    expect(hint).toMatch(/owner of the store/)
    expect(bytesOf(path)).toEqual(before)
  })

  // B088
  it('file 0444 in a directory that can be written: everything is read, nothing is written', async () => {
    const path = await closedStore(0o444, 0o777)
    const before = bytesOf(path)
    const child = await startChild(stranger)
    const refused = await refusalOf(writes(child, path))
    expect(refused).toMatchObject({ code: 'store_read_only', hint: expect.stringMatching(/owner and mode/) })
    expect(bytesOf(path)).toEqual(before)
    await reads(child, path)
    expect(await child.call('counts')).toEqual(counts)
    expect((await child.call('jobs', {}, { limit: 100 })).items).toHaveLength(9)
    expect(bytesOf(path)).toMatchObject(before)
  })

  // B088
  it('while a worker of its owner runs, others read its newest commits, even where they could make no file', async () => {
    const path = publicPath(0o755)
    const store = await openWrite(path)
    for (const end of ['', '-wal', '-shm']) chmodSync(`${path}${end}`, 0o644)
    const child = await startChild(stranger)
    await store.enqueue(jobsOf(7), 1)
    await reads(child, path)
    expect(await child.call('counts')).toMatchObject({ waiting: 7 })
    await store.enqueue(jobsOf(1), 1)
    expect(await child.call('counts')).toMatchObject({ waiting: 8 })
    expect(await refusalOf(writes(await startChild(stranger), path))).toMatchObject({
      code: 'store_read_only',
    })
    await child.leave()
    await store.enqueue(jobsOf(1), 1)
  })

  it.each([
    ['the file is 0600', 0o600, 0o755],
    ['the directory is 0700', 0o644, 0o700],
    // B088
  ])(
    '%s and of somebody else: refused as what it is, and not as missing or empty',
    async (_, fileMode, folderMode) => {
      const path = await closedStore(fileMode, folderMode)
      const child = await startChild(stranger)
      for (const open of [reads, writes, (one: Child, at: string) => writes(one, at, true)]) {
        const refused = await refusalOf(open(child, path))
        expect(refused).toMatchObject({ code: 'store_unavailable', hint: expect.stringMatching(/owner/) })
        expect(refused.message).toMatch(/may not be read by this user/)
        expect(refused.message).toContain(path)
      }
    },
  )

  // B088
  it('no store can be made where no file can: refused, with the reason', async () => {
    const path = publicPath(0o755)
    for (const place of [path, join(dirname(path), 'more', 'wf.db')]) {
      const refused = await refusalOf(writes(await startChild(stranger), place, true))
      expect(refused).toMatchObject({ code: 'store_read_only' })
      expect(refused.message).toContain(place)
      expect(existsSync(dirname(path)) && readdirSync(dirname(path))).toEqual([])
    }
  })
})

describe('who only looks', () => {
  it.each([
    ['where there is nothing', null],
    ['on a file without a byte', ''],
    // B088
  ])('makes no store %s', async (_, content) => {
    const path = freshPath()
    if (content !== null) writeFileSync(path, content)
    const child = await startChild()
    for (const open of [reads, writes]) {
      const refused = await refusalOf(open(child, path))
      expect(refused.code).toBe('store_missing')
      expect(refused.message).toContain(path)
    }
    expect(readdirSync(dirname(path))).toEqual(content === null ? [] : ['wf.db'])
  })

  // B088
  it('makes no store of a database of somebody else', async () => {
    const path = freshPath()
    const theirs = openRaw(path)
    theirs.exec('CREATE TABLE theirs (id)')
    theirs.close()
    const before = bytesOf(path)
    const child = await startChild()
    for (const open of [reads, writes]) {
      expect(await refusalOf(open(child, path))).toMatchObject({
        code: 'store_missing',
        message: expect.stringMatching(/holds no store of wf/),
      })
    }
    expect(bytesOf(path)).toEqual(before)
  })

  // B088
  it('never upgrades: an older schema is named, with what does it', async () => {
    expect(
      await refusalOf(Promise.resolve().then(() => refuseOlder(schemaVersion - 1, '/srv/wf.db'))),
    ).toMatchObject({
      code: 'schema_older',
      message: expect.stringContaining('/srv/wf.db'),
      hint: expect.stringMatching(/wf db migrate.*backup/),
    })
  })
})
