/** Notices that another process has upgraded the schema under a running one, which must then write no more. */
import type { Connection } from './connection.ts'
import { refuseNewer, schemaVersion, versionOf } from './migrate.ts'

/**
 * Called inside each write transaction; throws a WfError `schema_newer` from the upgrade on. The number that SQLite raises
 * at every change of a schema lies in the file's header, so to look at it each time costs a tenth of a microsecond.
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
