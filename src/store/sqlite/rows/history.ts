/** wf_history: transitions that are not attempts. */
import type { NewHistoryRow } from '../../event.ts'
import type { HistoryRow } from '../../views.ts'
import type { Connection } from '../file/connection.ts'

export interface HistoryTable {
  add(row: NewHistoryRow): void
  ofJob(jobKey: number): readonly HistoryRow[]
  /** Newest first, without events of breakers: an outage may write hundreds. */
  ofNoJob(limit: number): readonly HistoryRow[]
  /** Newest first; none from before `since` (default: 0). */
  ofBreaker(name: string, limit: number, since?: number): readonly HistoryRow[]
}

export function historyTable(db: Connection): HistoryTable {
  const add = db.prepare(
    'INSERT INTO wf_history (job_key, at, event, who, reason, detail) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const columns = 'id, job_key AS jobKey, at, event, who, reason, detail'
  const ofJob = db.prepare<[number], HistoryRow>(
    `SELECT ${columns} FROM wf_history WHERE job_key = ? ORDER BY id`,
  )
  const ofNoJob = db.prepare<[number], HistoryRow>(
    `SELECT ${columns} FROM wf_history WHERE job_key IS NULL AND event NOT GLOB 'breaker_*' ORDER BY id DESC LIMIT ?`,
  )
  const ofBreaker = db.prepare<
    [number, string, number],
    HistoryRow
  >(`SELECT ${columns} FROM wf_history WHERE job_key IS NULL AND event GLOB 'breaker_*'
    AND at >= ? AND json_extract(detail, '$.breaker') = ? ORDER BY id DESC LIMIT ?`)
  return {
    add({ jobKey, at, event, who, reason, detail }) {
      add.run(jobKey, at, event, who, reason, detail === null ? null : JSON.stringify(detail))
    },
    ofJob: (jobKey) => ofJob.all(jobKey),
    ofNoJob: (limit) => ofNoJob.all(limit),
    ofBreaker: (name, limit, since = 0) => ofBreaker.all(since, name, limit),
  }
}
