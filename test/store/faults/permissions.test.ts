import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { schemaVersion } from '../../../src/store/sqlite/file/migrate.ts'
import { temporaryDirectory } from '../../support/open-test-store.ts'
import { startChild } from './support/child.ts'
import { jobsOf } from './support/files.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

function modesOf(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]))
}

const more = [
  { version: schemaVersion + 1, name: 'more', sql: 'CREATE TABLE wf_more (id INTEGER PRIMARY KEY) STRICT' },
]

describe('whoever is not the owner', () => {
  // B098
  it.each(['000', '022', '077'])(
    'can read neither a store nor what lies beside it, under umask %s',
    async (umask) => {
      const root = temporaryDirectory()
      const path = join(root, 'made', 'by wf', 'wf.db')
      const child = await startChild({ umask })
      await child.do('open', { path })
      await child.call('enqueue', jobsOf(3), systemClock.now())
      expect(modesOf(dirname(path))).toEqual({ 'wf.db': '600', 'wf.db-wal': '600', 'wf.db-shm': '600' })
      // Each directory that was made on the way.
      expect([modeOf(join(root, 'made')), modeOf(dirname(path))]).toEqual(['700', '700'])
      await child.do('migrate', { path, more })
      expect(modesOf(dirname(path))).toMatchObject({ [`wf.db.schema-${schemaVersion}.backup`]: '600' })
      for (const mode of Object.values(modesOf(dirname(path)))) expect(mode).toBe('600')
      await child.do('close')
      expect(modesOf(dirname(path))).toMatchObject({ 'wf.db': '600' })
    },
  )

  // B098
  it('still cannot after one process was killed and another opened what it left', async () => {
    const path = join(temporaryDirectory(), 'wf.db')
    for (let time = 0; time < 2; time++) {
      const child = await startChild({ umask: '000' })
      await child.do('open', { path })
      expect(modeOf(path)).toBe('600')
      await child.kill()
      expect(modesOf(dirname(path))).toEqual({ 'wf.db': '600', 'wf.db-wal': '600', 'wf.db-shm': '600' })
    }
  })
})
