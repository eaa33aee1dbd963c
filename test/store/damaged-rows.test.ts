import { describe, expect, it } from 'vitest'
import { newJob } from '../../src/domain/new-job.ts'
import { claimRequest, outcomes, sceneOn, settlementOf } from '../support/store-scene.ts'
import { dbOf, openScene, openSqlite } from '../support/store-sqlite.ts'

/** What somebody may write into a row past wf, and past its checks. */
const unreadable: readonly [string, unknown][] = [
  ['nothing', ''],
  ['half an object', '{'],
  ['null', 'null'],
  ['an open list', '[1'],
  ['NaN', 'NaN'],
  ['a byte order mark', '\ufeff{"a":1}'],
  ['very many brackets', '['.repeat(1_000_000)],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
]

describe('rows that somebody damaged', () => {
  // B104
  it.each(unreadable)(
    'with %s for variables are handed out as they are, and stop neither claims nor lists',
    async (_name, value) => {
      const { store, enqueue, now, claim, settle, detail } = sceneOn(await openScene(':memory:'))
      const db = dbOf(store)
      await enqueue(...Array.from({ length: 100 }, () => ({})))
      db.pragma('ignore_check_constraints = ON')
      db.prepare('UPDATE wf_job_data SET variables = CAST(? AS TEXT) WHERE job_key = 7').run(value)
      const claimed = await claim({ limit: 100 })
      expect(claimed).toHaveLength(100)
      const bad = claimed.find(({ key }) => key === 7)
      if (bad === undefined) throw new Error('not claimed')
      if (typeof value === 'string') expect(bad.variables).toBe(value)
      expect((await store.jobs({}, { limit: 10 })).items).toHaveLength(10)
      for (const where of [
        { path: 'a', value: 1 },
        { path: '[""]', value: null },
        { path: 'a.0', value: { b: 1 } },
      ]) {
        expect((await store.jobs({ where: [where] }, { limit: 100 })).items).toEqual([])
      }
      expect(await settle(bad, outcomes.poison())).toBe('applied')
      expect(await detail(7)).toMatchObject({ job: { state: 'failed' }, deadLetter: { reason: 'poison' } })
      expect((await store.deadLetter(7))?.variables).toBe(bad.variables)
      const kept = db.prepare('SELECT hex(variables) FROM wf_poison_jobs WHERE job_key = 7').pluck().get()
      expect(kept).toBe(db.prepare('SELECT hex(variables) FROM wf_job_data WHERE job_key = 7').pluck().get())
      const { settled } = await store.exchange(
        {
          settlements: claimed
            .filter((job) => job !== bad)
            .map((job) => settlementOf(job, outcomes.success(), now())),
        },
        now(),
      )
      expect(new Set(settled)).toEqual(new Set(['applied']))
    },
  )

  // B104
  it('without any variables, and with an error that is no JSON, are still shown', async () => {
    const { store, enqueue, claim, settle, detail } = sceneOn(await openScene(':memory:'))
    const db = dbOf(store)
    await enqueue({}, {})
    db.prepare('DELETE FROM wf_job_data WHERE job_key = 1').run()
    const [first, second] = await claim()
    if (!first || !second) throw new Error('not claimed')
    expect(first.variables).toBe('')
    await settle(second, outcomes.raised())
    db.pragma('ignore_check_constraints = ON')
    db.prepare("UPDATE wf_incidents SET error = '{broken'").run()
    expect((await detail(2)).incidents[0]?.error).toMatchObject({ name: 'Error', message: '{broken' })
    expect((await store.incidents({}, { limit: 5 })).items).toHaveLength(1)
    expect((await store.incidents({ error: { text: '{BROKEN' } }, { limit: 5 })).items).toHaveLength(1)
    for (const error of ['null', '5', '[]', '{"message":{}}', '{"name":null,"code":7}']) {
      db.prepare('UPDATE wf_incidents SET error = ?').run(error)
      expect((await store.jobs({ error: { text: 'a' }, codes: ['7'] }, { limit: 5 })).items).toEqual([])
    }
  })
})

describe('the schema', () => {
  // B106
  it('takes no key that a number cannot hold', async () => {
    const db = dbOf(await openSqlite())
    const insert =
      db.prepare(`INSERT INTO wf_jobs (key, type, state, priority, run_at, retries, retries_given, enqueued_retries, created_at)
      VALUES (?, 't', 'available', 0, 1, 1, 0, 1, 1)`)
    for (const key of [2n ** 53n, 2n ** 53n + 1n, 0n, -1n])
      expect(() => insert.run(key), String(key)).toThrow('CHECK')
    expect(insert.run(2n ** 53n - 1n).changes).toBe(1)
  })

  // B096
  it('keeps every instant as a whole number, and fills in none by itself', async () => {
    const db = dbOf(await openSqlite())
    const tables = db
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name LIKE 'wf\\_%' ESCAPE '\\'",
      )
      .all()
    expect(tables.length).toBeGreaterThan(10)
    for (const { name, sql } of tables) {
      expect(sql, name).toContain('STRICT')
      expect(sql, name).not.toMatch(/CURRENT_|DATETIME|strftime/i)
      const columns = db
        .prepare<[], { name: string; type: string }>(`SELECT name, type FROM pragma_table_info('${name}')`)
        .all()
      for (const column of columns.filter((each) => /(_at|_until|_since|^at|^minute)$/.test(each.name)))
        expect(column.type, `${name}.${column.name}`).toBe('INTEGER')
    }
    await expect(
      openSqlite().then((store) => store.enqueue([{ ...newJob({ type: 't' }, 1), runAt: 1.5 }], 1)),
    ).resolves.toMatchObject([{ reason: 'constraint' }])
  })

  // B079
  it('writes through IMMEDIATE transactions on a connection that waits for no lock by itself', async () => {
    const store = await openSqlite()
    expect(dbOf(store).pragma('busy_timeout', { simple: true })).toBe(0)
    await store.exchange({ settlements: [], claim: claimRequest() }, 1)
    expect(dbOf(store).inTransaction).toBe(false)
  })
})
