/** Feed of rows with growing ids: jobs, incidents, history and operations. */
import type { FeedEvent, FeedEventKind, FeedPosition } from '../../../domain/feed-event.ts'
import type { Connection } from '../file/connection.ts'

export interface RowsById {
  events: readonly FeedEvent[]
  last: number
}

export interface IdSource {
  kind: FeedEventKind
  table: 'wf_jobs' | 'wf_incidents' | 'wf_history'
  id: 'key' | 'id'
  at: 'created_at' | 'at'
  /** An expression. */
  type: string
  /** The other columns of a FeedEvent. */
  columns: string
}

/** Up to `limit` rows one by one; more as sums by type. */
export function rowsById(
  db: Connection,
  { kind, table, id, at, type, columns }: IdSource,
): (mark: number, limit: number) => RowsById {
  const rows = db.prepare<[number, number], Omit<FeedEvent, 'kind' | 'count'> & { id: number }>(
    `SELECT ${id} AS id, ${at} AS at, ${type} AS type, ${columns} FROM ${table} NOT INDEXED WHERE ${id} > ? ORDER BY ${id} LIMIT ?`,
  )
  const last = db.prepare<[], number | null>(`SELECT max(${id}) FROM ${table} NOT INDEXED`).pluck()
  const sums = db.prepare<[number, number], Pick<FeedEvent, 'at' | 'type' | 'count'>>(
    `SELECT max(${at}) AS at, ${type} AS type, count(*) AS count FROM ${table} NOT INDEXED WHERE ${id} > ? AND ${id} <= ? GROUP BY 2`,
  )
  return (mark, limit) => {
    const found = rows.all(mark, limit + 1)
    const end = found.at(-1)?.id ?? mark
    if (found.length <= limit)
      return { events: found.map(({ id: _, ...row }) => ({ ...row, kind, count: 1 })), last: end }
    const newest = Math.max(end, last.get() ?? end)
    const rest = { kind, jobKey: null, what: null, detail: null, who: null }
    return { events: sums.all(mark, newest).map((sum) => ({ ...rest, ...sum })), last: newest }
  }
}

interface OperationRow {
  id: number
  at: number
  verb: string
  who: string
  selector: string
  finishedAt: number | null
  changed: number
}

/** Operations are reported when they have ended, with their counts; unfinished ones are read again. */
export function endedOperations(db: Connection) {
  const columns = 'id, at, verb, who, selector, finished_at AS finishedAt, changed'
  const fresh = db.prepare<[number, number], OperationRow>(
    `SELECT ${columns} FROM wf_operations WHERE id > ? ORDER BY id LIMIT ?`,
  )
  const one = db.prepare<[number], OperationRow>(`SELECT ${columns} FROM wf_operations WHERE id = ?`)
  const before = db
    .prepare<[number], number | null>(
      'SELECT max(id) FROM wf_operations INDEXED BY wf_operations_at WHERE at < ?',
    )
    .pluck()
  const told = ({ id, verb, who, selector, finishedAt, at, changed }: OperationRow): FeedEvent => ({
    ...{ at: finishedAt ?? at, kind: 'operation', type: null, jobKey: null, count: 1, what: verb, who },
    detail: `operation ${id}, ${changed} changed: ${selector}`,
  })
  return {
    before: (since: number) => before.get(since) ?? 0,
    since(
      { operation, open }: Pick<FeedPosition, 'operation' | 'open'>,
      limit: number,
    ): RowsById & { open: readonly number[]; more: boolean } {
      const begun = fresh.all(operation, limit)
      const rows = [...open.flatMap((id) => one.get(id) ?? []), ...begun]
      const working = rows.filter(({ finishedAt }) => finishedAt === null)
      const events = rows.filter(({ finishedAt }) => finishedAt !== null).map(told)
      return {
        events,
        last: Math.max(operation, ...rows.map(({ id }) => id)),
        open: working.slice(-mostOpen).map(({ id }) => id),
        more: begun.length === limit,
      }
    },
  }
}

/** Operations whose process died never end. */
const mostOpen = 100
