/** A line chart out of braille dots: two a column and four a row, so that eighty columns show 160 points. */
import { resampled } from './sparkline.ts'

const firstPattern = 0x2800
/** Bits of the dots of one cell, by column and then from its lowest row upwards. */
const dots: readonly (readonly number[])[] = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
]

export interface ChartSize {
  width: number
  height: number
  /** The value at the upper edge. */
  most: number
}

/** Lines from top to bottom, all of them `width` columns; neighbouring points are joined. */
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
      // The joining stroke belongs to the newer point, but for the level that the older one has drawn itself.
      if (row !== before || row === level) dot(cells, index, row)
    }
  }
  return cells
    .map((row) => row.map((bits) => (bits === 0 ? ' ' : String.fromCharCode(firstPattern + bits))).join(''))
    .reverse()
}

/** As many points as there are columns of dots; between two values lies the straight way. */
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
