/** A program goes on with a store whose file somebody took away: what it hands in is not accepted, and it hears of it. */
import { renameSync, unlinkSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, PartlyEnqueuedError } from '../../src/client.ts'
import { testEngine } from '../support/test-engine.ts'

async function setUp() {
  const t = await testEngine({ file: true })
  const client = createClient({ store: t.store, clock: t.clock, who: 'test' })
  onTestFinished(() => client.close())
  return { t, client }
}

function backup(location: string): string {
  const db = new Database(location)
  db.exec(`VACUUM INTO '${location}.backup'`)
  db.close()
  return `${location}.backup`
}

function callersConnection(location: string) {
  const db = new Database(location)
  db.pragma('synchronous = FULL')
  onTestFinished(() => void db.close())
  return db
}

describe('a client whose store', () => {
  it.each([
    ['was deleted', 'store_missing', (location: string) => unlinkSync(location)],
    ['was replaced', 'store_replaced', (location: string) => renameSync(backup(location), location)],
  ] as const)('%s enqueues nothing, changes nothing, and waits for nothing', async (_, code, change) => {
    const { t, client } = await setUp()
    const job = await client.enqueue('mail')
    const waited = job.wait({ timeout: '1m' }).catch((error: unknown) => error)
    const connection = callersConnection(t.location)
    await t.clock.advance(2_000)
    change(t.location)
    for (const each of [
      client.enqueue('mail'),
      client.enqueueMany([{ type: 'mail' }]),
      client.cancel(job.key),
    ])
      await expect(each).rejects.toMatchObject({ code })
    const place = connection.transaction(() => client.enqueueIn(connection, 'mail'))
    expect(() => place.immediate()).toThrow(expect.objectContaining({ code }))
    await t.clock.advance(3_000)
    expect(await waited).toMatchObject({ code })
    await expect(client.jobs.jobs({}, { limit: 1 })).rejects.toMatchObject({ code })
  })

  it('goes away between two transactions of many keeps the answers to the first', async () => {
    const { t, client } = await setUp()
    const enqueue = t.store.enqueue
    t.store.enqueue = async (jobs, now) => {
      const answer = await enqueue(jobs, now)
      unlinkSync(t.location)
      return answer
    }
    const error: unknown = await client
      .enqueueMany(Array.from({ length: 1_500 }, () => ({ type: 'mail' })))
      .catch((thrown: unknown) => thrown)
    if (!(error instanceof PartlyEnqueuedError)) throw error
    expect(error.results).toHaveLength(1_000)
    expect(error.cause).toMatchObject({ code: 'store_missing' })
  })

  it('was replaced and opened anew takes nothing through a connection that still has the old file', async () => {
    const { t, client } = await setUp()
    const connection = callersConnection(t.location)
    const place = (through: typeof client) =>
      connection.transaction(() => through.enqueueIn(connection, 'mail')).immediate()
    expect(place(client)).toMatchObject({ key: 1 })
    renameSync(backup(t.location), t.location)
    const anew = await testEngine({ location: t.location })
    const client2 = createClient({ store: anew.store, clock: anew.clock, who: 'test' })
    expect(() => place(client2)).toThrow(expect.objectContaining({ code: 'store_replaced' }))
    const connection2 = callersConnection(t.location)
    expect(connection2.transaction(() => client2.enqueueIn(connection2, 'mail')).immediate()).toMatchObject({
      key: 2,
    })
  })
})
