/** Detects that another process has upgraded the schema; this one must then stop writing. */
import type { Connection } from './connection.ts'
import { refuseNewer, schemaVersion, versionOf } from './migrate.ts'

/**
 * Called inside each write transaction; throws WfError `schema_newer` after an upgrade. SQLite increases a number
 * in the file's header with each change of a schema, so the check costs 0.1 µs.
 */
export function schemaGuard(db: Connection, location: string): () => void {
  const changes = db.prepare<[], number>('PRAGMA schema_version').pluck()
  let found = schemaVersion
  let foundAt: number | undefined
  return () => {
    const change = changes.get()
    if (change !== foundAt) {
      found = versionOf(db)
      foundAt = change
    }
    refuseNewer(found, schemaVersion, location)
  }
}
