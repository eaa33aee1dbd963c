/** Jobs whose deadline passed while they waited: found, and stopped. */
import type { Job } from '../../domain/job.ts'
import type { Stop } from '../port.ts'
import type { Connection } from './file/connection.ts'
import { incidentsTable } from './rows/incidents.ts'
import { jobColumns, jobFrom, type JobRow } from './rows/jobs.ts'

export interface Deadlines {
  overdue(now: number, limit: number): readonly Job[]
  /** False when the job has started, ended or got another deadline meanwhile. */
  stop(stop: Stop, now: number): boolean
}

export function deadlines(db: Connection): Deadlines {
  const overdue = db
    .prepare<[number, number], JobRow>(`SELECT ${jobColumns} FROM wf_jobs j INDEXED BY wf_jobs_deadline
      WHERE j.deadline_at IS NOT NULL AND j.state IN ('available', 'waiting') AND j.deadline_at < ? ORDER BY j.deadline_at LIMIT ?`)
    .raw()
  const stop = db.prepare<
    [number, number],
    { type: string; attempt: number }
  >(`UPDATE wf_jobs SET state = 'failed', wait_reason = NULL
      WHERE key = ? AND state IN ('available', 'waiting') AND deadline_at < ? RETURNING type, attempt`)
  const incidents = incidentsTable(db)
  return {
    overdue: (now, limit) => overdue.all(now, limit).map(jobFrom),
    stop({ jobKey, incident }, now) {
      const job = stop.get(jobKey, now)
      if (job === undefined) return false
      incidents.open({ key: jobKey, ...job }, incident, now)
      return true
    },
  }
}
