/** All attempts of a job, newest first, with the full error of each. */
import { Safe, safeLines, say } from '../../terminal/safe.ts'
import { indented } from '../../views/sections.ts'
import { relative } from '../../terminal/time.ts'
import { formatDuration } from '../../text/duration.ts'
import type { ErrorRecord } from '../../domain/error-record.ts'
import type { AttemptRecord } from '../../domain/outcome.ts'
import type { InspectedDetail } from '../../engine/inspector.ts'
import type { RenderContext } from '../parts/layout.ts'
import { wrapped } from '../parts/line.ts'

type AttemptsContext = Pick<RenderContext, 'paint' | 'width'> & { now: number }

const mostAttempts = 50

export function attemptsPage({ job, attempts }: InspectedDetail, context: AttemptsContext): readonly Safe[] {
  const { paint } = context
  const newest = [...attempts].reverse()
  const more =
    newest.length > mostAttempts
      ? [paint.dim(`… ${newest.length - mostAttempts} earlier ones: wf jobs show ${job.key}`)]
      : []
  return [
    say`${paint.bold(say`attempts of job ${job.key}`)}  ${job.type}`,
    ...(newest.length === 0 ? [say``, paint.dim('no attempt has started')] : []),
    ...newest.slice(0, mostAttempts).flatMap((attempt) => [say``, ...attemptLines(attempt, context)]),
    ...more,
  ]
}

function attemptLines(
  { attempt, outcome, failureCategory, startedAt, finishedAt, workerId, error, nextRunAt }: AttemptRecord,
  context: AttemptsContext,
): readonly Safe[] {
  const { paint, now } = context
  const category = failureCategory === null || failureCategory === 'error' ? '' : ` (${failureCategory})`
  const painter = outcome === 'success' ? paint.green : paint.red
  const head = say`${paint.bold(say`#${attempt}`)} ${painter(say`${outcome}${category}`)}  took ${formatDuration(Math.max(0, finishedAt - startedAt))}  ended ${relative(finishedAt, now)}`
  const next = nextRunAt === null ? [] : [paint.dim(say`next start ${relative(nextRunAt, now)}`)]
  return [
    head,
    ...indented([paint.dim(say`by ${workerId}`), ...next, ...(error ? thrownLines(error, context) : [])]),
  ]
}

function thrownLines(
  { name, code, message, stack, causes, truncated }: ErrorRecord,
  { paint, width }: AttemptsContext,
): readonly Safe[] {
  const room = Math.max(10, width - 6)
  const told = (text: string) => safeLines(text).flatMap((line) => wrapped(line, room))
  const frames = safeLines(stack ?? '')
    .filter(({ text }) => text.trim() !== '')
    .map(({ text }) => paint.dim(new Safe(`  ${text.trim()}`)))
  return [
    say`${paint.bold(name)}${code === null ? say`` : say` (${code})`}`,
    ...indented(told(message)),
    ...causes.flatMap((cause) => [
      say`caused by ${paint.bold(cause.name)}${cause.code === null ? say`` : say` (${cause.code})`}`,
      ...indented(told(cause.message)),
    ]),
    ...frames,
    ...(truncated ? [paint.dim('the record was truncated to its size limit')] : []),
  ]
}
