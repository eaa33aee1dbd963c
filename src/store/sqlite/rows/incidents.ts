/** wf_incidents: stops that wait for a person. A unique index holds a job to one open one. */
import type { Incident } from '../../../domain/incident.ts'
import type { NewIncident } from '../../../domain/outcome.ts'
import { errorFrom } from './attempts.ts'
import type { Connection } from '../file/connection.ts'

export interface Closing {
  who: string
  /** The verb. */
  resolution: string
  reason: string | null
}

export interface IncidentsTable {
  open(job: { key: number; type: string; attempt: number }, incident: NewIncident, now: number): void
  close(jobKey: number, closing: Closing, now: number): void
  ofJob(jobKey: number): readonly Incident[]
}

export type IncidentRow = Omit<Incident, 'error'> & { error: string }

/** The table is `i`. */
export const incidentColumns = `i.id, i.job_key AS jobKey, i.type, i.kind, i.error, i.fingerprint, i.attempt, i.created_at AS createdAt,
  i.resolved_at AS resolvedAt, i.resolved_by AS resolvedBy, i.resolution, i.reason`

export function incidentFrom(row: IncidentRow): Incident {
  return { ...row, error: errorFrom(row.error) }
}

export function incidentsTable(db: Connection): IncidentsTable {
  const open = db.prepare(
    'INSERT INTO wf_incidents (job_key, type, kind, error, fingerprint, attempt, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const close = db.prepare(
    'UPDATE wf_incidents SET resolved_at = ?, resolved_by = ?, resolution = ?, reason = ? WHERE job_key = ? AND resolved_at IS NULL',
  )
  const ofJob = db.prepare<[number], IncidentRow>(
    `SELECT ${incidentColumns} FROM wf_incidents i WHERE i.job_key = ? ORDER BY i.id`,
  )
  return {
    open(job, incident, now) {
      open.run(
        job.key,
        job.type,
        incident.kind,
        JSON.stringify(incident.error),
        incident.fingerprint,
        job.attempt,
        now,
      )
    },
    close(jobKey, { who, resolution, reason }, now) {
      close.run(now, who, resolution, reason, jobKey)
    },
    ofJob: (jobKey) => ofJob.all(jobKey).map(incidentFrom),
  }
}
