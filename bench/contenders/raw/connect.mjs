// wf's own tables, indexes and CHECKs, driven by better-sqlite3 directly: what the machine and SQLite allow.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

const migrations = join(import.meta.dirname, '../../../dist/store/sqlite/migrations')

export async function openRaw({ address, durability }) {
  const db = new Database(address)
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${durability}`)
  db.pragma('busy_timeout = 5000')
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'wf_jobs'").get()) await createSchema(db)
  return db
}

async function createSchema(db) {
  const files = readdirSync(migrations).filter((file) => /^\d+-.*\.js$/.test(file))
  for (const file of files.sort()) {
    for (const { up } of Object.values(await import(join(migrations, file)))) up?.(db)
  }
}
