/** All that is known about one job: the page of `jobs show`. */
import { formatDuration } from '../text/duration.ts'
import type { AttemptRecord } from '../domain/outcome.ts'
import type { InspectedDetail } from '../engine/inspector.ts'
import { standingLine } from './closed-messages.ts'
import { closedLetter, deadLetterDocument } from './dead-letter-view.ts'
import { errorLine, errorLines } from './error-view.ts'
import { historyDetail, historyLine, readable } from './history-messages.ts'
import { closedIncident, incidentDocument } from './incident-view.ts'
import { jobDocument, statePainter, stateWords } from './job-view.ts'
import { iso } from '../terminal/json.ts'
import { stepsOf } from './next-steps.ts'
import type { Paint } from '../terminal/paint.ts'
import { joined, say, type Revealing, type Safe } from '../terminal/safe.ts'
import { facts, indented, jsonLines, section, stepDocuments, stepLines, type Fact } from './sections.ts'
import { stepDocument, stepLinesOf, unknownSteps } from './step-view.ts'
import { table, type Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'
import type { HistoryRow } from '../store/views.ts'

export interface PageLook extends Revealing {
  paint: Paint
  width: number | null
  now: number
  full: boolean
  /** Behind every command: names the store where it is not the usual one. */
  suffix: string
}

export function jobPageDocument(detail: InspectedDetail, suffix: string, revealing: Revealing = {}) {
  return {
    ...jobDocument(detail.job),
    variables: readable(detail.variables),
    result: detail.result === null ? null : readable(detail.result),
    idempotencyKey: detail.idempotencyKey,
    progress: detail.progress && {
      fraction: detail.progress.fraction,
      note: detail.progress.note,
      at: iso(detail.progress.at),
    },
    attempts: detail.attempts.map(attemptDocument),
    incidents: detail.incidents.map(incidentDocument),
    deadLetter: detail.deadLetter && deadLetterDocument(detail.deadLetter),
    history: detail.history.map((row) => historyDocument(row, revealing)),
    children: detail.children,
    effectsEpoch: detail.effectsEpoch,
    steps: detail.steps.map((step) => stepDocument(step, detail.job, false)),
    next: stepDocuments(stepsOf({ ...detail, suffix })),
  }
}

export function attemptDocument({ jobKey: _, startedAt, finishedAt, nextRunAt, ...attempt }: AttemptRecord) {
  return { ...attempt, startedAt: iso(startedAt), finishedAt: iso(finishedAt), nextRunAt: iso(nextRunAt) }
}

function historyDocument({ jobKey: _, at, detail, ...row }: HistoryRow, revealing: Revealing) {
  return {
    ...row,
    at: iso(at),
    detail: detail === null ? null : historyDetail(detail, revealing),
  }
}

export function jobPage(detail: InspectedDetail, look: PageLook): readonly Safe[] {
  const { job } = detail
  const { paint } = look
  const state = statePainter(job.state, paint)?.(stateWords(job)) ?? stateWords(job)
  return [
    say`${paint.bold(say`job ${job.key}`)}  ${job.type}  ${state}`,
    ...facts(jobFacts(detail, look), paint),
    ...section('variables', jsonLines(readable(detail.variables), look), paint),
    ...section('result', detail.result === null ? [] : jsonLines(readable(detail.result), look), paint),
    ...section('attempts', indented(attemptLines(detail.attempts, look)), paint),
    ...section('steps', stepLinesOf(detail.steps, job, look), paint),
    ...detail.incidents.flatMap((incident) =>
      section(
        `incident  ${incident.kind}`,
        indented([
          standingLine(closedIncident(incident), {
            openedAt: incident.createdAt,
            now: look.now,
            opened: 'opened',
          }),
          ...errorLines(incident.error, paint, look),
        ]),
        paint,
      ),
    ),
    ...deadLetterSection(detail, look),
    ...section('history', indented(detail.history.map((row) => historyLine(row, look))), paint),
    ...section('next', stepLines(stepsOf({ ...detail, suffix: look.suffix }), paint), paint),
  ]
}

function jobFacts(
  { job, progress, idempotencyKey, children, steps, effectsEpoch }: InspectedDetail,
  { now, paint }: PageLook,
): readonly Fact[] {
  const moment = (at: number | null) =>
    at === null ? null : say`${relative(at, now).padEnd(8)}  ${paint.dim(iso(at))}`
  return [
    ['held', job.held && paint.yellow(job.held.why)],
    ['unknown', unknownSteps(steps, job)],
    ['enqueued', moment(job.createdAt)],
    ['starts', job.state === 'waiting' ? moment(job.runAt) : null],
    ['started', moment(job.startedAt)],
    ['finished', moment(job.finishedAt)],
    ['deadline', moment(job.deadlineAt)],
    [
      'attempts',
      say`${job.attempt} started, ${job.retries} left  ${paint.dim(say`${job.failures} failed, ${job.crashes} lost, ${job.deferrals} deferred`)}`,
    ],
    ['priority', job.priority === 0 ? null : job.priority],
    ['worker', job.workerId],
    [
      'progress',
      progress &&
        say`${Math.round(progress.fraction * 100)} %  ${progress.note ?? ''}  ${paint.dim(relative(progress.at, now))}`,
    ],
    ['idempotency', idempotencyKey],
    ['effects', effectsEpoch === 0 ? null : say`made anew ${effectsEpoch} times on a person's word`],
    ['parent', job.parentKey],
    ['children', children.length === 0 ? null : joined(children.slice(0, 20), ' ')],
  ]
}

export function attemptLines(
  attempts: readonly AttemptRecord[],
  { paint, width, now }: PageLook,
): readonly Safe[] {
  const columns: readonly Column<AttemptRecord>[] = [
    { title: '#', value: ({ attempt }) => attempt, align: 'right' },
    { title: 'OUTCOME', value: outcomeWords },
    { title: 'ENDED', value: ({ finishedAt }) => relative(finishedAt, now) },
    {
      title: 'TOOK',
      value: ({ startedAt, finishedAt }) => formatDuration(finishedAt - startedAt),
      align: 'right',
      optional: 1,
    },
    { title: 'ERROR', value: ({ error }) => (error ? errorLine(error) : ''), shrinkTo: 20 },
    { title: 'WORKER', value: ({ workerId }) => workerId, shrinkTo: 10, optional: 2 },
  ]
  return attempts.length === 0
    ? []
    : table(attempts, columns, { paint, width: width === null ? null : width - 2 })
}

function outcomeWords({ outcome, failureCategory }: AttemptRecord): string {
  return failureCategory === null || failureCategory === 'error' ? outcome : `${outcome}: ${failureCategory}`
}

function deadLetterSection({ deadLetter }: InspectedDetail, { paint, now }: PageLook): readonly Safe[] {
  if (!deadLetter) return []
  const { reason, count, receivedAt } = deadLetter
  const standing = standingLine(closedLetter(deadLetter), { openedAt: receivedAt, now, opened: 'received' })
  return section(
    `dead letter  ${reason}`,
    indented([count > 1 ? say`${standing}, ${count} times` : standing]),
    paint,
  )
}
