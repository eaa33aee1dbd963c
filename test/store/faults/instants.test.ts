import { describe, expect, it } from 'vitest'
import { newJob } from '../../../src/domain/new-job.ts'
import { seededRandom } from '../../../src/random.ts'
import { claimRequest } from '../../support/store-scene.ts'
import { startChild } from './support/child.ts'
import { everyState } from './support/every-state.ts'
import { freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'

const isInstant = (column: string) => /(_at|_until|_since)$|^(at|minute)$/.test(column)

interface Column {
  table: string
  name: string
  type: string
  standard: string | null
}

function columnsOf(path: string): Column[] {
  return openRaw(path)
    .prepare<[], Column>(
      `SELECT t.name AS "table", c.name, c.type, c.dflt_value AS standard FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name LIKE 'wf\\_%' ESCAPE '\\'`,
    )
    .all()
}

describe('instants', () => {
  // B096
  it('are whole epoch milliseconds in every table, and the database itself never says what time it is', async () => {
    const path = freshPath()
    await everyState(path)
    const db = openRaw(path)
    const instants = columnsOf(path).filter(({ name }) => isInstant(name))
    expect(instants.length).toBeGreaterThan(20)
    for (const { table, name, type, standard } of instants) {
      expect([type, standard], `${table}.${name}`).toEqual(['INTEGER', null])
      const odd = db.prepare(
        `SELECT count(*) FROM ${table} WHERE ${name} IS NOT NULL AND (typeof(${name}) <> 'integer' OR ${name} < 1000000000000)`,
      )
      expect(odd.pluck().get(), `${table}.${name}`).toBe(0)
    }
    const schema = db.prepare('SELECT group_concat(sql) FROM sqlite_schema').pluck().get()
    expect(schema).not.toMatch(/CURRENT_|strftime|datetime|julianday|unixepoch|'now'/i)
  })

  // B096
  it('a fraction of a millisecond is refused by the table, not cut or kept as text', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    const [job] = jobsOf(1)
    if (!job) throw new Error('no job')
    for (const runAt of [1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(await store.enqueue([{ ...job, runAt }], 1)).toMatchObject([
        { status: 'refused', reason: 'constraint' },
      ])
    }
    expect(await store.enqueue([{ ...job, runAt: 7 }], 1)).toMatchObject([{ status: 'created' }])
  })

  // B096
  it('the order in SQL is the order in time, to the millisecond, whatever the time zone of who wrote and who claims', async () => {
    const seed = Number(process.env['WF_SEED'] ?? Date.now() % 1_000_000)
    const random = seededRandom(seed)
    const path = freshPath()
    const zones = ['Pacific/Apia', 'Asia/Kathmandu', 'America/St_Johns']
    const writers = await Promise.all(zones.map((TZ) => startChild({ env: { TZ } })))
    await Promise.all(writers.map((child) => child.do('open', { path })))
    // Around a change of the clocks, the turn of a year and a millennium, close together and far apart.
    const corners = [
      '2026-03-29T01:00:00.000Z',
      '2026-12-31T23:59:59.999Z',
      '2000-01-01T00:00:00.000Z',
      '2026-07-12T17:25:00.000Z',
    ].map(Date.parse)
    const instants = Array.from({ length: 120 }, () => {
      const corner = corners[Math.floor(random() * corners.length)] ?? 0
      return corner + Math.floor((random() - 0.5) * 10 ** Math.ceil(random() * 8))
    })
    const last = Math.max(...instants)
    const runAts = new Map<number, number>()
    for (const [index, at] of instants.entries()) {
      const [enqueued] =
        (await writers[index % 3]?.call('enqueue', [newJob({ type: 't', at }, last)], last)) ?? []
      if (enqueued?.status !== 'created') throw new Error(`seed ${seed}: not created`)
      runAts.set(enqueued.key, at)
    }
    const claimed: number[] = []
    for (let turn = 0; claimed.length < instants.length; turn++) {
      const claim = claimRequest({ limit: 7 })
      const exchanged = await writers[turn % 3]?.call('exchange', { settlements: [], claim }, last)
      for (const { key, runAt } of exchanged?.claimed ?? []) {
        expect(runAt, `seed ${seed}`).toBe(runAts.get(key))
        claimed.push(runAt)
      }
      if (exchanged?.claimed.length === 0) throw new Error(`seed ${seed}: nothing to claim`)
    }
    expect(claimed, `seed ${seed}`).toEqual([...instants].sort((a, b) => a - b))
    for (const writer of writers) await writer.leave()
  })
})
