/** wf_types: what workers declare of a type, its pause, the ramp after it, and its streak of bad outcomes. */
import type { ChangedRows } from '../../changes.ts'
import type { TypeFact } from '../../facts.ts'
import type { PausedType, TypeDeclaration } from '../../views.ts'
import type { Connection } from '../file/connection.ts'

export interface TypeRow extends TypeFact {
  type: string
  timeoutMs: number | null
  concurrency: number | null
  retries: number | null
  backlogLimit: number | null
  onExhausted: 'incident' | 'dead-letter' | null
  /** JSON text of a list of names. */
  breakers: string | null
}

/** The columns that a claim asks for. A timed pause may be over. */
export type PauseRow = readonly [
  pausedAt: number | null,
  pausedUntil: number | null,
  resumedAt: number | null,
  resumedStarts: number,
]

export interface TypesTable {
  all(): readonly TypeRow[]
  get(type: string): TypeRow | null
  pause(type: string): PauseRow | null
  pausedTypes(now: number): readonly PausedType[]
  /** Unfinished jobs against the declared limit; null while one more fits. Costs up to `limit` index entries. */
  backlogFull(type: string): { limit: number; depth: number } | null
  declare(type: TypeDeclaration & { at: number }): void
  /** Creates the row if there is none. */
  setPause(row: ChangedRows['pauses']): void
  startRamp(row: ChangedRows['ramps']): void
  addRampStarts(row: ChangedRows['rampStarts']): void
  setBadStreak(row: ChangedRows['badStreaks']): void
  /** Writes nothing if there is no streak. */
  endBadStreak(type: string): void
}

const columns = `type, timeout_ms AS timeoutMs, concurrency, retries, backlog_limit AS backlogLimit, on_exhausted AS onExhausted, breakers,
  paused_at AS pausedAt, paused_until AS pausedUntil, paused_by AS pausedBy, pause_reason AS pauseReason, bad_streak AS badStreak,
  resumed_at AS resumedAt, resumed_starts AS resumedStarts`

export function typesTable(db: Connection): TypesTable {
  const all = db.prepare<[], TypeRow>(`SELECT ${columns} FROM wf_types ORDER BY type`)
  const one = db.prepare<[string], TypeRow>(`SELECT ${columns} FROM wf_types WHERE type = ?`)
  const pause = db
    .prepare<[string], PauseRow>(
      'SELECT paused_at, paused_until, resumed_at, resumed_starts FROM wf_types WHERE type = ?',
    )
    .raw()
  const paused = db.prepare<
    [number],
    PausedType
  >(`SELECT type, paused_at AS since, paused_until AS untilAt, coalesce(paused_by, '?') AS "by",
    pause_reason AS reason FROM wf_types WHERE paused_at IS NOT NULL AND (paused_until IS NULL OR paused_until > ?) ORDER BY type`)
  return {
    all: () => all.all(),
    get: (type) => one.get(type) ?? null,
    pause: (type) => pause.get(type) ?? null,
    pausedTypes: (now) => paused.all(now),
    backlogFull: backlog(db),
    ...typeWrites(db),
  }
}

type Writes = Pick<
  TypesTable,
  'declare' | 'setPause' | 'startRamp' | 'addRampStarts' | 'setBadStreak' | 'endBadStreak'
>

function typeWrites(db: Connection): Writes {
  const declare =
    db.prepare(`INSERT INTO wf_types (type, timeout_ms, concurrency, retries, backlog_limit, on_exhausted, breakers, declared_at)
    VALUES (@type, @timeoutMs, @concurrency, @retries, @backlogLimit, @onExhausted, @names, @at)
    ON CONFLICT (type) DO UPDATE SET timeout_ms = excluded.timeout_ms, concurrency = excluded.concurrency, retries = excluded.retries,
    backlog_limit = excluded.backlog_limit, on_exhausted = excluded.on_exhausted, breakers = excluded.breakers, declared_at = excluded.declared_at`)
  const setPause =
    db.prepare(`INSERT INTO wf_types (type, paused_at, paused_until, paused_by, pause_reason, bad_streak)
    VALUES (@type, @pausedAt, @pausedUntil, @pausedBy, @pauseReason, @badStreak)
    ON CONFLICT (type) DO UPDATE SET paused_at = excluded.paused_at, paused_until = excluded.paused_until,
    paused_by = excluded.paused_by, pause_reason = excluded.pause_reason, bad_streak = excluded.bad_streak`)
  const startRamp = db.prepare(
    'UPDATE wf_types SET resumed_at = @at, resumed_starts = @started WHERE type = @type',
  )
  const addStarts = db.prepare(
    'UPDATE wf_types SET resumed_starts = resumed_starts + @count WHERE type = @type',
  )
  const setStreak = db.prepare(`INSERT INTO wf_types (type, bad_streak) VALUES (@type, @badStreak)
    ON CONFLICT (type) DO UPDATE SET bad_streak = excluded.bad_streak`)
  const endStreak = db.prepare('UPDATE wf_types SET bad_streak = 0 WHERE type = ? AND bad_streak <> 0')
  return {
    declare({ breakers, ...type }) {
      declare.run({ ...type, names: breakers === undefined ? null : JSON.stringify(breakers) })
    },
    setPause: (row) => void setPause.run(row),
    startRamp: (row) => void startRamp.run(row),
    addRampStarts: (row) => void addStarts.run(row),
    setBadStreak: (row) => void setStreak.run(row),
    endBadStreak: (type) => void endStreak.run(type),
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
