/** An incident as people and scripts see it. */
import type { Incident } from '../domain/incident.ts'
import { statusWords, type Closed } from './closed-messages.ts'
import { errorLine } from './error-view.ts'
import { jobDocument } from './job-view.ts'
import { iso } from '../terminal/json.ts'
import type { Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'
import type { IncidentView } from '../store/views.ts'

export function incidentDocument(incident: Incident) {
  return {
    key: incident.jobKey,
    id: incident.id,
    type: incident.type,
    kind: incident.kind,
    error: incident.error,
    fingerprint: incident.fingerprint,
    attempt: incident.attempt,
    createdAt: iso(incident.createdAt),
    resolvedAt: iso(incident.resolvedAt),
    resolvedBy: incident.resolvedBy,
    resolution: incident.resolution,
    reason: incident.reason,
  }
}

export function incidentViewDocument(view: IncidentView) {
  return { ...incidentDocument(view), job: jobDocument(view.job) }
}

/** @param closed closed ones stand among them */
export function incidentColumns(now: number, closed: boolean): readonly Column<IncidentView>[] {
  return [
    { title: 'KEY', value: ({ jobKey }) => jobKey, align: 'right' },
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 14 },
    {
      title: 'KIND',
      value: ({ kind }) => kind,
      paint: ({ resolvedAt }, paint) => (resolvedAt === null ? paint.red : paint.dim),
    },
    { title: 'SINCE', value: ({ createdAt }) => relative(createdAt, now) },
    { title: 'ATTEMPT', value: ({ attempt }) => attempt, align: 'right', optional: 1 },
    { title: 'ERROR', value: ({ error }) => errorLine(error), shrinkTo: 32 },
    {
      title: 'STATUS',
      value: (incident) => (closed ? statusWords(closedIncident(incident)) : ''),
      optional: 2,
    },
  ]
}

export function closedIncident({ resolvedAt, resolvedBy, resolution, reason }: Incident): Closed {
  return { at: resolvedAt, by: resolvedBy, resolution, reason }
}
