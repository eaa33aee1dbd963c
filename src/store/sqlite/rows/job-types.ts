/** wf_types: what workers declare of a type, its pause, and its row of bad outcomes. */
import type { Connection } from '../file/connection.ts'
import { pausesTable, type Pauses } from './pauses.ts'
import type { TypeDeclaration } from '../../views.ts'

export interface TypeRow {
  type: string
  timeoutMs: number | null
  concurrency: number | null
  retries: number | null
  backlogLimit: number | null
  onExhausted: 'incident' | 'dead-letter' | null
  /** JSON text of a list of names. */
  breakers: string | null
  pausedAt: number | null
  /** May be over. */
  pausedUntil: number | null
  pausedBy: string | null
  pauseReason: string | null
  badStreak: number
}

export interface TypesTable extends Pauses {
  all(): readonly TypeRow[]
  declare(type: TypeDeclaration, now: number): void
  /** Unfinished jobs against the declared limit; null while one more fits. Costs up to `limit` index entries. */
  backlogFull(type: string): { limit: number; depth: number } | null
  badStreak(type: string): number
  setBadStreak(type: string, streak: number): void
  /** Writes nothing when there is no streak. */
  endBadStreak(type: string): void
}

export function typesTable(db: Connection): TypesTable {
  const all = db.prepare<
    [],
    TypeRow
  >(`SELECT type, timeout_ms AS timeoutMs, concurrency, retries, backlog_limit AS backlogLimit, on_exhausted AS onExhausted, breakers,
    paused_at AS pausedAt, paused_until AS pausedUntil, paused_by AS pausedBy, pause_reason AS pauseReason, bad_streak AS badStreak FROM wf_types ORDER BY type`)
  const declare =
    db.prepare(`INSERT INTO wf_types (type, timeout_ms, concurrency, retries, backlog_limit, on_exhausted, breakers, declared_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (type) DO UPDATE SET timeout_ms = excluded.timeout_ms, concurrency = excluded.concurrency, retries = excluded.retries,
    backlog_limit = excluded.backlog_limit, on_exhausted = excluded.on_exhausted, breakers = excluded.breakers, declared_at = excluded.declared_at`)
  return {
    all: () => all.all(),
    declare(type, now) {
      const breakers = type.breakers === undefined ? null : JSON.stringify(type.breakers)
      declare.run(
        type.type,
        type.timeoutMs,
        type.concurrency,
        type.retries,
        type.backlogLimit,
        type.onExhausted,
        breakers,
        now,
      )
    },
    backlogFull: backlog(db),
    ...pausesTable(db),
    ...badStreak(db),
  }
}

function badStreak(db: Connection): Pick<TypesTable, 'badStreak' | 'setBadStreak' | 'endBadStreak'> {
  const add = db.prepare('INSERT OR IGNORE INTO wf_types (type) VALUES (?)')
  const streak = db.prepare<[string], number>('SELECT bad_streak FROM wf_types WHERE type = ?').pluck()
  const set = db.prepare('UPDATE wf_types SET bad_streak = ? WHERE type = ?')
  const end = db.prepare('UPDATE wf_types SET bad_streak = 0 WHERE type = ? AND bad_streak <> 0')
  return {
    badStreak: (type) => streak.get(type) ?? 0,
    setBadStreak(type, value) {
      add.run(type)
      set.run(value, type)
    },
    endBadStreak(type) {
      end.run(type)
    },
  }
}

function backlog(db: Connection): TypesTable['backlogFull'] {
  const limitOf = db
    .prepare<[string], number | null>('SELECT backlog_limit FROM wf_types WHERE type = ?')
    .pluck()
  const depthOf = backlogDepth(db)
  return (type) => {
    const limit = limitOf.get(type) ?? null
    if (limit === null) return null
    const depth = depthOf(type, limit)
    return depth >= limit ? { limit, depth } : null
  }
}

/** Counts available, waiting and running jobs of a type, up to a limit. */
function backlogDepth(db: Connection): (type: string, limit: number) => number {
  const count = db
    .prepare<[string, string, string, string, number], number>(`SELECT count(*) FROM (
      SELECT 1 FROM wf_jobs WHERE state = 'available' AND crashes < 2 AND type = ?
      UNION ALL SELECT 1 FROM wf_jobs WHERE state = 'waiting' AND type = ?
      UNION ALL SELECT 1 FROM wf_jobs WHERE state = 'running' AND type = ?
      UNION ALL SELECT 1 FROM wf_jobs WHERE state = 'available' AND crashes >= 2 AND type = ?
      LIMIT ? + 0)`)
    .pluck()
  return (type, limit) => count.get(type, type, type, type, limit) ?? 0
}
