/** The detail pane: one side of the selected row. */
import { outagesOf } from '../../views/breaker-outages.ts'
import { breakerPage } from '../../views/breaker-view.ts'
import { causeLines, causeWords, type CauseLook } from '../../views/cause-view.ts'
import { deadLetterPage } from '../../views/dead-letter-page.ts'
import { explanationPage } from '../../views/explanation-view.ts'
import { incidentOf, incidentPage } from '../../views/incident-page.ts'
import { jobPage, type PageLook } from '../../views/job-page.ts'
import { joined, Safe, say } from '../../terminal/safe.ts'
import { facts, indented, section } from '../../views/sections.ts'
import { counted, relative, span } from '../../terminal/time.ts'
import type { Detail } from '../snapshot.ts'
import { plainPaint } from '../../terminal/paint.ts'
import { type RenderContext, fill } from '../parts/layout.ts'
import { folded } from '../parts/line.ts'
import { timeline, type Turn } from '../parts/charts.ts'
import { listOf, type State } from '../state.ts'
import { attemptsPage } from './attempts.ts'

/** Exactly `height` lines. */
export function detailLines(state: State, context: RenderContext): readonly Safe[] {
  const { paint, height } = context
  const id = state.cursors[listOf(state)]?.id ?? null
  const { detail } = state
  if (id === null) return fill([], height)
  const isNext = detail !== null && (detail.id !== id || detail.pane !== state.pane)
  if (detail === null || (isNext && !isAlike(detail, { id, state })))
    return fill([paint.dim('reading …')], height)
  const whole = wholeDetail(detail, state, context)
  // The last detail stays until the next is read, so that the screen doesn't flicker while moving down a list.
  const lines = isNext ? [paint.dim('reading …'), ...whole.slice(1)] : whole
  const first = Math.min(state.scroll, Math.max(0, lines.length - height))
  const shown = lines.slice(first, first + height)
  const below = lines.length - first - shown.length
  if (below > 0)
    shown[shown.length - 1] = paint.dim(`… ${below + 1} more lines${state.open ? ': j' : ': Enter, then j'}`)
  return fill(shown, height)
}

/** Whether the detail is of another row of the same list. */
function isAlike({ id, pane }: Detail, { id: next, state }: { id: string; state: State }): boolean {
  return !state.open && pane === state.pane && id.split(':')[0] === next.split(':')[0]
}

interface Drawn {
  detail: Detail
  key: string
  lines: readonly Safe[]
}

let drawn: Drawn | null = null

/** Caches the last drawn detail: masking a megabyte of variables takes a while. */
function wholeDetail(detail: Detail, state: State, { paint, width }: RenderContext): readonly Safe[] {
  const key = JSON.stringify([
    width,
    Math.floor(state.now / 1_000),
    state.screen,
    state.filters.causes?.text,
    paint === plainPaint,
  ])
  if (drawn?.detail === detail && drawn.key === key) return drawn.lines
  const lines = sideOf(detail, state, {
    paint,
    width,
    now: state.now,
    full: false,
    suffix: state.suffix,
  }).flatMap((line) => folded(line, width))
  drawn = { detail, key, lines }
  return lines
}

type DetailContext = PageLook & { paint: RenderContext['paint']; width: number }

function sideOf(detail: Detail, state: State, context: DetailContext): readonly Safe[] {
  switch (detail.kind) {
    case 'job': {
      const side = jobSide(detail, context)
      if (side !== null) return side
      const incident = state.screen === 'incidents' ? incidentOf(detail.detail) : undefined
      return incident
        ? incidentPage({ incident, detail: detail.detail }, context)
        : jobPage(detail.detail, context)
    }
    case 'letter':
      return (
        (detail.detail && jobSide({ ...detail, detail: detail.detail }, context)) ??
        deadLetterPage(detail, context)
      )
    case 'cause':
      return causePage(detail, { ...context, width: null, selector: state.filters.causes?.selector ?? {} })
    case 'breaker':
      return breakerSide(detail, context)
    case 'worker':
      return workerPage(detail, context)
    default:
      return typePage(detail, context)
  }
}

type JobSide = Pick<Extract<Detail, { kind: 'job' }>, 'pane' | 'detail' | 'explanation'>

function jobSide({ pane, detail, explanation }: JobSide, context: DetailContext): readonly Safe[] | null {
  if (pane === 'attempts') return attemptsPage(detail, context)
  return pane === 'explain' && explanation ? explanationPage({ job: detail.job, explanation }, context) : null
}

function causePage(
  { cause, common, compared }: Extract<Detail, { kind: 'cause' }>,
  context: CauseLook,
): readonly Safe[] {
  const { fingerprint, sampleKeys } = cause
  const lines = causeLines({ ...cause, programStartedAt: null, common, compared }, context)
  const { paint } = context
  return [
    ...lines,
    ...section('', [say`${causeWords(cause)}`], paint),
    say``,
    ...facts(
      [
        ['fingerprint', new Safe(fingerprint)],
        ['jobs', say`${joined(sampleKeys.slice(0, 12), ' ')}${sampleKeys.length > 12 ? ' …' : ''}`],
      ],
      paint,
    ),
  ]
}

const hourMs = 3_600_000

/** The page of a breaker, with a timeline of its last hour. */
function breakerSide(
  { breaker, history }: Extract<Detail, { kind: 'breaker' }>,
  context: DetailContext,
): readonly Safe[] {
  const { paint, now, width } = context
  const turns = history.flatMap(({ at, event }): readonly Turn[] =>
    event === 'breaker_opened' || event === 'breaker_closed'
      ? [{ at, to: event === 'breaker_opened' ? 'open' : 'closed' }]
      : [],
  )
  const [title = say``, ...rest] = breakerPage(
    breaker,
    { outages: outagesOf(history).slice(0, 5), history: history.slice(0, 20) },
    context,
  )
  const columns = Math.max(10, Math.min(60, width - 4))
  const ends = `1h ago${' '.repeat(Math.max(1, columns - 9))}now`
  return [
    title,
    ...section(
      'last hour',
      indented([
        new Safe(timeline(turns, { from: now - hourMs, to: now, width: columns })),
        paint.dim(ends),
        paint.dim('■ open  · closed'),
      ]),
      paint,
    ),
    say``,
    ...rest,
  ]
}

function workerPage(
  { worker, running }: Extract<Detail, { kind: 'worker' }>,
  { paint, now }: DetailContext,
): readonly Safe[] {
  const { id, state, alive, pid, host, types, concurrency, upMs, leaseLeftMs, quarantine } = worker
  const jobs = running.map(
    ({ key, type, startedAt }) =>
      say`  ${String(key).padStart(8)}  ${type}  ${paint.dim(`for ${span(Math.max(0, now - (startedAt ?? now)))}`)}`,
  )
  return [
    say`${paint.bold(say`worker ${id}`)}  ${alive ? state : paint.red('gone')}`,
    ...facts(
      [
        ['process', say`${pid} on ${host}`],
        ['up', span(upMs)],
        ['lease', alive ? `${span(leaseLeftMs)} left` : `expired ${span(leaseLeftMs)} ago`],
        ['busy', say`${running.length} of ${concurrency}`],
        ['takes', quarantine ? 'suspects only, one at a time' : null],
        ['types', joined(types, ' ')],
      ],
      paint,
    ),
    ...section('running', jobs.slice(0, 100), paint),
  ]
}

function typePage(
  { type }: Extract<Detail, { kind: 'type' }>,
  { paint, now }: DetailContext,
): readonly Safe[] {
  const { declaration, counts, held, oldestDueAt, workers, pausedAt, badStreak } = type
  const states = Object.entries(counts).map(([state, count]) => `${count} ${state}`)
  return [
    say`${paint.bold(say`type ${type.type}`)}`,
    ...facts(
      [
        ['held', held && paint.yellow(held.why)],
        ['paused', pausedAt === null ? null : relative(pausedAt, now)],
        ['jobs', states.length === 0 ? 'none unfinished' : joined(states, ', ')],
        ['oldest', oldestDueAt === null ? null : say`due ${relative(oldestDueAt, now)}`],
        ['workers', counted(workers, 'process')],
        ['stops', badStreak === 0 ? null : `${badStreak} in a row without a success`],
        ['timeout', declaration && `${declaration.timeoutMs / 1_000} s`],
        ['concurrency', declaration && say`${declaration.concurrency} a process`],
        ['retries', declaration?.retries ?? null],
        ['breakers', declaration?.breakers?.length ? joined(declaration.breakers, ' ') : null],
      ],
      paint,
    ),
  ]
}
