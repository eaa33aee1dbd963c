// wf's own tables, indexes and CHECKs, driven by better-sqlite3 directly: what the machine and SQLite allow.
import { join } from 'node:path'
import Database from 'better-sqlite3'

const { openClient } = await import(join(import.meta.dirname, '../../../dist/index.js'))

export async function openRaw({ address, durability }) {
  // Makes the store where there is none.
  await (await openClient({ store: address })).close()
  const db = new Database(address)
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${durability}`)
  db.pragma('busy_timeout = 5000')
  return db
}
