import { pauseTypes } from '../support/plans.ts'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { newJob } from '../../src/domain/new-job.ts'
import { causeLister } from '../../src/store/sqlite/queries/causes.ts'
import { claimer } from '../../src/store/sqlite/hot/claim.ts'
import type { Connection } from '../../src/store/sqlite/file/connection.ts'
import { enqueuer } from '../../src/store/sqlite/hot/enqueue.ts'
import { migrations } from '../../src/store/sqlite/file/migrations.ts'
import { pendingLook } from '../../src/store/sqlite/queries/has-pending.ts'
import { settler } from '../../src/store/sqlite/hot/settle.ts'
import { jobsTable } from '../../src/store/sqlite/rows/jobs.ts'
import { rowsOf } from '../../src/store/sqlite/rows/rows.ts'
import { workersTable } from '../../src/store/sqlite/rows/workers.ts'
import { claimRequest, outcomes, sceneOn, settlementOf } from '../support/store-scene.ts'
import { dbOf, openScene, openSqlite } from '../support/store-sqlite.ts'

/** What SQLite runs for one enqueue, one claim and one success, values filled in. */
function statementsOfJobs(): { db: Connection; enqueue: string[]; claim: string[]; success: string[] } {
  let heard: string[] = []
  const db = new Database(':memory:', { verbose: (sql) => void heard.push(String(sql)) })
  onTestFinished(() => void db.close())
  for (const step of migrations) step.up(db)
  const hear = <T>(run: () => T): [T, string[]] => {
    heard = []
    const result = run()
    return [result, heard]
  }
  const rows = rowsOf(db)
  const [, enqueue] = hear(() => enqueuer(rows).enqueue(newJob({ type: 't' }, 1), 1))
  const [
    {
      claimed: [job],
    },
    claim,
  ] = hear(() => claimer(rows).claim(claimRequest(), 2))
  if (job === undefined) throw new Error('nothing claimed')
  const [settled, success] = hear(() =>
    settler(rows).settle(settlementOf(job, outcomes.success({ r: 1 }), 3), 3),
  )
  expect(settled).toBe('applied')
  return { db, enqueue, claim, success }
}

/** The text of every statement that a part of the store prepares. */
function statementsOf(db: Connection, part: (db: Connection) => unknown): string[] {
  const prepare = vi.spyOn(db, 'prepare')
  part(db)
  const texts = prepare.mock.calls.map(([sql]) => sql)
  prepare.mockRestore()
  return texts
}

const values = (sql: string) => Array.from(sql.replace(/'[^']*'/g, '').matchAll(/\?/g), () => 1)
const plan = (db: Connection, sql: string) =>
  db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values(sql))
    .map(({ detail }) => detail)
const opcodes = (db: Connection, sql: string) =>
  db
    .prepare<unknown[], { opcode: string }>(`EXPLAIN ${sql}`)
    .all(...values(sql))
    .map(({ opcode }) => opcode)

describe('the plan of SQLite', () => {
  // A02
  it('for a claim searches one partial index of available jobs in its order, and reads nothing else but what it takes', async () => {
    const db = dbOf(await openSqlite())
    const takes = statementsOf(db, (each) => claimer(rowsOf(each))).filter((sql) =>
      sql.includes('d.variables'),
    )
    expect(takes.map((sql) => plan(db, sql))).toEqual(
      ['wf_jobs_available', 'wf_jobs_suspect'].map((index) => [
        `SEARCH j USING INDEX ${index} (type=?)`,
        'SEARCH d USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
      ]),
    )
  })

  // A02
  it('for all that a job takes from enqueue to success searches by key or by one partial index, and sorts nothing', () => {
    const { db, enqueue, claim, success } = statementsOfJobs()
    expect([enqueue.length, claim.length, success.length].every((count) => count > 1)).toBe(true)
    const details = [...enqueue, ...claim, ...success].flatMap((sql) => plan(db, sql))
    for (const detail of details) {
      expect(detail).toMatch(
        /^SEARCH \w+ USING ((COVERING )?INDEX wf_jobs_(available|waiting) \(type=|INTEGER PRIMARY KEY \(rowid=|PRIMARY KEY \()/,
      )
    }
  })

  it('for all that a job takes builds no table in memory: that costs more than the statement', () => {
    const { db, enqueue, claim, success } = statementsOfJobs()
    for (const sql of [...enqueue, ...claim, ...success]) {
      expect(
        opcodes(db, sql).filter(
          (opcode) => opcode.startsWith('OpenEphemeral') || opcode.startsWith('Sorter'),
        ),
        sql,
      ).toEqual([])
    }
  })

  it('for sweeping reads running jobs and passed deadlines from their own indexes', async () => {
    const db = dbOf(await openSqlite())
    const details = [
      ...statementsOf(db, workersTable),
      ...statementsOf(db, jobsTable).filter((sql) => sql.includes('deadline_at < ?')),
    ].flatMap((sql) => plan(db, sql))
    const ofJobs = details.filter((detail) => /\b(wf_jobs|j)\b/.test(detail))
    for (const detail of ofJobs)
      expect(detail).toMatch(/USING (COVERING )?INDEX wf_jobs_(running|deadline)|USING INTEGER PRIMARY KEY/)
  })

  it('for whether work is left reads no row of a job that waits', async () => {
    const db = dbOf(await openSqlite())
    const [sql = ''] = statementsOf(db, pendingLook)
    const ofJobs = plan(db, sql).filter((detail) => detail.includes('wf_jobs'))
    expect(ofJobs.map((detail) => detail.replace(/^(SEARCH|SCAN) wf_jobs USING /, ''))).toEqual([
      'COVERING INDEX wf_jobs_running',
      'INDEX wf_jobs_available (type=?)',
      'INDEX wf_jobs_suspect (type=?)',
      'COVERING INDEX wf_jobs_waiting (type=? AND run_at<?)',
      'COVERING INDEX wf_jobs_waiting (type=?)',
    ])
  })

  it('for causes reads open incidents from an index that covers them, and each fingerprint from its own', async () => {
    const db = dbOf(await openSqlite())
    const texts = statementsOf(db, (each) => causeLister(each)({}, 1)).filter((sql) =>
      sql.startsWith('SELECT'),
    )
    const details = texts
      .flatMap((sql) => plan(db, sql))
      .filter((detail) => /\b(i|wf_incidents)\b/.test(detail))
    expect(details).toContain('SCAN i USING COVERING INDEX wf_incidents_open_cause')
    expect(
      details.filter((detail) => detail.includes('COVERING INDEX wf_incidents_cause (fingerprint=?')),
    ).toHaveLength(2)
    for (const detail of details)
      expect(detail).toMatch(/USING (COVERING )?INDEX wf_incidents_(open_cause|cause|one_open)/)
  })

  // A02
  it('makes a claim walk over no more entries with 20,000 jobs that are not claimable than with none', async () => {
    const { store, enqueue, add, clock, claim, settlement, now } = sceneOn(await openScene(':memory:'))
    const db = dbOf(store)
    await enqueue(...Array.from({ length: 8_000 }, () => ({ priority: 9 })))
    const claimed = await claim({ limit: 8_000 })
    const ended = claimed.map((job, index) =>
      settlement(
        job,
        index % 2 ? { kind: 'success' } : { kind: 'incident', incident: 'raised', error: settlementError },
      ),
    )
    await store.exchange({ settlements: ended }, now())
    await pauseTypes(store, ['t'], { paused: false, reason: null, who: 'ada' }, now())
    await enqueue(...Array.from({ length: 12_000 }, () => ({ priority: 9, delay: '1h' })))
    const key = await add()
    const [sql = ''] = statementsOf(db, (each) => claimer(rowsOf(each))).filter((text) =>
      text.includes('d.variables'),
    )
    // Rows that the first index of the plan holds: what a claim could meet at all.
    expect(
      db
        .prepare(
          "SELECT count(*) FROM wf_jobs INDEXED BY wf_jobs_available WHERE state = 'available' AND crashes < 2",
        )
        .pluck()
        .get(),
    ).toBe(1)
    expect(plan(db, sql)[0]).toBe('SEARCH j USING INDEX wf_jobs_available (type=?)')
    expect((await claim()).map((job) => job.key)).toEqual([key])
    await clock.settle()
  })
})

const settlementError = { name: 'E', message: 'm', code: null, stack: null, causes: [], truncated: false }
