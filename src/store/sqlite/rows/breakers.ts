/** wf_breakers and wf_breaker_permits: one row for each breaker that was ever opened, with the probes under way. */
import type { BreakerCounts, BreakerPermit } from '../../../domain/breaker.ts'
import type { NamedBreaker } from '../../../domain/breaker-row.ts'
import type { Connection } from '../file/connection.ts'

export interface BreakersTable {
  all(): readonly NamedBreaker[]
  get(name: string): NamedBreaker | null
  /** Replaces the row and its permits. */
  put(row: NamedBreaker): void
}

type Row = BreakerCounts &
  Omit<NamedBreaker, 'counts' | 'probes' | 'terms'> & {
    openForMs: number
    probes: number /** JSON text. */
    permits: string
  }

/** JSON text of the permits, so that a row and its permits are read in one statement. */
const permitsColumn = `(SELECT json_group_array(json_object('permit', permit, 'holder', holder, 'expiresAt', expires_at))
  FROM (SELECT permit, holder, expires_at FROM wf_breaker_permits WHERE breaker = b.name ORDER BY permit)) AS permits`

const columns = `b.name, b.mode, b.generation, b.requests, b.successes, b.failures, b.exclusions, b.consecutive_successes AS consecutiveSuccesses,
  b.consecutive_failures AS consecutiveFailures, b.cause AS by, b.changed_at AS changedAt, b.expires_at AS expiresAt,
  b.open_for_ms AS openForMs, b.probes, b.who, b.reason, ${permitsColumn}`

export function breakersTable(db: Connection): BreakersTable {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM wf_breakers b ORDER BY b.name`)
  const one = db.prepare<[string], Row>(`SELECT ${columns} FROM wf_breakers b WHERE b.name = ?`)
  const put =
    db.prepare(`INSERT OR REPLACE INTO wf_breakers (name, mode, generation, requests, successes, failures, exclusions,
    consecutive_successes, consecutive_failures, cause, changed_at, expires_at, open_for_ms, probes, who, reason)
    VALUES (@name, @mode, @generation, @requests, @successes, @failures, @exclusions, @consecutiveSuccesses,
    @consecutiveFailures, @by, @changedAt, @expiresAt, @openForMs, @probes, @who, @reason)`)
  const removePermits = db.prepare('DELETE FROM wf_breaker_permits WHERE breaker = ?')
  const addPermit = db.prepare(
    'INSERT INTO wf_breaker_permits (breaker, permit, holder, expires_at) VALUES (?, ?, ?, ?)',
  )
  return {
    all: () => all.all().map(breakerFrom),
    get(name) {
      const row = one.get(name)
      return row === undefined ? null : breakerFrom(row)
    },
    put({ counts, terms, probes, ...row }) {
      put.run({ ...row, ...counts, openForMs: terms.openForMs, probes: terms.probes })
      removePermits.run(row.name)
      for (const { permit, holder, expiresAt } of probes) addPermit.run(row.name, permit, holder, expiresAt)
    },
  }
}

function breakerFrom({ openForMs, probes, permits, ...row }: Row): NamedBreaker {
  const { name, mode, generation, by, changedAt, expiresAt, who, reason, ...counts } = row
  const living = JSON.parse(permits) as readonly BreakerPermit[]
  const terms = { openForMs, probes }
  return { name, mode, generation, counts, by, changedAt, expiresAt, probes: living, terms, who, reason }
}
