import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { openWriter, setJournal, type Connection } from '../../../src/store/sqlite/file/connection.ts'
import { migrate, schemaVersion } from '../../../src/store/sqlite/file/migrate.ts'
import { migrations } from '../../../src/store/sqlite/file/migrations.ts'
import { networkFileSystem } from '../../../src/store/sqlite/file/network-fs.ts'
import { dbOf } from '../../support/store-sqlite.ts'
import { refusalOf } from './support/child.ts'
import { everyState } from './support/every-state.ts'
import { bytesOf, freshPath, jobsOf, openRaw, openRead, openWrite } from './support/files.ts'

/** f_type of statfs(2). */
const network = {
  nfs: 0x6969,
  smb: 0x517b,
  smb2: 0xfe534d42,
  cifs: 0xff534d42,
  '9p': 0x01021997,
  ceph: 0x00c36400,
}
const local = {
  ext4: 0xef53,
  xfs: 0x58465342,
  btrfs: 0x9123683e,
  tmpfs: 0x01021994,
  overlay: 0x794c7630,
  zfs: 0x2fc12fc1,
}

describe('a store on a network file system', () => {
  // B089
  it.each(Object.entries(network))(
    '%s is refused before anything is made, with the reason and what would allow it',
    async (_, type) => {
      const path = freshPath()
      const refused = await refusalOf(openWrite(path, { fileSystemType: () => type }))
      expect(refused).toMatchObject({
        code: 'store_unavailable',
        hint: expect.stringMatching(/local disk.*WF_NETWORK_FILE_SYSTEM=allow/),
      })
      expect(refused.message).toContain(path)
      expect(existsSync(path)).toBe(false)
      // As statfs answers on some platforms: the same bits, signed.
      expect(networkFileSystem(path, () => type | 0)).not.toBeNull()
    },
  )

  // B089
  it.each(Object.entries(local))('%s is a local one', async (_, type) => {
    expect(networkFileSystem('/anywhere/wf.db', () => type)).toBeNull()
  })

  // B089
  it('an existing store there is refused too, by writers and readers, and its bytes stay', async () => {
    const path = freshPath()
    await everyState(path)
    const before = bytesOf(path)
    const options = { fileSystemType: () => network.nfs }
    for (const open of [() => openWrite(path, options), () => openRead(path, options)]) {
      expect(await refusalOf(open())).toMatchObject({
        code: 'store_unavailable',
        message: expect.stringContaining('NFS'),
      })
    }
    expect(bytesOf(path)).toEqual(before)
  })

  // B089
  it('that is allowed has no shared memory and no log beside it, and keeps every other process out from the moment it is open', async () => {
    const path = freshPath()
    const options = {
      fileSystemType: () => network.nfs,
      networkFileSystem: 'allow' as const,
      lockTimeoutMs: 100,
    }
    const first = await openWrite(path, options)
    expect(existsSync(`${path}-wal`) || existsSync(`${path}-shm`)).toBe(false)
    expect(await refusalOf(openWrite(path, options))).toMatchObject({ code: 'store_locked' })
    expect(await first.enqueue(jobsOf(1), systemClock.now())).toMatchObject([{ status: 'created' }])
    await first.close()
    // And again on a store that is up to date, where opening itself has nothing to write.
    const second = await openWrite(path, options)
    expect(await refusalOf(openWrite(path, options))).toMatchObject({ code: 'store_locked' })
    expect(await second.enqueue(jobsOf(1), systemClock.now())).toMatchObject([{ status: 'created', key: 2 }])
    await second.close()
    expect(await (await openRead(path, options)).counts()).toMatchObject({ available: 2 })
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B089
  it('an upgrade there makes its backup too, though no second connection can look', async () => {
    const path = freshPath()
    await everyState(path)
    const db = openWriter(path)
    onTestFinished(() => void db.close())
    setJournal(db, { durability: 'power', shared: false })
    const step = {
      version: schemaVersion + 1,
      name: 'more',
      up: (inside: Connection) => void inside.exec('CREATE TABLE wf_more (id INTEGER) STRICT'),
    }
    await migrate(db, { clock: systemClock, random: () => 0, lockTimeoutMs: 0, location: path }, [
      ...migrations,
      step,
    ])
    expect(db.prepare('SELECT max(version) FROM wf_migrations').pluck().get()).toBe(schemaVersion + 1)
    expect(
      openRaw(`${path}.schema-${schemaVersion}.backup`).prepare('SELECT count(*) FROM wf_jobs').pluck().get(),
    ).toBe(9)
    expect(checkInvariantsOf(`${path}.schema-${schemaVersion}.backup`)).toEqual([])
  })

  // B089
  it('a store that moves from a local disk to an allowed network one and back keeps everything', async () => {
    const path = freshPath()
    await everyState(path)
    const onNetwork = await openWrite(path, { fileSystemType: () => network.smb, networkFileSystem: 'allow' })
    const counts = await onNetwork.counts()
    await onNetwork.enqueue(jobsOf(1), systemClock.now())
    await onNetwork.close()
    const back = await openWrite(path)
    expect(dbOf(back).pragma('journal_mode', { simple: true })).toBe('wal')
    expect(await back.counts()).toEqual({ ...counts, available: (counts.available ?? 0) + 1 })
    expect(checkInvariantsOf(path)).toEqual([])
  })
})
