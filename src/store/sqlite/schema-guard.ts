/** Notices that another process has upgraded the schema under a running one, which must then write no more. */
import type { Clock } from '../../clock.ts'
import type { Connection } from './connection.ts'
import { refuseNewer, schemaVersion } from './migrate.ts'

const lookEveryMs = 1_000

/** Looks at most once a second; throws a WfError `schema_newer` from then on. Called inside a write transaction. */
export function schemaGuard(db: Connection, { clock, location }: { clock: Clock; location: string }): () => void {
  const version = db.prepare<[], number>('SELECT max(version) FROM wf_migrations').pluck()
  let found = schemaVersion
  let lookedMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = clock.monotonic()
    if (nowMs - lookedMs >= lookEveryMs) {
      lookedMs = nowMs
      found = version.get() ?? 0
    }
    refuseNewer(found, schemaVersion, location)
  }
}
