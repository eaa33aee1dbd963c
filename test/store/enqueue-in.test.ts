import { declareTypes } from '../support/plans.ts'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { WfError } from '../../src/errors.ts'
import { newJob } from '../../src/domain/new-job.ts'
import type { Connection } from '../../src/store/sqlite/file/connection.ts'
import { enqueueIn } from '../../src/store/sqlite/hot/enqueue-in.ts'
import { dbOf, openSqlite, ownFile } from '../support/store-sqlite.ts'

/** A caller's own connection to the file of a store, as its documentation tells it to be set up. */
async function caller({ synchronous = 'FULL', store = true } = {}) {
  const path = ownFile()
  const opened = await openSqlite({ path: store ? path : ':memory:' })
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${synchronous}`)
  db.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT)')
  onTestFinished(() => void db.close())
  return {
    db,
    store: opened,
    now: opened.now(),
    inTransaction: <T>(run: () => T) => db.transaction(run).immediate(),
  }
}

const job = (now: number, more = {}) => newJob({ type: 't', variables: { a: 1 }, ...more }, now)

function refusal(run: () => unknown): WfError {
  try {
    run()
  } catch (error) {
    return error as WfError
  }
  throw new Error('it was not refused')
}

const order = (db: Connection, id: number) => db.prepare('INSERT INTO orders (id) VALUES (?)').run(id)

describe('enqueueIn', () => {
  // A34
  it("makes the job part of the caller's transaction: it is there with the caller's own rows", async () => {
    const { db, store, now, inTransaction } = await caller()
    const enqueued = inTransaction(() => {
      order(db, 1)
      return enqueueIn(db, [job(now), job(now, { delay: '1h' })], now)
    })
    expect(enqueued).toEqual([
      { status: 'created', key: 1 },
      { status: 'created', key: 2 },
    ])
    expect((await store.job(1))?.job).toMatchObject({ state: 'available', type: 't' })
    expect((await store.job(2))?.job).toMatchObject({ state: 'waiting', waitReason: 'delay' })
  })

  // A34
  it('leaves no job, no key and no gap of them when the transaction rolls back', async () => {
    const { db, store, now, inTransaction } = await caller()
    expect(() =>
      inTransaction(() => {
        order(db, 1)
        enqueueIn(db, [job(now, { idempotencyKey: 'k' })], now)
        order(db, 1)
      }),
    ).toThrow('UNIQUE')
    expect((await store.jobs({}, { limit: 9 })).items).toEqual([])
    expect(inTransaction(() => enqueueIn(db, [job(now, { idempotencyKey: 'k' })], now))).toEqual([
      { status: 'created', key: 1 },
    ])
  })

  // A34
  it('wakes whoever watches the store, as any other commit does', async () => {
    const { db, store, now, inTransaction } = await caller()
    const before = await store.version()
    inTransaction(() => enqueueIn(db, [job(now)], now))
    expect(await store.version()).not.toBe(before)
  })

  // A34
  it.each(['NORMAL', 'OFF'])(
    'refuses a connection at synchronous = %s, and says how to set it',
    async (synchronous) => {
      const { db, store, now, inTransaction } = await caller({ synchronous })
      const refused = refusal(() => inTransaction(() => enqueueIn(db, [job(now)], now)))
      expect(refused).toMatchObject({
        code: 'refused',
        hint: expect.stringContaining("db.pragma('synchronous = FULL')"),
      })
      expect((await store.jobs({}, { limit: 9 })).items).toEqual([])
      db.pragma('synchronous = EXTRA')
      expect(inTransaction(() => enqueueIn(db, [job(now)], now))).toMatchObject([{ status: 'created' }])
    },
  )

  // A34
  it('refuses outside a transaction, and says how to open one', async () => {
    const { db, now } = await caller()
    expect(refusal(() => enqueueIn(db, [job(now)], now))).toMatchObject({
      code: 'refused',
      hint: expect.stringContaining('.immediate()'),
    })
  })

  // A34
  it('refuses one bad row alone, and keeps the others and the transaction', async () => {
    const { db, store, now, inTransaction } = await caller()
    const enqueued = inTransaction(() => {
      order(db, 1)
      return enqueueIn(db, [job(now), { ...job(now), variables: '{' }, job(now)], now)
    })
    expect(enqueued).toMatchObject([{ key: 1 }, { status: 'refused', reason: 'constraint' }, { key: 2 }])
    expect(db.prepare('SELECT count(*) FROM orders').pluck().get()).toBe(1)
    expect((await store.jobs({}, { limit: 9 })).items).toHaveLength(2)
  })

  it('keeps to idempotency keys and backlog limits', async () => {
    const { db, store, now, inTransaction } = await caller()
    await declareTypes(
      store,
      [{ type: 't', timeoutMs: 1, concurrency: 1, retries: 1, backlogLimit: 1, onExhausted: 'incident' }],
      now,
    )
    const keyed = job(now, { idempotencyKey: 'k' })
    expect(inTransaction(() => enqueueIn(db, [keyed, keyed, job(now)], now))).toEqual([
      { status: 'created', key: 1 },
      { status: 'duplicate', key: 1 },
      { status: 'refused', reason: 'backlog_full', limit: 1, depth: 1 },
    ])
  })

  it('refuses a database without a store, and one of another version', async () => {
    const without = await caller({ store: false })
    expect(
      refusal(() => without.inTransaction(() => enqueueIn(without.db, [job(without.now)], without.now))),
    ).toMatchObject({
      code: 'store_missing',
    })
    const { db, store, now, inTransaction } = await caller()
    dbOf(store).prepare("INSERT INTO wf_migrations VALUES (999, 'later', 0)").run()
    expect(refusal(() => inTransaction(() => enqueueIn(db, [job(now)], now)))).toMatchObject({
      code: 'schema_newer',
    })
    dbOf(store).prepare('DELETE FROM wf_migrations').run()
    dbOf(store).prepare("INSERT INTO wf_migrations VALUES (0, 'earlier', 0)").run()
    expect(refusal(() => inTransaction(() => enqueueIn(db, [job(now)], now))).code).toMatch(
      /schema_older|store_missing/,
    )
  })
})
