/** How long a breaker was open each time, from its opening to its closing, and what opened it. */
import { formatDuration } from '../text/duration.ts'
import { iso } from '../terminal/json.ts'
import type { Paint } from '../terminal/paint.ts'
import { say, type Safe } from '../terminal/safe.ts'
import { indented } from './sections.ts'
import { table, type Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'
import { turnOf } from './breaker-history-view.ts'
import type { HistoryRow } from '../store/views.ts'

/** From the opening of what was closed to its closing. */
export interface Spell {
  /** Epoch ms. */
  openedAt: number
  /** Epoch ms; null: it is not closed yet. */
  closedAt: number | null
  /** How often it opened by then: once, and again for each probe that failed. */
  periods: number
  /** Of the opening. */
  who: string
  reason: string | null
}

/** The newest first; one whose opening lies further back than the rows is left out. */
export function spellsOf(newestFirst: readonly HistoryRow[]): readonly Spell[] {
  const spells: Spell[] = []
  for (const row of newestFirst.toReversed()) {
    const { from, to } = turnOf(row)
    const last = spells[0]?.closedAt === null ? spells.shift() : undefined
    if (last)
      spells.unshift(to === 'closed' ? { ...last, closedAt: row.at } : { ...last, periods: last.periods + 1 })
    else if (from === 'closed')
      spells.unshift({ openedAt: row.at, closedAt: null, periods: 1, who: row.who, reason: row.reason })
  }
  return spells
}

const lastedMs = ({ openedAt, closedAt }: Spell, now: number) => Math.max(0, (closedAt ?? now) - openedAt)

export function spellDocument(spell: Spell, now: number) {
  const { openedAt, closedAt, periods, who, reason } = spell
  return {
    openedAt: iso(openedAt),
    closedAt: iso(closedAt),
    openMs: lastedMs(spell, now),
    periods,
    who,
    reason,
  }
}

export function spellLines(
  spells: readonly Spell[],
  { paint, now, width }: { paint: Paint; now: number; width: number | null },
): readonly Safe[] {
  const columns: readonly Column<Spell>[] = [
    { title: 'OPENED', value: ({ openedAt }) => relative(openedAt, now) },
    {
      title: 'OPEN FOR',
      value: (spell) =>
        say`${formatDuration(rounded(lastedMs(spell, now)))}${spell.closedAt === null ? ' so far' : ''}`,
      align: 'right',
      paint: ({ closedAt }) => (closedAt === null ? paint.red : undefined),
    },
    { title: 'PERIODS', value: ({ periods }) => periods, align: 'right', optional: 2 },
    { title: 'WHY', value: ({ reason }) => reason ?? '', shrinkTo: 16 },
    { title: 'BY', value: ({ who }) => who, shrinkTo: 10, optional: 1 },
  ]
  return spells.length === 0
    ? []
    : indented(table(spells, columns, { paint, width: width === null ? null : width - 2 }))
}

const rounded = (ms: number) => (ms < 1_000 ? ms : Math.round(ms / 1_000) * 1_000)
