/** wf_history: transitions that are not attempts. */
import type { Connection } from '../file/connection.ts'
import type { HistoryRow } from '../../views.ts'

export interface HistoryTable {
  add(row: Omit<HistoryRow, 'id'>): void
  ofJob(jobKey: number): readonly HistoryRow[]
  /** Newest first, without those of breakers, which a bad day writes by the hundred. */
  ofNoJob(limit: number): readonly HistoryRow[]
  /** Newest first; none from before `since`. */
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
  const rows = (limit: number) => Math.min(Math.max(1, limit), 1_000)
  return {
    add({ jobKey, at, event, who, reason, detail }) {
      add.run(jobKey, at, event, who, reason, detail)
    },
    ofJob: (jobKey) => ofJob.all(jobKey),
    ofNoJob: (limit) => ofNoJob.all(rows(limit)),
    ofBreaker: (name, limit, since = 0) => ofBreaker.all(since, name, rows(limit)),
  }
}
