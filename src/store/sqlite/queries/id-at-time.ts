/** Rows whose ids grow with time, by time: found by halving, so that no index over the instants is needed. */
import type { Connection } from '../file/connection.ts'

export interface Dated {
  table: 'wf_jobs' | 'wf_incidents' | 'wf_history'
  id: 'key' | 'id'
  at: 'created_at' | 'at'
}

/** Of the first row that is no older; one more than the last when there is none. Clocks that were set back make it a little inexact. */
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
