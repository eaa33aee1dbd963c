/** wf_incidents: stops that wait for a person. A unique index allows a job one open incident. */
import type { Incident } from '../../../domain/incident.ts'
import type { NewIncident } from '../../../domain/outcome.ts'
import type { Closing } from '../../changes.ts'
import type { IncidentFact } from '../../facts.ts'
import type { Connection } from '../file/connection.ts'
import { errorFrom } from './attempts.ts'

export interface IncidentsTable {
  open(job: { key: number; type: string; attempt: number }, incident: NewIncident, now: number): void
  close(closing: Closing): void
  reopen(id: number): void
  /** Oldest first. */
  facts(jobKey: number): readonly IncidentFact[]
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
    'UPDATE wf_incidents SET resolved_at = @at, resolved_by = @who, resolution = @resolution, reason = @reason WHERE job_key = @jobKey AND resolved_at IS NULL',
  )
  const ofJob = db.prepare<[number], IncidentRow>(
    `SELECT ${incidentColumns} FROM wf_incidents i WHERE i.job_key = ? ORDER BY i.id`,
  )
  const reopen = db.prepare(
    'UPDATE wf_incidents SET resolved_at = NULL, resolved_by = NULL, resolution = NULL, reason = NULL WHERE id = ?',
  )
  const facts = db.prepare<[number], IncidentFact>(
    'SELECT id, resolved_at AS resolvedAt FROM wf_incidents WHERE job_key = ? ORDER BY id',
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
    close: (closing) => void close.run(closing),
    reopen: (id) => void reopen.run(id),
    facts: (jobKey) => facts.all(jobKey),
    ofJob: (jobKey) => ofJob.all(jobKey).map(incidentFrom),
  }
}
