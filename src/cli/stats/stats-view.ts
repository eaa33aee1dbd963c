/** Figures of a window of time, as people and scripts see them. */
import { formatDuration } from '../../text/duration.ts'
import type { ActivityGroup } from '../../metrics/activity.ts'
import { iso } from '../../terminal/json.ts'
import type { Column } from '../../terminal/table.ts'
import { thousands } from '../../terminal/time.ts'
import type { ActivityBy } from '../../store/views.ts'

export interface StatsRow extends ActivityGroup {
  /** How it stands now; only by type. */
  present: Present | null
}

export interface Present {
  /** Jobs that come back after a failure. */
  retrying: number
  /** Jobs that could run, or come back by themselves, and that a pause, a breaker or a missing worker keeps. */
  held: number
  why: string | null
}

const rounded = (ms: number | null) => (ms === null ? null : Math.round(ms * 10) / 10)

export function statsDocument({ group, present, ...row }: StatsRow, by: ActivityBy) {
  return {
    [by]: by === 'minute' ? iso(Number(group)) : group,
    ...row,
    ...{
      p50Ms: rounded(row.p50Ms),
      p95Ms: rounded(row.p95Ms),
      perMinute: Math.round(row.perMinute * 100) / 100,
    },
    ...(present === null ? {} : { retrying: present.retrying, held: present.held, heldWhy: present.why }),
  }
}

export function statsColumns(by: ActivityBy): readonly Column<StatsRow>[] {
  const count = (
    title: string,
    value: (row: StatsRow) => number,
    more: Partial<Column<StatsRow>> = {},
  ): Column<StatsRow> => ({
    title,
    value: (row) => thousands(value(row)),
    align: 'right',
    ...more,
  })
  const bad = (value: (row: StatsRow) => number): Partial<Column<StatsRow>> => ({
    paint: (row, paint) => (value(row) > 0 ? paint.red : undefined),
  })
  const present: readonly Column<StatsRow>[] = [
    count('RETRYING', ({ present }) => present?.retrying ?? 0),
    count('HELD', ({ present }) => present?.held ?? 0, {
      paint: ({ present }, paint) => (present?.held ? paint.yellow : undefined),
    }),
  ]
  return [
    {
      title: by.toUpperCase(),
      value: ({ group }) => (by === 'minute' ? iso(Number(group)).slice(0, 16).replace('T', ' ') : group),
      shrinkTo: 12,
    },
    ...(by === 'outcome'
      ? [count('ATTEMPTS', ({ attempts }) => attempts)]
      : [count('DONE', ({ completed }) => completed)]),
    ...(by === 'outcome'
      ? []
      : [
          count(
            'FAILED',
            ({ failed }) => failed,
            bad(({ failed }) => failed),
          ),
        ]),
    ...(by === 'type' ? present : []),
    count(
      'INCIDENTS',
      ({ incidents }) => incidents,
      bad(({ incidents }) => incidents),
    ),
    count(
      'DEAD',
      ({ deadLetters }) => deadLetters,
      bad(({ deadLetters }) => deadLetters),
    ),
    { title: 'P50', value: ({ p50Ms }) => took(p50Ms), align: 'right', optional: 2 },
    { title: 'P95', value: ({ p95Ms }) => took(p95Ms), align: 'right', optional: 1 },
    ...(by === 'type'
      ? [
          {
            title: '/MIN',
            value: ({ perMinute }: StatsRow) => rate(perMinute),
            align: 'right' as const,
            optional: 1,
          },
        ]
      : []),
  ]
}

function took(ms: number | null): string {
  if (ms === null) return ''
  if (ms < 1) return '<1ms'
  return ms < 1_000 ? `${Math.round(ms)}ms` : formatDuration(Math.round(ms / 100) * 100)
}

function rate(perMinute: number): string {
  return perMinute >= 100 ? thousands(Math.round(perMinute)) : String(Math.round(perMinute * 10) / 10)
}
