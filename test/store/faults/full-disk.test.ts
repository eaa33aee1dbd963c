import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { backupTo } from '../../../src/store/sqlite/file/backup.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import {
  openReader,
  openWriter,
  setJournal,
  type Connection,
} from '../../../src/store/sqlite/file/connection.ts'
import { migrate, schemaVersion } from '../../../src/store/sqlite/file/migrate.ts'
import { migrations } from '../../../src/store/sqlite/file/migrations.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import { claimRequest, outcomes, type Scene } from '../../support/store-scene.ts'
import { refusalOf } from './support/child.ts'
import { everyState, fileScene } from './support/every-state.ts'
import { jobsOf, openRead, openWrite } from './support/files.ts'
import { canMount, smallDisk, type SmallDisk } from './support/small-disk.ts'

const full = { code: 'store_full', hint: expect.stringMatching(/Free space/) }

/** An open store with three jobs, of which one is claimed, on a disk without a free byte and with an empty log. */
async function fullScene(): Promise<{ scene: Scene; disk: SmallDisk; path: string }> {
  const disk = smallDisk()
  const path = join(disk.folder, 'wf.db')
  const scene = await fileScene(path)
  await scene.enqueue({}, {}, {})
  await scene.claimOne()
  dbOf(scene.store).pragma('wal_checkpoint(TRUNCATE)')
  disk.fill()
  return { scene, disk, path }
}

const writes: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'an enqueue': ({ enqueue }) => enqueue({}),
  'a claim': ({ claim }) => claim(),
  async 'a completion'({ store, settle }) {
    const [job] = await store.running('w#1')
    if (!job) throw new Error('nothing runs')
    await settle(job, outcomes.success({ ok: true }))
  },
  'a renewal': ({ store, now }) => store.renew(['w#1'], now() + 60_000, now()),
  'a resolution': ({ resolve }) => resolve(2, 'cancel'),
  statistics: ({ store, now }) => store.addStats([], [{ metric: 'm', labels: '{}', value: 1 }], [], now()),
}

describe.skipIf(!canMount)('on a full disk', () => {
  // B086
  it.each(Object.entries(writes))(
    '%s is refused as what it is, changes nothing, and is taken when there is space again',
    async (_, write) => {
      const { scene, disk, path } = await fullScene()
      const before = await scene.store.jobs({}, { limit: 10 })
      for (let time = 0; time < 3; time++) {
        const refused = await refusalOf(write(scene))
        expect(refused).toMatchObject(full)
        expect(refused.message).toContain(path)
      }
      expect(await scene.store.jobs({}, { limit: 10 })).toEqual(before)
      expect(await scene.store.counts()).toMatchObject({ available: 2, running: 1 })
      disk.empty()
      await write(scene)
      await scene.store.close()
      expect(checkInvariantsOf(path)).toEqual([])
    },
  )

  // B086
  it('one of many writes in a transaction that does not fit: each of them is refused, and each can be handed in again', async () => {
    const { scene, disk, path } = await fullScene()
    const refused = await Promise.all(Array.from({ length: 20 }, () => refusalOf(scene.enqueue({}))))
    for (const each of refused) expect(each).toMatchObject(full)
    disk.empty()
    expect((await Promise.all(Array.from({ length: 20 }, () => scene.add()))).length).toBe(20)
    await scene.store.close()
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // A38 B086
  it('a producer that fills the disk to its last byte loses nothing that was acknowledged', async () => {
    const disk = smallDisk(4)
    const path = join(disk.folder, 'wf.db')
    const store = await openWrite(path)
    const acknowledged: number[] = []
    let refusals = 0
    const size = (left: number) => ({ variables: { text: 'x'.repeat(left) } })
    for (let length = 20_000; length >= 1; ) {
      const outcome = await store
        .enqueue(jobsOf(1, size(length)), systemClock.now())
        .catch((error: { code: string }) => error.code)
      if (typeof outcome === 'string') {
        expect(outcome).toBe('store_full')
        refusals += 1
        length = Math.floor(length / 4)
      } else for (const each of outcome) if (each.status === 'created') acknowledged.push(each.key)
    }
    expect(refusals).toBeGreaterThan(3)
    expect(acknowledged.length).toBeGreaterThan(50)
    const listed = await store.jobs({}, { limit: 1_000 })
    expect(listed.items.map(({ key }) => key).reverse()).toEqual(acknowledged)
    await store.close()
    expect(checkInvariantsOf(path)).toEqual([])
    const again = await openWrite(path)
    expect((await again.counts()).available).toBe(acknowledged.length)
  })

  // B086
  it('opening says what it is where the log and the shared memory find no room, for writers, readers and new stores', async () => {
    const disk = smallDisk()
    const path = join(disk.folder, 'wf.db')
    await everyState(path)
    disk.fill()
    for (const open of [
      () => openWrite(path),
      () => openRead(path),
      () => openWrite(join(disk.folder, 'new.db')),
    ]) {
      expect(await refusalOf(open())).toMatchObject(full)
    }
    disk.empty()
    expect((await (await openRead(path)).counts()).failed).toBe(2)
    for (const name of ['wf.db', 'new.db']) {
      const store = await openWrite(join(disk.folder, name))
      expect(await store.enqueue(jobsOf(1), systemClock.now())).toMatchObject([{ status: 'created' }])
      await store.close()
      expect(checkInvariantsOf(join(disk.folder, name))).toEqual([])
    }
  })

  // B086
  it('an upgrade that finds no room for its backup or for itself leaves the store as it was, and nothing half-made', async () => {
    const disk = smallDisk(2)
    const path = join(disk.folder, 'wf.db')
    await everyState(path)
    const steps = (sql: string) => [
      ...migrations,
      { version: schemaVersion + 1, name: 'more', up: (db: Connection) => void db.exec(sql) },
    ]
    const upgrade = async (sql: string) => {
      const db = openWriter(path)
      try {
        setJournal(db, { durability: 'power', shared: true })
        await migrate(
          db,
          { clock: systemClock, random: () => 0, lockTimeoutMs: 0, location: path },
          steps(sql),
        )
      } finally {
        db.close()
      }
    }
    // No room for the change: more than the whole disk.
    const large = 'CREATE TABLE wf_more (blob BLOB) STRICT; INSERT INTO wf_more VALUES (zeroblob(4000000))'
    expect(await refusalOf(upgrade(large))).toMatchObject({
      code: expect.stringMatching(/store_full|SQLITE_FULL/),
    })
    expect(readdirSync(disk.folder).sort()).toEqual(['wf.db', `wf.db.schema-${schemaVersion}.backup`])
    expect(checkInvariantsOf(`${path}.schema-${schemaVersion}.backup`)).toEqual([])
    expect((await (await openRead(path)).info()).schemaVersion).toBe(schemaVersion)
    const holder = await openWrite(path)
    dbOf(holder).pragma('wal_checkpoint(TRUNCATE)')
    disk.fill()
    expect(await refusalOf(upgrade('CREATE TABLE wf_more (id INTEGER) STRICT'))).toMatchObject({
      code: expect.stringMatching(/store_full|SQLITE_FULL/),
    })
    expect(readdirSync(disk.folder).filter((name) => /unfinished|journal/.test(name))).toEqual([])
    expect((await holder.info()).schemaVersion).toBe(schemaVersion)
    expect(checkInvariantsOf(`${path}.schema-${schemaVersion}.backup`)).toEqual([])
    disk.empty()
    await holder.close()
    await upgrade('CREATE TABLE wf_more (id INTEGER) STRICT')
    expect(await refusalOf(openRead(path))).toMatchObject({ code: 'schema_newer' })
  })

  // B086 B095
  it('a backup without room is refused and leaves nothing behind', async () => {
    const { disk, path } = await fullScene()
    const source = openReader(path)
    await expect(backupTo(source, join(disk.folder, 'copy.db'))).rejects.toMatchObject({
      code: expect.stringMatching(/FULL|IOERR|ENOSPC/),
    })
    source.close()
    expect(readdirSync(disk.folder).filter((name) => name.includes('copy'))).toEqual([])
  })
})

describe.skipIf(!canMount)('on a disk that turned read-only', () => {
  // A38 B088
  it('readers and writers are told so, and both go on when it can be written again', async () => {
    const disk = smallDisk()
    const path = join(disk.folder, 'wf.db')
    const scene = await fileScene(path)
    await scene.store.close()
    disk.readOnly(true)
    expect(await refusalOf(openWrite(path))).toMatchObject({ code: 'store_read_only' })
    const refused = await refusalOf(openRead(path))
    expect(refused).toMatchObject({ code: 'store_read_only' })
    expect(refused.message).toContain(path)
    expect(refused.message).toContain('needs to write files beside it')
    expect(await refusalOf(openWrite(join(disk.folder, 'new.db')))).toMatchObject({ code: 'store_read_only' })
    disk.readOnly(false)
    const store = await openWrite(path)
    expect(await store.exchange({ settlements: [], claim: claimRequest() }, systemClock.now())).toMatchObject(
      { claimed: [] },
    )
    expect(await store.enqueue(jobsOf(1), systemClock.now())).toMatchObject([{ status: 'created' }])
  })
})
