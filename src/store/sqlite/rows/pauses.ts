/**
 * The pauses of wf_types. One with an end is over at that instant, whoever looks: nothing has to be written for it, and
 * the next change or claim only tidies up. After each pause the type's jobs are let go on a ramp, over all workers.
 */
import { rampRoom } from '../../../domain/ramp.ts'
import type { Connection } from '../file/connection.ts'
import { historyTable } from './history.ts'
import type { PausedType } from '../../views.ts'

export interface Pause {
  who: string
  reason: string | null
  /** Epoch ms at which it ends by itself. */
  untilAt: number | null
}

export interface Pauses {
  paused(type: string, now: number): boolean
  pausedTypes(now: number): readonly PausedType[]
  /** Epoch ms at which the pause ends by itself; null where there is none, or it has no end. */
  pauseEnds(type: string): number | null
  /** How many jobs may start now: none while it is paused, on a ramp after it, Infinity otherwise. */
  room(type: string, now: number): number
  /** Jobs started, where there was not room for any number. */
  started(type: string, count: number, now: number): void
  /** The later word counts. False where it is paused just so already. Kept in the history. */
  pause(type: string, pause: Pause, now: number): boolean
  resume(type: string, by: Omit<Pause, 'untilAt'>, now: number): boolean
}

type Row = readonly [
  pausedAt: number | null,
  pausedUntil: number | null,
  resumedAt: number | null,
  resumedStarts: number,
]

const isOver = (until: number | null, now: number) => until !== null && until <= now

export function pausesTable(db: Connection): Pauses {
  const one = db
    .prepare<[string], Row>(
      'SELECT paused_at, paused_until, resumed_at, resumed_starts FROM wf_types WHERE type = ?',
    )
    .raw()
  const all = db.prepare<
    [number],
    PausedType
  >(`SELECT type, paused_at AS since, paused_until AS untilAt, coalesce(paused_by, '?') AS "by",
    pause_reason AS reason FROM wf_types WHERE paused_at IS NOT NULL AND (paused_until IS NULL OR paused_until > ?) ORDER BY type`)
  const start = db.prepare('UPDATE wf_types SET resumed_starts = resumed_starts + ? WHERE type = ?')
  // Most who look at pauses change none.
  let made: ReturnType<typeof pauseChanges> | null = null
  const change = () => (made ??= pauseChanges(db))

  function paused(type: string, now: number): boolean {
    const row = one.get(type)
    return row !== undefined && row[0] !== null && !isOver(row[1], now)
  }

  function endedBefore(type: string, now: number): void {
    const row = one.get(type)
    if (row && row[0] !== null && row[1] !== null && isOver(row[1], now))
      change().end(type, { who: 'wf', reason: 'its time was over' }, row[1])
  }

  return {
    paused,
    pausedTypes: (now) => all.all(now),
    pauseEnds(type) {
      const row = one.get(type)
      return row === undefined || row[0] === null ? null : row[1]
    },
    room(type, now) {
      const row = one.get(type)
      if (row === undefined) return Number.POSITIVE_INFINITY
      const [pausedAt, until, resumedAt, started] = row
      if (pausedAt !== null)
        return isOver(until, now) ? rampRoom({ sinceMs: now - (until ?? now), started: 0 }) : 0
      return resumedAt === null ? Number.POSITIVE_INFINITY : rampRoom({ sinceMs: now - resumedAt, started })
    },
    started(type, count, now) {
      endedBefore(type, now)
      start.run(count, type)
    },
    pause(type, pause, now) {
      endedBefore(type, now)
      const row = one.get(type)
      if (row && row[0] !== null && row[1] === pause.untilAt) return false
      change().begin(type, pause, now)
      return true
    },
    resume(type, by, now) {
      endedBefore(type, now)
      if (!paused(type, now)) return false
      change().end(type, by, now)
      return true
    },
  }
}

function pauseChanges(db: Connection) {
  const add = db.prepare('INSERT OR IGNORE INTO wf_types (type) VALUES (?)')
  const begin = db.prepare(
    'UPDATE wf_types SET paused_at = coalesce(paused_at, ?), paused_until = ?, paused_by = ?, pause_reason = ? WHERE type = ?',
  )
  const end =
    db.prepare(`UPDATE wf_types SET paused_at = NULL, paused_until = NULL, paused_by = NULL, pause_reason = NULL, bad_streak = 0,
    resumed_at = ?, resumed_starts = 0 WHERE type = ?`)
  const history = historyTable(db)
  return {
    begin(type: string, { who, reason, untilAt }: Pause, now: number): void {
      add.run(type)
      begin.run(now, untilAt, who, reason, type)
      const detail = JSON.stringify({ type, ...(untilAt === null ? {} : { untilAt }) })
      history.add({ jobKey: null, at: now, event: 'type_paused', who, reason, detail })
    },
    end(type: string, { who, reason }: Omit<Pause, 'untilAt'>, at: number): void {
      end.run(at, type)
      history.add({ jobKey: null, at, event: 'type_resumed', who, reason, detail: JSON.stringify({ type }) })
    },
  }
}
