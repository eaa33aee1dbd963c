/** Finds rows by time in tables whose ids grow with time: a binary search, so that no index over the instants is needed. */
import type { Connection } from '../file/connection.ts'

export interface Dated {
  table: 'wf_jobs' | 'wf_incidents' | 'wf_history'
  id: 'key' | 'id'
  at: 'created_at' | 'at'
}

/** Returns the id of the first row at or after an instant; the last id + 1 if there is none. Inexact if a clock was set back. */
export function timeSeek(db: Connection, { table, id, at }: Dated): (since: number) => number {
  const bounds = db.prepare<[], { first: number | null; last: number | null }>(
    `SELECT (SELECT min(${id}) FROM ${table} NOT INDEXED) AS first, (SELECT max(${id}) FROM ${table} NOT INDEXED) AS last`,
  )
  const next = db.prepare<[number], { id: number; at: number }>(
    `SELECT ${id} AS id, ${at} AS at FROM ${table} NOT INDEXED WHERE ${id} >= ? ORDER BY ${id} LIMIT 1`,
  )
  return (since) => {
    const { first, last } = bounds.get() ?? { first: null, last: null }
    if (first === null || last === null) return 1
    let [low, high] = [first, last + 1]
    while (low < high) {
      const row = next.get(Math.floor((low + high) / 2))
      if (row && row.at < since) low = row.id + 1
      else high = Math.floor((low + high) / 2)
    }
    return low
  }
}
