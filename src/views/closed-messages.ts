/** How an incident or a dead letter stands: open, or closed by whom, how and when. */
import { say, type Safe } from '../terminal/safe.ts'
import { relative } from '../terminal/time.ts'

export interface Closed {
  /** Epoch ms; null while it is open. */
  at: number | null
  by: string | null
  /** The verb, as it is stored. */
  resolution: string | null
  reason: string | null
}

const participles: Readonly<Record<string, string>> = {
  resolve: 'resolved',
  retry: 'retried',
  dlq_retry: 'taken back to work',
  cancel: 'cancelled',
  discard: 'discarded',
}

/** `open`, `resolved by ada`. */
export function statusWords({ at, by, resolution }: Closed): string {
  return at === null ? 'open' : `${participleOf(resolution)} by ${by ?? '?'}`
}

/** `open since 5m ago`, `resolved by ada 2m ago: the gateway is back (opened 5m ago)`. */
export function standingLine(
  closed: Closed,
  { openedAt, now, opened }: { openedAt: number; now: number; opened: string },
): Safe {
  if (closed.at === null) return say`open, ${opened} ${relative(openedAt, now)}`
  const why = closed.reason === null ? say`` : say`: ${closed.reason}`
  return say`${statusWords(closed)} ${relative(closed.at, now)}${why} (${opened} ${relative(openedAt, now)})`
}

function participleOf(resolution: string | null): string {
  return resolution === null ? 'closed' : (participles[resolution] ?? resolution)
}
