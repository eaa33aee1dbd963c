import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import { schemaVersion } from '../../../src/store/sqlite/file/migrate.ts'
import type { Enqueued } from '../../../src/store/port.ts'
import { temporaryDirectory } from '../../support/open-test-store.ts'
import { startChildren, type Child, type ChildError } from './support/child.ts'
import { freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'
import { long } from '../../support/long.ts'
import type { StoreInfo } from '../../../src/store/views.ts'

/** Each step taken once. */
const steps = Array.from({ length: schemaVersion }, (_, index) => ({ version: index + 1, times: 1 }))

const all = <T>(
  children: readonly Child[],
  task: (child: Child, index: number) => Promise<T>,
): Promise<T[]> => Promise.all(children.map(task))

describe('many processes that start at the same moment', () => {
  // A36
  it('eight on no database, in a directory that is not there either: all of them open the one store and enqueue', async () => {
    const path = join(temporaryDirectory(), 'not', 'there', 'wf.db')
    const children = await startChildren(8)
    const infos = await all(children, (child) => child.do<StoreInfo>('open', { path }))
    expect(new Set(infos.map(({ storeId }) => storeId)).size).toBe(1)
    const enqueued = await all(children, (child) => child.call('enqueue', jobsOf(5), 1))
    expect(keysOf(enqueued.flat())).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    await all(children, (child) => child.do('close'))
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B083
  it('sixteen on a missing database: each step of the schema is taken once, and nobody fails', async () => {
    const children = await startChildren(16)
    for (let round = 0; round < (long ? 50 : 2); round++) {
      const path = freshPath()
      // Not only those that write: some only look, and may find that there is nothing yet.
      const failures = await all(children, (child, index) =>
        child.do('open', { path, reads: index % 4 === 3 }).then(
          () => null,
          ({ code }: ChildError) => `${index % 4 === 3 ? 'reader' : 'writer'}: ${code}`,
        ),
      )
      expect(new Set(failures)).toEqual(
        new Set(failures.includes('reader: store_missing') ? [null, 'reader: store_missing'] : [null]),
      )
      expect(
        openRaw(path).prepare('SELECT version, count(*) AS times FROM wf_migrations GROUP BY version').all(),
      ).toEqual(steps)
      expect(openRaw(path).pragma('journal_mode', { simple: true })).toBe('wal')
      expect(checkInvariantsOf(path)).toEqual([])
      await all(children, (child, index) =>
        failures[index] === null ? child.do('close') : Promise.resolve(),
      )
    }
  })

  // B083
  it('sixteen on a database one version old: the step is taken once, after one sound backup, and every job is still there', async () => {
    const children = await startChildren(16)
    const more = [
      {
        version: schemaVersion + 1,
        name: 'more',
        sql: 'CREATE TABLE wf_more (id INTEGER PRIMARY KEY) STRICT;\nINSERT INTO wf_more VALUES (7)',
      },
    ]
    for (let round = 0; round < (long ? 50 : 2); round++) {
      const path = freshPath()
      const store = await openWrite(path)
      await store.enqueue(jobsOf(20), 1)
      await store.close()
      await all(children, (child) => child.do('migrate', { path, more }))
      const db = openRaw(path)
      expect(db.prepare('SELECT version FROM wf_migrations ORDER BY version').pluck().all()).toEqual([
        ...steps.map(({ version }) => version),
        schemaVersion + 1,
      ])
      expect(db.prepare('SELECT id FROM wf_more').pluck().all()).toEqual([7])
      expect(db.prepare('SELECT count(*) FROM wf_jobs JOIN wf_job_data ON job_key = key').pluck().get()).toBe(
        20,
      )
      const backups = readdirSync(dirname(path)).filter((name) => !/^wf\.db(-wal|-shm)?$/.test(name))
      expect(backups).toEqual([`wf.db.schema-${schemaVersion}.backup`])
      const backup = openRaw(join(dirname(path), backups[0] ?? ''))
      expect(backup.pragma('integrity_check', { simple: true })).toBe('ok')
      expect(
        backup.prepare('SELECT max(version), (SELECT count(*) FROM wf_jobs) FROM wf_migrations').raw().get(),
      ).toEqual([schemaVersion, 20])
    }
  })
})

function keysOf(enqueued: readonly Enqueued[]): number[] {
  return enqueued.flatMap((each) => (each.status === 'created' ? [each.key] : [])).sort((a, b) => a - b)
}
