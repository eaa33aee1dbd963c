import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { seededStore } from '../support/seeded-store.ts'

const keys = [699, 695, 691, 687, 683, 679, 675, 671, 667, 663]
const largest = 4111111111111111

describe('keys of jobs', () => {
  // A39
  it('are never masked, whatever number they make', async () => {
    const store = await seededStore()
    const { location } = store
    const db = new Database(location)
    const countFrom = (key: number) =>
      db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'wf_jobs'").run(key - 1)
    await store.add()
    countFrom(663)
    for (let key = 663; key <= 699; key++) await store.add()
    countFrom(largest)
    expect(await store.add()).toBe(largest)
    db.close()
    const wf = (...args: readonly string[]) => cli(args, { store: location })

    expect((await wf('jobs', 'update', '--priority', '2', ...keys.map(String))).code).toBe(0)
    for (const args of [
      ['audit', 'list'],
      ['audit', 'show', '1'],
      ['undo', '1', '--yes'],
      ['tail', '--since', '1h', '--for', '1ms'],
    ]) {
      for (const end of [await wf(...args), await wf(...args, '--json')]) {
        const said = `${end.out}${end.err}`
        expect([args, said.includes('***')]).toEqual([args, false])
        if (args[0] === 'audit' || args[0] === 'tail')
          expect(said.replaceAll('\n', ' ')).toContain('699 695 691')
      }
    }
    for (const verb of ['show', 'explain', 'export']) {
      const { out } = await wf('jobs', verb, String(largest), '--json')
      expect([verb, out.includes(`"key": ${largest}`), out.includes('***')]).toEqual([verb, true, false])
    }
    expect((await wf('jobs', 'show', String(largest))).out).toMatch(new RegExp(`wf jobs cancel ${largest}`))
  })
})
