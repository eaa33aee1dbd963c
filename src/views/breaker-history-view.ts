/** What opened and closed a breaker, as people and scripts see it: in lines under it, and as a table of its own. */
import { formatDuration } from '../text/duration.ts'
import { isJsonObject } from '../text/json.ts'
import { readable } from './history-messages.ts'
import { iso } from '../terminal/json.ts'
import type { Paint } from '../terminal/paint.ts'
import { say, type Safe } from '../terminal/safe.ts'
import type { Column } from '../terminal/table.ts'
import { relative } from '../terminal/time.ts'
import type { HistoryRow } from '../store/views.ts'

/** What the store keeps of one change; what somebody broke is shown as unknown. */
export interface BreakerTurn {
  from: string
  to: string
  generation: number | null
  /** Whose deed it was, where the row says so. */
  by: 'calls' | 'operator' | null
  /** Epoch ms to which it was to stay open. */
  untilAt: number | null
}

export function turnOf({ event, detail }: HistoryRow): BreakerTurn {
  const kept = detail === null ? null : readable(detail)
  const { from, to, generation, by, untilAt } = isJsonObject(kept) ? kept : {}
  const told = event === 'breaker_opened' ? 'open' : 'closed'
  return {
    from: typeof from === 'string' ? from : '?',
    to: typeof to === 'string' ? to : told,
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

/** One change in a line, for the page about its breaker. */
export function breakerHistoryLine(row: HistoryRow, { now, paint }: { now: number; paint: Paint }): Safe {
  const { at, who, reason } = row
  const turn = turnOf(row)
  const words = { open: 'opened', closed: 'closed' }[turn.to] ?? turn.to
  const length = wasFor(row, turn)
  const until = length === null ? say`` : say`  ${paint.dim(say`for ${length}`)}`
  return say`${paint.dim(relative(at, now).padEnd(9))} ${words} by ${who}${reason === null ? say`` : say`: ${reason}`}${until}`
}
