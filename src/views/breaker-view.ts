/** A breaker as a page, as columns of a list, and as JSON. */
import { formatDuration } from '../text/duration.ts'
import { quoted } from '../text/shell-words.ts'
import type { InspectedBreaker } from '../engine/breaker-admin.ts'
import { breakerHistoryLine } from './breaker-history-view.ts'
import { outageLines, type Outage } from './breaker-outages.ts'
import { iso } from '../terminal/json.ts'
import type { Paint, Painter } from '../terminal/paint.ts'
import { joined, say, type Safe } from '../terminal/safe.ts'
import { facts, indented, section, type Step } from './sections.ts'
import type { Column } from '../terminal/table.ts'
import { counted, relative, span } from '../terminal/time.ts'
import type { HistoryRow } from '../store/views.ts'

export function breakerDocument(breaker: InspectedBreaker) {
  const { name, mode, generation, by, who, reason, changedAt, expiresAt, retryInMs, terms, probes, types } =
    breaker
  return {
    ...{ name, mode, generation, by, who, reason },
    changedAt: iso(changedAt),
    openUntil: mode === 'open' ? iso(expiresAt) : null,
    ...{ retryInMs, openForMs: terms.openForMs, probes: terms.probes, types },
    permits: probes.map(({ permit, holder, expiresAt: until }) => ({
      permit,
      holder,
      expiresAt: iso(until),
    })),
  }
}

const tones: Readonly<Record<InspectedBreaker['mode'], keyof Paint>> = {
  closed: 'green',
  half_open: 'yellow',
  open: 'red',
}
const modes: Readonly<Record<InspectedBreaker['mode'], string>> = {
  closed: 'closed',
  half_open: 'half-open',
  open: 'open',
}
const painter = ({ mode }: Pick<InspectedBreaker, 'mode'>, paint: Paint): Painter => paint[tones[mode]]

/** What a list shows of a shared or a process-local breaker. */
export type ShownBreaker = Pick<
  InspectedBreaker,
  'name' | 'mode' | 'changedAt' | 'retryInMs' | 'who' | 'reason' | 'types'
>

export function breakerColumns(now: number): readonly Column<ShownBreaker>[] {
  return [
    { title: 'BREAKER', value: ({ name }) => name, shrinkTo: 12 },
    { title: 'STATE', value: ({ mode }) => modes[mode], paint: painter },
    { title: 'SINCE', value: ({ changedAt }) => relative(changedAt, now) },
    {
      title: 'CALLS IN',
      value: ({ mode, retryInMs }) => (mode === 'closed' ? '' : waitWords(retryInMs)),
      align: 'right',
      optional: 1,
    },
    { title: 'BY', value: ({ who }) => who, shrinkTo: 8, optional: 3 },
    { title: 'REASON', value: ({ reason }) => reason ?? '', shrinkTo: 10, optional: 2 },
    { title: 'TYPES', value: ({ types }) => types.join(' '), shrinkTo: 10, optional: 4 },
  ]
}

const waitWords = (ms: number) => (ms === 0 ? 'now' : span(ms))

export interface BreakerLook {
  paint: Paint
  now: number
  width: number | null
}

export interface BreakerPast {
  /** Newest first. */
  outages: readonly Outage[]
  history: readonly HistoryRow[]
}

export function breakerPage(
  breaker: InspectedBreaker,
  { outages, history }: BreakerPast,
  look: BreakerLook,
): readonly Safe[] {
  const { name, mode, probes } = breaker
  const { paint, now } = look
  return [
    say`${paint.bold(say`breaker ${name}`)}  ${painter(breaker, paint)(say`${modes[mode]}`)}`,
    ...facts(breakerFacts(breaker, now), paint),
    ...section(
      'probes under way',
      indented(
        probes.map(
          ({ permit, holder, expiresAt }) =>
            say`${permit}  ${holder}  ${paint.dim(say`free again ${relative(expiresAt, now)}`)}`,
        ),
      ),
      paint,
    ),
    ...section('openings', outageLines(outages, look), paint),
    ...section('history', indented(history.map((row) => breakerHistoryLine(row, { paint, now }))), paint),
  ]
}

/** Returns the commands that apply now. `suffix` names the store if it isn't the default one. */
export function breakerSteps({ name, mode }: InspectedBreaker, suffix: string): readonly Step[] {
  const named = `${quoted(name)}${suffix}`
  const history = {
    command: `wf breakers history ${named}`,
    why: 'each opening and closing',
  }
  return mode === 'closed'
    ? [history]
    : [{ command: `wf breakers close ${named}`, why: 'let calls pass at once, without a probe' }, history]
}

function breakerFacts(
  { mode, changedAt, who, reason, retryInMs, expiresAt, terms, types }: InspectedBreaker,
  now: number,
): Parameters<typeof facts>[0] {
  const probes = `${counted(terms.probes, 'call')} at a time`
  return [
    ['since', say`${relative(changedAt, now)}  ${iso(changedAt)}`],
    ['by', who],
    ['why', reason],
    [
      'until',
      mode === 'open' && expiresAt !== null ? say`${relative(expiresAt, now)}  ${iso(expiresAt)}` : null,
    ],
    [
      'calls',
      {
        closed: 'pass',
        half_open: `${probes} to probe, ${retryInMs === 0 ? 'now' : `in ${span(retryInMs)}`}`,
        open: 'none',
      }[mode],
    ],
    ['opens for', say`${formatDuration(terms.openForMs)}, then lets ${probes} through`],
    ['types', types.length === 0 ? null : joined(types, ' ')],
  ]
}
