import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client.ts'
import { newJob } from '../../src/domain/new-job.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { testEngine } from '../support/test-engine.ts'

/** A store, a client on it, and a program's own connection with a table of its own. */
async function setUp() {
  const t = await testEngine({ file: true })
  const client = createClient({ store: t.store, clock: t.clock, who: 'test' })
  const db = new Database(t.location)
  onTestFinished(() => void db.close())
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE orders (id TEXT PRIMARY KEY) STRICT')
  const orders = () => db.prepare('SELECT count(*) FROM orders').pluck().get()
  const jobs = async () => (await t.store.jobs({}, { limit: 100 })).items.length
  return { t, client, db, orders, jobs }
}

describe("enqueueing in a caller's transaction", () => {
  // A34
  it('the job is there with the rows of the transaction', async () => {
    const { t, client, db, orders, jobs } = await setUp()
    const place = db.transaction((id: string) => {
      db.prepare('INSERT INTO orders VALUES (?)').run(id)
      return client.enqueueIn(db, 'charge', { id }, { priority: 3 })
    })
    expect(place.immediate('o-1')).toEqual({ key: 1, type: 'charge', duplicate: false })
    expect([orders(), await jobs()]).toEqual([1, 1])
    expect(await t.detail(1)).toMatchObject({
      variables: '{"id":"o-1"}',
      job: { state: 'available', priority: 3 },
    })
    expect((await t.claim({ type: 'charge' })).map(({ key }) => key)).toEqual([1])
  })

  // A34
  it('a transaction that rolls back leaves no job, and no idempotency key', async () => {
    const { client, db, orders, jobs } = await setUp()
    const place = db.transaction(() => {
      db.prepare('INSERT INTO orders VALUES (?)').run('o-1')
      client.enqueueIn(db, 'charge', {}, { idempotencyKey: 'k' })
      throw new Error('out of stock')
    })
    expect(() => place.immediate()).toThrow('out of stock')
    expect([orders(), await jobs()]).toEqual([0, 0])
    expect(await client.enqueue('charge', { other: true }, { idempotencyKey: 'k' })).toMatchObject({
      duplicate: false,
    })
  })

  // A34
  it('a connection that does not wait for the disk is refused, and told how', async () => {
    const { client, db, jobs } = await setUp()
    for (const mode of ['OFF', 'NORMAL']) {
      db.pragma(`synchronous = ${mode}`)
      const place = db.transaction(() => client.enqueueIn(db, 'charge'))
      expect(() => place.immediate()).toThrow(
        expect.objectContaining({ code: 'refused', hint: expect.stringContaining('synchronous = FULL') }),
      )
    }
    expect(await jobs()).toBe(0)
    db.pragma('synchronous = EXTRA')
    db.transaction(() => client.enqueueIn(db, 'charge')).immediate()
    expect(await jobs()).toBe(1)
  })

  it('is refused outside a transaction, and on another file', async () => {
    const { client, db } = await setUp()
    expect(() => client.enqueueIn(db, 'charge')).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining('transaction') }),
    )
    const other = new Database(join(temporaryDirectory(), 'other.db'))
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    expect(() => client.enqueueIn(other, 'charge')).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining('not to the store') }),
    )
  })

  // A32
  it('keeps idempotency keys, and refuses bad jobs without breaking the transaction', async () => {
    const { client, db, orders, jobs } = await setUp()
    const first = await client.enqueue('charge', { a: 1 }, { idempotencyKey: 'k' })
    db.transaction(() => {
      db.prepare('INSERT INTO orders VALUES (?)').run('o-1')
      expect(client.enqueueIn(db, 'charge', { a: 1 }, { idempotencyKey: 'k' })).toEqual({
        key: first.key,
        type: 'charge',
        duplicate: true,
      })
      const conflict = () => client.enqueueIn(db, 'charge', { a: 2 }, { idempotencyKey: 'k' })
      expect(conflict).toThrow(
        expect.objectContaining({
          code: 'idempotency_conflict',
          message: expect.stringContaining(`job ${first.key}`),
        }),
      )
      expect(() => client.enqueueIn(db, '')).toThrow(expect.objectContaining({ code: 'invalid_job' }))
    }).immediate()
    expect([orders(), await jobs()]).toEqual([1, 1])
  })

  // A34
  it('of a commit for many, only the bad row is refused', async () => {
    const { t, client, jobs } = await setUp()
    const broken = { ...newJob({ type: 'charge' }, t.clock.now()), variables: '{ not json' }
    const [good, [refused], alsoGood] = await Promise.all([
      client.enqueue('charge'),
      t.store.enqueue([broken], t.clock.now()),
      client.enqueue('charge'),
    ])
    expect(refused).toMatchObject({ status: 'refused', reason: 'constraint' })
    expect([good.duplicate, alsoGood.duplicate, await jobs()]).toEqual([false, false, 2])
  })

  // B076
  it('holds to the limit of the client, as enqueue and enqueueMany do', async () => {
    const { t, db, jobs } = await setUp()
    const sizes = { variablesBytes: 2_000, resultBytes: 2_000 }
    const client = createClient({ store: t.store, clock: t.clock, who: 'test', sizes })
    const fits = { a: 'x'.repeat(2_000 - '{"a":""}'.length) }
    const over = { a: `${fits.a}x` }
    const refusal = {
      code: 'invalid_job',
      message: expect.stringContaining(
        'has 2,001 bytes of JSON, and limits.variables (WF_MAX_VARIABLES) allows',
      ),
    }
    const inside = (variables: object) =>
      db.transaction(() => client.enqueueIn(db, 'charge', variables)).immediate()
    expect(() => inside(over)).toThrow(expect.objectContaining(refusal))
    await expect(client.enqueue('charge', over)).rejects.toMatchObject(refusal)
    expect(await client.enqueueMany([{ type: 'charge', variables: over }])).toMatchObject([
      { status: 'refused', error: refusal },
    ])
    expect(await jobs()).toBe(0)
    inside(fits)
    await client.enqueue('charge', fits)
    expect(await jobs()).toBe(2)
  })
})
