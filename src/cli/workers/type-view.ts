/** A job type as people and scripts see it: the type is the queue. */
import type { InspectedType } from '../../engine/inspector.ts'
import { iso } from '../../terminal/json.ts'
import type { Column } from '../../terminal/table.ts'
import { span, spanLeft } from '../../terminal/time.ts'

export function typeDocument({
  type,
  counts,
  unfinished,
  oldestDueAt,
  workers,
  held,
  pausedAt,
  pausedUntil,
  pausedBy,
  pauseReason,
  badStreak,
  declaration,
}: InspectedType) {
  return {
    type,
    counts,
    unfinished,
    oldestDueAt: iso(oldestDueAt),
    workers,
    held,
    pausedAt: iso(pausedAt),
    pausedUntil: iso(pausedUntil),
    pausedBy,
    pauseReason,
    badStreak,
    declaration,
  }
}

export function typeColumns(now: number): readonly Column<InspectedType>[] {
  return [
    { title: 'TYPE', value: ({ type }) => type, shrinkTo: 12 },
    { title: 'READY', value: ({ counts }) => counts.available ?? 0, align: 'right' },
    {
      title: 'RUN',
      value: ({ counts }) => counts.running ?? 0,
      align: 'right',
      paint: ({ counts }, paint) => (counts.running ? paint.cyan : undefined),
    },
    { title: 'WAIT', value: ({ counts }) => counts.waiting ?? 0, align: 'right' },
    {
      title: 'FAIL',
      value: ({ counts }) => counts.failed ?? 0,
      align: 'right',
      paint: ({ counts }, paint) => (counts.failed ? paint.red : undefined),
    },
    {
      title: 'DEAD',
      value: ({ counts }) => counts.dead ?? 0,
      align: 'right',
      paint: ({ counts }, paint) => (counts.dead ? paint.red : undefined),
    },
    {
      title: 'OLDEST',
      value: ({ oldestDueMs }) => (oldestDueMs === null ? '' : span(oldestDueMs)),
      align: 'right',
      optional: 1,
    },
    { title: 'WORKERS', value: ({ workers }) => workers, align: 'right', optional: 2 },
    {
      title: 'NOTE',
      value: (type) => noteOf(type, now),
      shrinkTo: 10,
      optional: 1,
      paint: (_, paint) => paint.yellow,
    },
  ]
}

function noteOf({ held, pausedUntil, pausedBy, pauseReason }: InspectedType, now: number): string {
  if (held === null) return ''
  if (held.by === 'no_worker') return 'no worker'
  if (held.by === 'breaker') return held.why
  const left = pausedUntil === null ? '' : ` for ${spanLeft(pausedUntil - now)} more`
  return `paused by ${pausedBy ?? '?'}${left}${pauseReason === null ? '' : `: ${pauseReason}`}`
}
