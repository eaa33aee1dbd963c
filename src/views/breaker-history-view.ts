/** The history of a breaker: as lines of its page, as a table, and as JSON. */
import { formatDuration } from '../text/duration.ts'
import { isJsonObject } from '../text/json.ts'
import { readable } from './history-messages.ts'
import { iso } from '../terminal/json.ts'
import type { Paint } from '../terminal/paint.ts'
import { say, type Safe } from '../terminal/safe.ts'
import type { Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'
import type { HistoryRow } from '../store/views.ts'

/** The stored detail of one change. Damaged values are shown as unknown. */
export interface BreakerTurn {
  from: string
  to: string
  generation: number | null
  /** What caused it; null if the row doesn't say. */
  by: 'calls' | 'operator' | null
  /** Epoch ms: the end of the open period. */
  untilAt: number | null
}

export function turnOf({ event, detail }: HistoryRow): BreakerTurn {
  const kept = detail === null ? null : readable(detail)
  const { from, to, generation, by, untilAt } = isJsonObject(kept) ? kept : {}
  const fallback = event === 'breaker_opened' ? 'open' : 'closed'
  return {
    from: typeof from === 'string' ? from : '?',
    to: typeof to === 'string' ? to : fallback,
    generation: typeof generation === 'number' ? generation : null,
    by: by === 'calls' || by === 'operator' ? by : null,
    untilAt: typeof untilAt === 'number' ? untilAt : null,
  }
}

export function breakerHistoryDocument(row: HistoryRow) {
  const { at, event, who, reason, detail } = row
  const { from, to, generation, by, untilAt } = turnOf(row)
  return {
    at: iso(at),
    event,
    from,
    to,
    generation,
    by,
    who,
    reason,
    openUntil: iso(untilAt),
    detail: detail === null ? null : readable(detail),
  }
}

const modes = (mode: string) => mode.replace('_', '-')
const wasFor = (row: HistoryRow, { untilAt }: BreakerTurn) =>
  untilAt === null ? null : formatDuration(Math.max(0, untilAt - row.at))

export function breakerHistoryColumns(now: number): readonly Column<HistoryRow>[] {
  return [
    { title: 'WHEN', value: ({ at }) => relative(at, now) },
    { title: 'AT', value: ({ at }) => iso(at), optional: 3 },
    { title: 'FROM', value: (row) => modes(turnOf(row).from) },
    {
      title: 'TO',
      value: (row) => modes(turnOf(row).to),
      paint: (row, paint) => (turnOf(row).to === 'open' ? paint.red : paint.green),
    },
    { title: 'FOR', value: (row) => wasFor(row, turnOf(row)) ?? '', align: 'right', optional: 2 },
    { title: 'GENERATION', value: (row) => turnOf(row).generation ?? '?', align: 'right', optional: 4 },
    { title: 'BY', value: ({ who }) => who, shrinkTo: 10 },
    { title: 'WHY', value: ({ reason }) => reason ?? '', shrinkTo: 12, optional: 1 },
  ]
}

/** Formats one change as a line of the breaker's page. */
export function breakerHistoryLine(row: HistoryRow, { now, paint }: { now: number; paint: Paint }): Safe {
  const { at, who, reason } = row
  const turn = turnOf(row)
  const words = { open: 'opened', closed: 'closed' }[turn.to] ?? turn.to
  const length = wasFor(row, turn)
  const until = length === null ? say`` : say`  ${paint.dim(say`for ${length}`)}`
  return say`${paint.dim(relative(at, now).padEnd(9))} ${words} by ${who}${reason === null ? say`` : say`: ${reason}`}${until}`
}
