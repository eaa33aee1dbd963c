/** Feed of rows without growing ids: failed attempts and dead letters. */
import type { DatedMark, FeedEvent, FeedEventKind } from '../../../domain/feed-event.ts'
import type { Connection } from '../file/connection.ts'

export interface DatedRows {
  events: readonly FeedEvent[]
  mark: DatedMark
  more: boolean
}

/** How long after its own instant a row may be committed and still be reported. */
const lateMs = 5_000
/** Rows that are read at once. */
const mostRows = 5_000

type Row = Omit<FeedEvent, 'kind' | 'count'> & { name: string }
type Rows = (from: number, limit: number) => readonly Row[]

export type DatedReader = (mark: DatedMark, limit: number, now: number) => DatedRows

export function failedAttempts(db: Connection): DatedReader {
  const rows = db.prepare<
    [number, number],
    Row
  >(`SELECT a.finished_at AS at, (SELECT j.type FROM wf_jobs j WHERE j.key = a.job_key) AS type,
    a.job_key AS jobKey, a.outcome AS what, ${errorWords} AS detail, a.worker_id AS who, a.job_key || '.' || a.attempt || '.' || a.outcome AS name
    FROM wf_attempts a INDEXED BY wf_attempts_finished WHERE a.finished_at > ? ORDER BY a.finished_at LIMIT ?`)
  return reader('attempt', (from, limit) => rows.all(from, limit))
}

const errorWords =
  "CASE WHEN json_valid(a.error) THEN coalesce(json_extract(a.error, '$.code') || ': ', '') || json_extract(a.error, '$.message') END"

export function newDeadLetters(db: Connection): DatedReader {
  const rows = db.prepare<
    [number, number],
    Row
  >(`SELECT p.received_at AS at, p.job_type AS type, p.job_key AS jobKey, p.reason AS what,
    coalesce(p.error_code || ': ', '') || p.error_message AS detail, NULL AS who, p.job_key || '.' || p.received_at AS name
    FROM wf_poison_jobs p INDEXED BY wf_poison_jobs_received WHERE p.received_at > ? ORDER BY p.received_at LIMIT ?`)
  return reader('dead_letter', (from, limit) => rows.all(from, limit))
}

function reader(kind: FeedEventKind, rows: Rows): DatedReader {
  return ({ from, seen }, limit, now) => {
    const read = rows(from, mostRows)
    const told = new Set(seen)
    const fresh = read.filter(({ name }) => !told.has(name))
    const events =
      fresh.length <= limit
        ? fresh.map(({ name: _, ...row }): FeedEvent => ({ ...row, kind, count: 1 }))
        : summed(kind, fresh)
    // A row with a time in the future, from a wrong clock, must not hide later rows.
    const newest = Math.min(read.at(-1)?.at ?? 0, now)
    // A full batch isn't read again.
    const next = Math.max(from, read.length < mostRows ? newest - lateMs : newest - 1)
    return {
      events,
      mark: { from: next, seen: read.flatMap(({ at, name }) => (at > next ? [name] : [])) },
      more: read.length === mostRows,
    }
  }
}

function summed(kind: FeedEventKind, rows: readonly Row[]): readonly FeedEvent[] {
  const sums = new Map<string, FeedEvent>()
  for (const { at, type, what } of rows) {
    const name = JSON.stringify([type, what])
    const known = sums.get(name)
    const sum = { kind, type, what, jobKey: null, detail: null, who: null }
    sums.set(name, { ...sum, at: Math.max(at, known?.at ?? 0), count: (known?.count ?? 0) + 1 })
  }
  return [...sums.values()]
}
