/** Columns of each list: those of the commands, and what a live screen adds. */
import { breakerColumns } from '../../views/breaker-view.ts'
import { causeWords } from '../../views/cause-view.ts'
import { deadLetterColumns } from '../../views/dead-letter-view.ts'
import { incidentColumns } from '../../views/incident-view.ts'
import { statePainter, stateWords } from '../../views/job-view.ts'
import type { Column } from '../../terminal/table.ts'
import { span, thousands } from '../../terminal/time.ts'
import { workerColumns } from '../../views/worker-view.ts'
import { formatDuration } from '../../text/duration.ts'
import type { InspectedBreaker } from '../../engine/breaker-admin.ts'
import type {
  InspectedDeadLetter,
  InspectedIncident,
  InspectedJob,
  InspectedType,
  InspectedWorker,
} from '../../engine/inspector.ts'
import type { ListedCause } from '../items.ts'
import type { TypeFigures } from '../series.ts'

const arrows = { rising: '↑', steady: '=', falling: '↓' } as const

export function causeColumns(now: number): readonly Column<ListedCause>[] {
  return [
    {
      title: 'COUNT',
      value: ({ count }) => thousands(count),
      align: 'right',
      paint: (_, paint) => paint.bold,
    },
    {
      title: '',
      value: ({ trend }) => arrows[trend],
      paint: ({ trend }, paint) => (trend === 'rising' ? paint.red : undefined),
    },
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 14 },
    { title: 'KIND', value: kindWords, optional: 2, paint: (_, paint) => paint.red },
    { title: 'CAUSE', value: causeWords, shrinkTo: 24, distinct: true },
    {
      title: 'NEW',
      value: ({ isNew }) => (isNew ? 'new' : ''),
      optional: 1,
      paint: (_, paint) => paint.yellow,
    },
    { title: 'FIRST', value: ({ firstAt }) => span(Math.max(0, now - firstAt)), align: 'right', optional: 3 },
    { title: 'LAST', value: ({ lastAt }) => span(Math.max(0, now - lastAt)), align: 'right' },
  ]
}

const kindWords = ({ kind, kinds }: ListedCause) => (kinds.length > 1 ? `${kind} +${kinds.length - 1}` : kind)

export const incidentRows = (now: number): readonly Column<InspectedIncident>[] =>
  apart(incidentColumns(now, false))
export const letterRows = (now: number): readonly Column<InspectedDeadLetter>[] =>
  apart(deadLetterColumns(now, false))

/** Truncates errors in the middle, since errors of a kind begin alike. */
function apart<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
  return columns.map((column) => (column.title === 'ERROR' ? { ...column, distinct: true } : column))
}

const modes = { closed: '□ closed', half_open: '◪ half-open', open: '■ open' } as const

/** @param held counts the unfinished jobs that a breaker blocks */
export function breakerRows(
  now: number,
  held: (breaker: InspectedBreaker) => number,
): readonly Column<InspectedBreaker>[] {
  const [name, , ...rest] = breakerColumns(now)
  const state: Column<InspectedBreaker> = {
    title: 'STATE',
    value: ({ mode }) => modes[mode],
    paint: ({ mode }, paint) => ({ closed: paint.green, half_open: paint.yellow, open: paint.red })[mode],
  }
  const waiting: Column<InspectedBreaker> = {
    title: 'HELD',
    value: (breaker) => (breaker.mode === 'closed' ? '' : thousands(held(breaker))),
    align: 'right',
    optional: 1,
  }
  return [...(name ? [name] : []), state, waiting, ...rest]
}

export function jobRows(now: number): readonly Column<InspectedJob>[] {
  return [
    { title: 'KEY', value: ({ key }) => key, align: 'right' },
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 12 },
    { title: 'STATE', value: stateWords, paint: ({ state }, paint) => statePainter(state, paint) },
    { title: 'NEXT', value: (job) => countdown(job, now), align: 'right' },
    {
      title: 'HELD',
      value: ({ held }) =>
        held ? { paused: 'paused', no_worker: 'no worker', breaker: 'breaker open' }[held.by] : '',
      optional: 1,
      paint: (_, paint) => paint.yellow,
    },
    { title: 'ATTEMPT', value: ({ attempt }) => attempt, align: 'right', optional: 2 },
    // HELD matters more: it says why a due job doesn't start.
    { title: 'LEFT', value: ({ retries }) => retries, align: 'right', optional: 1.5 },
    { title: 'FAILED', value: ({ failures }) => failures, align: 'right', optional: 3 },
    {
      title: 'AGE',
      value: ({ createdAt }) => span(Math.max(0, now - createdAt)),
      align: 'right',
      optional: 4,
    },
    {
      title: 'WORKER',
      value: ({ workerId, state }) => (state === 'running' ? (workerId ?? '') : ''),
      shrinkTo: 10,
      optional: 5,
    },
  ]
}

/** Returns the time to the next start, to the second below an hour. */
function countdown({ state, runAt, startedAt }: InspectedJob, now: number): string {
  if (state === 'running') return `for ${span(Math.max(0, now - (startedAt ?? now)))}`
  if (state !== 'waiting' && state !== 'available') return ''
  const left = runAt - now
  if (left <= 0) return 'due'
  const seconds = Math.ceil(left / 1_000)
  if (seconds >= 3_600) return span(left)
  return seconds < 60
    ? `${seconds}s`
    : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`
}

export const workerRows = (): readonly Column<InspectedWorker>[] => workerColumns()

export function typeRows(figures: Readonly<Record<string, TypeFigures>>): readonly Column<InspectedType>[] {
  const of = ({ type }: InspectedType) => figures[type]
  const some = (count: number | undefined) => (count ? thousands(count) : '·')
  return [
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 12 },
    { title: 'READY', value: ({ counts }) => some(counts.available), align: 'right' },
    {
      title: 'RUN',
      value: ({ counts }) => some(counts.running),
      align: 'right',
      paint: ({ counts }, paint) => (counts.running ? paint.cyan : undefined),
    },
    { title: 'WAIT', value: ({ counts }) => some(counts.waiting), align: 'right' },
    {
      title: 'FAIL',
      value: ({ counts }) => some(counts.failed),
      align: 'right',
      paint: ({ counts }, paint) => (counts.failed ? paint.red : undefined),
    },
    {
      title: 'DEAD',
      value: ({ counts }) => some(counts.dead),
      align: 'right',
      paint: ({ counts }, paint) => (counts.dead ? paint.red : undefined),
    },
    {
      title: 'OLDEST',
      value: ({ oldestDueMs }) => (oldestDueMs === null ? '' : span(oldestDueMs)),
      align: 'right',
      optional: 2,
    },
    { title: 'p50', value: (type) => quantileWords(of(type)?.p50Ms), align: 'right', optional: 4 },
    { title: 'p95', value: (type) => quantileWords(of(type)?.p95Ms), align: 'right', optional: 3 },
    { title: 'NOTE', value: noteOf, shrinkTo: 10, optional: 1, paint: (_, paint) => paint.yellow },
  ]
}

/** Returns the upper bound of a quantile's bucket. */
export function quantileWords(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return ''
  return Number.isFinite(ms) ? `≤${formatDuration(ms)}` : '>5m'
}

function noteOf({ held, pausedBy }: InspectedType): string {
  if (held === null) return ''
  if (held.by === 'no_worker') return 'no worker'
  return held.by === 'paused' ? `paused by ${pausedBy ?? '?'}` : held.why
}
