/** wf_breaker_permits: the probes of a half-open breaker that have not told their end. */
import type { BreakerPermit } from '../../../domain/breaker-row.ts'
import type { Connection } from '../file/connection.ts'

export interface BreakerPermitsTable {
  /** These, and no others. */
  replace(breaker: string, permits: readonly BreakerPermit[]): void
}

/** JSON text of a breaker's permits, so that a row and its permits are read in one moment. The breaker is `b`. */
export const permitsColumn = `(SELECT json_group_array(json_object('permit', permit, 'holder', holder, 'expiresAt', expires_at))
  FROM (SELECT permit, holder, expires_at FROM wf_breaker_permits WHERE breaker = b.name ORDER BY permit)) AS permits`

export function breakerPermitsTable(db: Connection): BreakerPermitsTable {
  const remove = db.prepare('DELETE FROM wf_breaker_permits WHERE breaker = ?')
  const add = db.prepare(
    'INSERT INTO wf_breaker_permits (breaker, permit, holder, expires_at) VALUES (?, ?, ?, ?)',
  )
  return {
    replace(breaker, permits) {
      remove.run(breaker)
      for (const { permit, holder, expiresAt } of permits) add.run(breaker, permit, holder, expiresAt)
    },
  }
}
