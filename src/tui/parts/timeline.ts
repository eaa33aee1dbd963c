/** What a breaker was over a stretch of time: one column a slice, the worst of what it was in it. */

export interface Turn {
  at: number
  to: 'open' | 'closed'
}

const marks = { open: '■', closed: '·', unknown: ' ' } as const

/** @param turns in any order; before the first one nothing is known but that it was the other way round */
export function strip(
  turns: readonly Turn[],
  { from, to, width }: { from: number; to: number; width: number },
): string {
  const sorted = [...turns].sort((a, b) => a.at - b.at)
  const slice = (to - from) / Math.max(1, width)
  return Array.from(
    { length: width },
    (_, column) => marks[worstIn(sorted, from + column * slice, from + (column + 1) * slice)],
  ).join('')
}

function worstIn(turns: readonly Turn[], from: number, to: number): keyof typeof marks {
  const before = turns.findLast(({ at }) => at <= from)
  const inside = turns.filter(({ at }) => at > from && at <= to)
  if (before?.to === 'open' || inside.some((turn) => turn.to === 'open')) return 'open'
  if (before || inside.length > 0) return 'closed'
  const next = turns[0]
  if (!next) return 'unknown'
  return next.to === 'open' ? 'closed' : 'open'
}
