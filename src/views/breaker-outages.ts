/** The outages of a breaker: how long each lasted, from its opening to its closing, and what opened it. */
import { formatDuration } from '../text/duration.ts'
import { iso } from '../terminal/json.ts'
import type { Paint } from '../terminal/paint.ts'
import { say, type Safe } from '../terminal/safe.ts'
import { indented } from './sections.ts'
import { table, type Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'
import { turnOf } from './breaker-history-view.ts'
import type { HistoryRow } from '../store/views.ts'

/** From an opening while closed to the closing. */
export interface Outage {
  /** Epoch ms. */
  openedAt: number
  /** Epoch ms; null: not closed yet. */
  closedAt: number | null
  /** Open periods: one, and another for each probe that failed. */
  periods: number
  /** Of the opening. */
  who: string
  reason: string | null
}

/** Returns outages, newest first. Leaves out one whose opening is older than the given rows. */
export function outagesOf(newestFirst: readonly HistoryRow[]): readonly Outage[] {
  const outages: Outage[] = []
  for (const row of newestFirst.toReversed()) {
    const { from, to } = turnOf(row)
    const last = outages[0]?.closedAt === null ? outages.shift() : undefined
    if (last)
      outages.unshift(
        to === 'closed' ? { ...last, closedAt: row.at } : { ...last, periods: last.periods + 1 },
      )
    else if (from === 'closed')
      outages.unshift({ openedAt: row.at, closedAt: null, periods: 1, who: row.who, reason: row.reason })
  }
  return outages
}

const lastedMs = ({ openedAt, closedAt }: Outage, now: number) => Math.max(0, (closedAt ?? now) - openedAt)

export function outageDocument(outage: Outage, now: number) {
  const { openedAt, closedAt, periods, who, reason } = outage
  return {
    openedAt: iso(openedAt),
    closedAt: iso(closedAt),
    openMs: lastedMs(outage, now),
    periods,
    who,
    reason,
  }
}

export function outageLines(
  outages: readonly Outage[],
  { paint, now, width }: { paint: Paint; now: number; width: number | null },
): readonly Safe[] {
  const columns: readonly Column<Outage>[] = [
    { title: 'OPENED', value: ({ openedAt }) => relative(openedAt, now) },
    {
      title: 'OPEN FOR',
      value: (outage) =>
        say`${formatDuration(rounded(lastedMs(outage, now)))}${outage.closedAt === null ? ' so far' : ''}`,
      align: 'right',
      paint: ({ closedAt }) => (closedAt === null ? paint.red : undefined),
    },
    { title: 'PERIODS', value: ({ periods }) => periods, align: 'right', optional: 2 },
    { title: 'WHY', value: ({ reason }) => reason ?? '', shrinkTo: 16 },
    { title: 'BY', value: ({ who }) => who, shrinkTo: 10, optional: 1 },
  ]
  return outages.length === 0
    ? []
    : indented(table(outages, columns, { paint, width: width === null ? null : width - 2 }))
}

const rounded = (ms: number) => (ms < 1_000 ? ms : Math.round(ms / 1_000) * 1_000)
