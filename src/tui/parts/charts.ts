/** Charts made of text: bars, braille dots, and a breaker over time. */

const bars = '▁▂▃▄▅▆▇█'

/** Returns a row of bars, a column for each value, the largest at full height; a value above 0 always shows. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = resampled(values, width)
  const most = Math.max(1, ...shown)
  return shown
    .map((value) =>
      value <= 0
        ? ' '
        : (bars[Math.min(bars.length - 1, Math.ceil((value / most) * bars.length) - 1)] ?? ' '),
    )
    .join('')
}

/** Returns one value for each column: neighbours are averaged, the newest are on the right. */
function resampled(values: readonly number[], columns: number): readonly number[] {
  if (columns <= 0) return []
  if (values.length <= columns) return values
  const each = values.length / columns
  return Array.from({ length: columns }, (_, column) => {
    const part = values.slice(
      Math.floor(column * each),
      Math.max(Math.floor(column * each) + 1, Math.floor((column + 1) * each)),
    )
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

const firstPattern = 0x2800
/** Bits of the dots of one cell, by column, from its lowest row upwards. */
const dots: readonly (readonly number[])[] = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
]

export interface ChartSize {
  width: number
  height: number
  /** The value at the top edge. */
  most: number
}

/** Draws a line of braille dots, two a column and four a row. Returns rows from the top, each `width` columns. */
export function brailleChart(
  values: readonly number[],
  { width, height, most }: ChartSize,
): readonly string[] {
  const rows = height * 4
  const points = stretched(values, width * 2)
  const levels = points.map((value) =>
    Math.min(rows - 1, Math.max(0, Math.round((value / Math.max(most, Number.MIN_VALUE)) * (rows - 1)))),
  )
  const cells = Array.from({ length: height }, () => new Array<number>(width).fill(0))
  for (const [index, level] of levels.entries()) {
    const before = levels[index - 1] ?? level
    for (let row = Math.min(before, level); row <= Math.max(before, level); row++) {
      // The stroke that joins two points belongs to the newer one.
      if (row !== before || row === level) dot(cells, index, row)
    }
  }
  return cells
    .map((row) => row.map((bits) => (bits === 0 ? ' ' : String.fromCharCode(firstPattern + bits))).join(''))
    .reverse()
}

/** Returns one point for each column of dots, interpolated between values. */
function stretched(values: readonly number[], columns: number): readonly number[] {
  if (values.length >= columns || values.length < 2) return resampled(values, columns)
  const step = (values.length - 1) / (columns - 1)
  return Array.from({ length: columns }, (_, column) => {
    const at = column * step
    const before = Math.min(values.length - 2, Math.floor(at))
    const [one = 0, other = 0] = [values[before], values[before + 1]]
    return one + (other - one) * (at - before)
  })
}

function dot(cells: readonly number[][], x: number, y: number): void {
  const row = cells[Math.floor(y / 4)]
  const column = Math.floor(x / 2)
  if (row) row[column] = (row[column] ?? 0) | (dots[x % 2]?.[y % 4] ?? 0)
}

/** A breaker opened or closed. */
export interface Turn {
  at: number
  to: 'open' | 'closed'
}

const marks = { open: '■', closed: '·', unknown: ' ' } as const

/** Returns one mark for each slice of time: the worst of what the breaker was in it. Before its first turn it was the opposite. */
export function timeline(
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
