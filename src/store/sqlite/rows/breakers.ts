/** wf_breakers: one row for each breaker that was ever opened. What a change means is said by whoever hands it in. */
import type {
  BreakerChange,
  BreakerCounts,
  BreakerPermit,
  BreakerRow,
  NamedBreaker,
} from '../../../domain/breaker-row.ts'
import { breakerPermitsTable, permitsColumn } from './breaker-permits.ts'
import type { Connection } from '../file/connection.ts'
import { historyTable } from './history.ts'

export interface BreakersTable {
  all(): readonly NamedBreaker[]
  get(name: string): NamedBreaker | null
  change(change: BreakerChange, now: number): NamedBreaker | null
}

type Row = BreakerCounts &
  Omit<NamedBreaker, 'counts' | 'probes' | 'terms'> & {
    openForMs: number
    probes: number /** JSON text. */
    permits: string
  }

const columns = `b.name, b.mode, b.generation, b.requests, b.successes, b.failures, b.exclusions, b.consecutive_successes AS consecutiveSuccesses,
  b.consecutive_failures AS consecutiveFailures, b.cause AS by, b.changed_at AS changedAt, b.expires_at AS expiresAt,
  b.open_for_ms AS openForMs, b.probes, b.who, b.reason, ${permitsColumn}`

export function breakersTable(db: Connection): BreakersTable {
  const all = db.prepare<[], Row>(`SELECT ${columns} FROM wf_breakers b ORDER BY b.name`)
  const one = db.prepare<[string], Row>(`SELECT ${columns} FROM wf_breakers b WHERE b.name = ?`)
  const put =
    db.prepare(`INSERT OR REPLACE INTO wf_breakers (name, mode, generation, requests, successes, failures, exclusions,
    consecutive_successes, consecutive_failures, cause, changed_at, expires_at, open_for_ms, probes, who, reason)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const permits = breakerPermitsTable(db)
  const history = historyTable(db)

  const get = (name: string) => {
    const row = one.get(name)
    return row === undefined ? null : breakerFrom(row)
  }

  function write(row: NamedBreaker): void {
    const { name, mode, generation, counts, by, changedAt, expiresAt, terms, who, reason } = row
    const { requests, successes, failures, exclusions, consecutiveSuccesses, consecutiveFailures } = counts
    put.run(
      ...[
        name,
        mode,
        generation,
        requests,
        successes,
        failures,
        exclusions,
        consecutiveSuccesses,
        consecutiveFailures,
      ],
      ...[by, changedAt, expiresAt, terms.openForMs, terms.probes, who, reason],
    )
    permits.replace(name, row.probes)
  }

  return {
    all: () => all.all().map(breakerFrom),
    get,
    change({ name, apply, who, reason }, now) {
      const before = get(name)
      const after = apply(before)
      if (after === null || after === before) return before
      const turned = hasTurned(before, after)
      const row: NamedBreaker = {
        ...after,
        name,
        ...(turned ? { who, reason } : { who: before?.who ?? who, reason: before?.reason ?? null }),
      }
      write(row)
      if (turned)
        history.add({
          jobKey: null,
          at: now,
          event: `breaker_${after.mode === 'open' ? 'opened' : 'closed'}`,
          who,
          reason,
          detail: detailOf(before, row),
        })
      return row
    },
  }
}

/** That probes may go is a matter of time, and nobody's deed. */
function hasTurned(before: BreakerRow | null, after: BreakerRow): boolean {
  return after.generation !== (before?.generation ?? 0) && after.mode !== 'half_open'
}

function detailOf(
  before: BreakerRow | null,
  { name, mode, generation, by, expiresAt }: NamedBreaker,
): string {
  return JSON.stringify({
    breaker: name,
    from: before?.mode ?? 'closed',
    to: mode,
    generation,
    by,
    ...(expiresAt === null ? {} : { untilAt: expiresAt }),
  })
}

function breakerFrom({ openForMs, probes, permits, ...row }: Row): NamedBreaker {
  const { name, mode, generation, by, changedAt, expiresAt, who, reason, ...counts } = row
  const living = JSON.parse(permits) as readonly BreakerPermit[]
  return {
    name,
    mode,
    generation,
    counts,
    by,
    changedAt,
    expiresAt,
    probes: living,
    terms: { openForMs, probes },
    who,
    reason,
  }
}
