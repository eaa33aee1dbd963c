import { registerWorkers, stepsOf } from '../../support/plans.ts'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { checkInvariantsOf } from '../../../src/store/sqlite/check-invariants.ts'
import {
  createFile,
  openWriter,
  setJournal,
  type Connection,
} from '../../../src/store/sqlite/file/connection.ts'
import { migrate, schemaVersion } from '../../../src/store/sqlite/file/migrate.ts'
import { migrations } from '../../../src/store/sqlite/file/migrations.ts'
import { openSqliteReader, openSqliteStore } from '../../../src/store/sqlite/file/open.ts'
import { refusalOf, startChild } from './support/child.ts'
import { everyState } from './support/every-state.ts'
import { bytesOf, copyOf, freshPath, jobsOf, openRaw, openWrite } from './support/files.ts'
import { long } from '../../support/long.ts'

const random = () => 0.5
const upgrade = `ALTER TABLE wf_jobs ADD COLUMN colour TEXT; INSERT INTO wf_migrations VALUES (${schemaVersion + 1}, 'colours', 1)`

describe('a store of a newer wf', () => {
  // A36 B084
  it('is refused before anything is written, by readers and writers, with both versions and what to do; its bytes stay', async () => {
    const path = freshPath()
    await everyState(path)
    const db = openRaw(path)
    db.exec(upgrade)
    db.close()
    const before = bytesOf(path)
    const writer = { path, clock: systemClock, random, durability: 'power' } as const
    for (const open of [
      () => openSqliteStore({ ...writer, create: true }),
      () => openSqliteStore({ ...writer, create: false }),
      () => openSqliteReader({ path, clock: systemClock }),
    ]) {
      const refused = await refusalOf(open())
      expect(refused).toMatchObject({
        code: 'schema_newer',
        hint: expect.stringMatching(/release.*Nothing was changed/),
      })
      expect(refused.message).toContain(
        `schema version ${schemaVersion + 1}; this wf knows versions up to ${schemaVersion}`,
      )
      expect(refused.message).toContain(path)
    }
    expect(bytesOf(path)).toMatchObject(before)
  })

  // B084
  it('a running older process writes nothing from the very moment of the upgrade', async () => {
    const path = freshPath()
    const store = await openWrite(path)
    await store.enqueue(jobsOf(2), systemClock.now())
    const db = openRaw(path)
    db.exec(upgrade)
    const claim = {
      workerId: 'w#1',
      limit: 1,
      suspects: false,
      types: [{ type: 't', limit: 1, timeoutMs: 1, retries: 1 }],
    }
    for (const write of [
      () => store.enqueue(jobsOf(1), systemClock.now()),
      () => store.exchange({ settlements: [], claim }, systemClock.now()),
      () => registerWorkers(store, [], 1),
      () =>
        store.prune({ finishedMs: 1, deadLettersMs: 1, idempotencyKeysMs: 1, statsMs: 1 }, systemClock.now()),
    ]) {
      expect(await refusalOf(write())).toMatchObject({ code: 'schema_newer' })
    }
    expect(db.prepare('SELECT state, count(*) AS count FROM wf_jobs GROUP BY state').all()).toEqual([
      { state: 'available', count: 2 },
    ])
    // Changes that are no upgrade, such as an index that somebody added, stop nobody.
    db.exec(
      `DELETE FROM wf_migrations WHERE version = ${schemaVersion + 1}; CREATE INDEX theirs ON wf_jobs (colour)`,
    )
    expect(await store.enqueue(jobsOf(1), 1)).toEqual([{ status: 'created', key: 3 }])
  })
})

/** What an upgrade must leave as it is: of each table the rows, in their old columns. */
function contentsOf(path: string): Record<string, unknown> {
  const db = openRaw(path)
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE name LIKE 'wf\\_%' ESCAPE '\\' AND type = 'table' ORDER BY name",
    )
    .pluck()
    .all() as string[]
  const rows = tables
    .filter((name) => !['wf_migrations', 'wf_colours'].includes(name))
    .map((name) => [
      name,
      (db.prepare(`SELECT * FROM ${name}`).all() as object[]).map((row) => ({ ...row, colour: undefined })),
    ])
  db.close()
  return Object.fromEntries(rows)
}

const more = [
  {
    version: schemaVersion + 1,
    name: 'colours',
    sql: "CREATE TABLE wf_colours (name TEXT PRIMARY KEY) STRICT;\nINSERT INTO wf_colours VALUES ('red');\nALTER TABLE wf_jobs ADD COLUMN colour TEXT",
  },
  {
    version: schemaVersion + 2,
    name: 'paint',
    sql: "UPDATE wf_jobs SET colour = 'red';\nCREATE INDEX wf_jobs_colour ON wf_jobs (colour)",
  },
]

async function upgradeHere(path: string): Promise<void> {
  const db = openWriter(path)
  setJournal(db, { durability: 'power', shared: true })
  const steps = more.map(({ sql, ...step }) => ({ ...step, up: (inside: Connection) => inside.exec(sql) }))
  await migrate(db, { clock: systemClock, random, lockTimeoutMs: 10_000, location: path }, [
    ...migrations,
    ...steps,
  ])
  db.close()
}

const versionOf = (path: string) => {
  const db = openRaw(path)
  try {
    const versions = db.prepare('SELECT version FROM wf_migrations ORDER BY version').pluck().all()
    const tables = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'wf_colours'").pluck().get()
    const painted =
      tables === 0 ? 0 : db.prepare("SELECT count(*) FROM wf_jobs WHERE colour = 'red'").pluck().get()
    return { versions, tables, painted }
  } finally {
    db.close()
  }
}

/** As of a store that is up to date, and of one with so many steps more. */
const versions = (more = 0) => Array.from({ length: schemaVersion + more }, (_, index) => index + 1)

/** A store of the version before this one, with a worker whose lease ends then. */
async function olderStore(leaseUntil: number): Promise<string> {
  const path = freshPath()
  createFile(path)
  const db = openWriter(path)
  setJournal(db, { durability: 'power', shared: true })
  await migrate(
    db,
    { clock: systemClock, random, lockTimeoutMs: 10_000, location: path },
    migrations.slice(0, -1),
  )
  db.prepare(
    `INSERT INTO wf_workers (id, label, pid, host, started_at, lease_until, state, concurrency, types, quarantine)
    VALUES ('old#1', 'old', 1, 'box', 1, ?, 'running', 1, '[]', 0)`,
  ).run(leaseUntil)
  db.close()
  return path
}

describe('whoever only passes by', () => {
  const writer = { clock: systemClock, random, durability: 'power', create: false } as const

  it('does not upgrade a store under workers of an older wf that live, and says what to do', async () => {
    const path = await olderStore(systemClock.now() + 600_000)
    const refused = await refusalOf(openSqliteStore({ ...writer, path, sparesWorkers: true }))
    expect(refused).toMatchObject({ code: 'schema_older', hint: expect.stringContaining('wf db migrate') })
    expect(refused.message).toContain(
      `schema version ${schemaVersion - 1}, this wf needs ${schemaVersion}, and 1 worker process of an older wf would end`,
    )
    expect(versionOf(path).versions).toEqual(versions(-1))
    expect(readdirSync(dirname(path)).filter((name) => name.includes('backup'))).toEqual([])
    await (await openSqliteStore({ ...writer, path })).close()
    expect(versionOf(path).versions).toEqual(versions())
  })

  it('upgrades it when none lives', async () => {
    const path = await olderStore(systemClock.now() - 1)
    await (await openSqliteStore({ ...writer, path, sparesWorkers: true })).close()
    expect(versionOf(path).versions).toEqual(versions())
  })
})

describe('an upgrade', () => {
  // B085
  it('killed before any of its statements leaves each step whole or not begun, and the next one completes it', async () => {
    const old = freshPath()
    await everyState(old)
    const before = contentsOf(old)
    const jobs = (before['wf_jobs'] as unknown[]).length
    const whole = [
      { versions: versions(), tables: 0, painted: 0 },
      { versions: versions(1), tables: 1, painted: 0 },
      { versions: versions(2), tables: 1, painted: jobs },
    ]
    const seen = new Set<number>()
    for (let killAt = 1; ; killAt += long ? 1 : 2) {
      const path = copyOf(old)
      const child = await startChild()
      const ended = await child.do('migrate', { path, more, killAt }).then(
        () => 'completed',
        ({ code }) => code as string,
      )
      const found = versionOf(path)
      expect(whole, `killed before statement ${killAt}`).toContainEqual(found)
      seen.add(found.versions.length)
      expect(contentsOf(path)).toEqual(before)
      await child.leave()
      await upgradeHere(path)
      expect(versionOf(path)).toEqual(whole[2])
      expect(contentsOf(path)).toEqual(before)
      expect(checkInvariantsOf(path)).toEqual([])
      expectBackups(path, before)
      if (ended === 'completed') break
      expect(ended).toBe('SIGKILL')
    }
    expect(seen).toEqual(new Set([0, 1, 2].map((more) => schemaVersion + more)))
  })

  // B085
  it('the first steps, killed before any of its statements, leave nothing or all of each', async () => {
    // From the first statement that opens the file on; most fall between two tables.
    for (let killAt = 1, more = true; more; killAt += long ? 1 : 9) {
      const path = freshPath()
      const child = await startChild()
      await child.do('watch', { killBefore: killAt })
      more = await child.do('open', { path }).then(
        () => false,
        ({ code }) => code === 'SIGKILL',
      )
      await child.leave()
      if (existsSync(path)) {
        const db = openRaw(path)
        const tables = db
          .prepare(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'wf\\_%' ESCAPE '\\'",
          )
          .pluck()
          .get()
        db.close()
        // Tables of the first step alone, of the first two or three, or of all.
        expect([0, 15, 18, 20], `killed before statement ${killAt}`).toContain(tables)
      }
      const store = await openWrite(path)
      await store.enqueue(jobsOf(1), 1)
      await store.close()
      expect(checkInvariantsOf(path)).toEqual([])
    }
  })

  // B085
  it('from the first schema keeps every job, which then has no steps and its first effects', async () => {
    const path = freshPath()
    writeFileSync(path, '')
    const old = openWriter(path)
    setJournal(old, { durability: 'power', shared: true })
    await migrate(
      old,
      { clock: systemClock, random, lockTimeoutMs: 0, location: path },
      migrations.slice(0, 1),
    )
    old.exec(`INSERT INTO wf_jobs (type, state, priority, run_at, retries, retries_given, enqueued_retries, created_at)
      VALUES ('t', 'available', 0, 1, 3, 1, 3, 1), ('t', 'available', 0, 1, 3, 1, 3, 1);
      INSERT INTO wf_job_data (job_key, variables) SELECT key, '{}' FROM wf_jobs`)
    old.close()
    const store = await openWrite(path)
    const claim = {
      workerId: 'w#1',
      limit: 9,
      suspects: false,
      types: [{ type: 't', limit: 9, timeoutMs: 1, retries: 1 }],
    }
    const { claimed } = await store.exchange({ settlements: [], claim }, systemClock.now())
    expect(claimed.map(({ effectsEpoch }) => effectsEpoch)).toEqual([0, 0])
    expect([await store.breakers(), await stepsOf(store, 1)]).toEqual([[], []])
    await store.close()
    expect(readdirSync(dirname(path))).toContain('wf.db.schema-1.backup')
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B085
  it('takes away what operations kept of jobs that are gone, and leaves what belongs to others', async () => {
    const path = freshPath()
    writeFileSync(path, '')
    const old = openWriter(path)
    setJournal(old, { durability: 'power', shared: true })
    await migrate(
      old,
      { clock: systemClock, random, lockTimeoutMs: 0, location: path },
      migrations.slice(0, 6),
    )
    const image = `'{"of":"job","variables":{"before":"{}"}}'`
    const flags = `'{"retries":2,"set":[{"path":"pin","value":"x"},{"path":"old","remove":true}]}'`
    old.exec(`INSERT INTO wf_jobs (key, type, state, priority, run_at, retries, retries_given, enqueued_retries, created_at)
      VALUES (2, 't', 'available', 0, 1, 3, 1, 3, 1);
      INSERT INTO wf_job_data (job_key, variables) VALUES (2, '{}');
      INSERT INTO wf_operations (at, verb, who, selector, flags, matched, changed, touched_at)
      VALUES (1, 'resolve', 'a', '', ${flags}, 1, 1, 1), (1, 'resolve', 'a', '', ${flags}, 2, 2, 1), (1, 'pause', 'a', '', '{}', 1, 1, 1);
      INSERT INTO wf_operation_targets (operation_id, job_key, name, status, why, image)
      VALUES (1, 1, '', 'changed', '', ${image}), (2, 1, '', 'changed', '', ${image}), (2, 2, '', 'changed', '', ${image}), (3, 0, 't', 'changed', '', ${image})`)
    old.close()
    const store = await openWrite(path)
    const kept = await Promise.all(
      [1, 2, 3].map(async (id) =>
        (await store.operationTargets(id, { limit: 9 })).items.map((target) => target.image !== null),
      ),
    )
    expect(kept).toEqual([[false], [false, true], [true]])
    expect((await store.operation(1))?.flags).toEqual({
      retries: 2,
      set: [{ path: 'pin' }, { path: 'old', remove: true }],
    })
    expect((await store.operation(2))?.flags).toEqual({
      retries: 2,
      set: [
        { path: 'pin', value: 'x' },
        { path: 'old', remove: true },
      ],
    })
    await store.close()
    expect(checkInvariantsOf(path)).toEqual([])
  })

  // B085
  it('that lacks a step is an error and stamps nothing', async () => {
    const path = freshPath()
    await everyState(path)
    const db = openWriter(path)
    setJournal(db, { durability: 'power', shared: true })
    const steps = [
      ...migrations,
      { version: schemaVersion + 2, name: 'paint', up: () => expect.unreachable() },
    ]
    const wait = { clock: systemClock, random, lockTimeoutMs: 0, location: path }
    expect(await refusalOf(migrate(db, wait, steps))).toMatchObject({
      code: 'unexpected',
      message: expect.stringContaining(`schema step ${schemaVersion + 1} is missing`),
    })
    db.close()
    expect(versionOf(path)).toEqual({ versions: versions(), tables: 0, painted: 0 })
  })

  // B085
  it('whose step fails takes all of it back, and keeps the copy made before', async () => {
    const path = freshPath()
    await everyState(path)
    const before = contentsOf(path)
    const child = await startChild()
    const broken = [
      {
        version: schemaVersion + 1,
        name: 'broken',
        sql: 'ALTER TABLE wf_jobs ADD COLUMN colour TEXT;\nUPDATE wf_jobs SET nothing = 1',
      },
    ]
    expect(await refusalOf(child.do('migrate', { path, more: broken }))).toMatchObject({
      code: 'SQLITE_ERROR',
    })
    expect(versionOf(path)).toEqual({ versions: versions(), tables: 0, painted: 0 })
    expect(contentsOf(path)).toEqual(before)
    expectBackups(path, before)
  })
})

/** Under its final name a copy is whole and of the state before the first step that it was made for. */
function expectBackups(path: string, before: Record<string, unknown>): void {
  const extra = readdirSync(dirname(path)).filter((name) => !/^wf\.db(-wal|-shm)?$/.test(name))
  const allowed = [0, 1].map((step) => `wf.db.schema-${schemaVersion + step}.backup`)
  // One for each version that an upgrade began at, and nothing half-made.
  expect(extra.filter((name) => !allowed.includes(name))).toEqual([])
  expect(extra).toContain(allowed[0])
  for (const name of extra) expect(contentsOf(join(dirname(path), name))).toEqual(before)
}
