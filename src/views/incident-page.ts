/** One incident, with what is needed to decide about it: the page of `incidents show`. */
import type { Incident } from '../domain/incident.ts'
import type { InspectedDetail } from '../engine/inspector.ts'
import { statusWords } from './closed-messages.ts'
import { errorLines } from './error-view.ts'
import { readable } from './history-messages.ts'
import { closedIncident, incidentDocument } from './incident-view.ts'
import { attemptDocument, attemptLines, type PageLook } from './job-page.ts'
import { jobDocument, statePainter, stateWords } from './job-view.ts'
import { iso } from '../terminal/json.ts'
import { stepsOf } from './next-steps.ts'
import { Safe, say } from '../terminal/safe.ts'
import { facts, indented, jsonLines, section, stepDocuments, stepLines } from './sections.ts'
import { stepDocument, stepLinesOf, unknownSteps } from './step-view.ts'
import { counted, relative } from '../terminal/time.ts'

export interface IncidentOfJob {
  incident: Incident
  detail: InspectedDetail
}

/** The open one, else the last. */
export function incidentOf(detail: InspectedDetail): Incident | undefined {
  return detail.openIncident ?? [...detail.incidents].sort((a, b) => b.id - a.id)[0]
}

export function incidentPageDocument({ incident, detail }: IncidentOfJob, suffix: string) {
  return {
    ...incidentDocument(incident),
    job: jobDocument(detail.job),
    variables: readable(detail.variables),
    attempts: detail.attempts.map(attemptDocument),
    steps: detail.steps.map((step) => stepDocument(step, detail.job, false)),
    next: stepDocuments(stepsOf({ ...detail, suffix })),
  }
}

export function incidentPage({ incident, detail }: IncidentOfJob, look: PageLook): readonly Safe[] {
  const { paint, now } = look
  const { job } = detail
  const open = incident.resolvedAt === null
  const state = statePainter(job.state, paint)?.(stateWords(job)) ?? stateWords(job)
  return [
    say`${paint.bold(say`incident of job ${incident.jobKey}`)}  ${incident.type}  ${(open ? paint.red : paint.dim)(incident.kind)}`,
    ...facts(
      [
        ['status', statusWords(closedIncident(incident))],
        ['since', say`${relative(incident.createdAt, now)}  ${paint.dim(iso(incident.createdAt))}`],
        [
          'resolved',
          incident.resolvedAt === null
            ? null
            : say`${relative(incident.resolvedAt, now)}  ${paint.dim(iso(incident.resolvedAt))}`,
        ],
        ['why', incident.reason],
        ['job', say`${state}, ${counted(job.attempt, 'attempt')} started, ${job.retries} left`],
        ['unknown', unknownSteps(detail.steps, job)],
        ['fingerprint', paint.dim(new Safe(incident.fingerprint))],
      ],
      paint,
    ),
    ...section('error', indented(errorLines(incident.error, paint, look)), paint),
    ...section('variables', jsonLines(readable(detail.variables), look), paint),
    ...section('attempts', indented(attemptLines(detail.attempts, look)), paint),
    ...section('steps', stepLinesOf(detail.steps, job, look), paint),
    ...section('next', stepLines(stepsOf({ ...detail, suffix: look.suffix }), paint), paint),
  ]
}
