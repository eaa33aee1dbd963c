/** A row of bars, one column a value, the tallest the full height. A value above 0 always shows. */

const bars = '▁▂▃▄▅▆▇█'

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

/** As many values as there are columns: neighbours are averaged, the newest stand on the right. */
export function resampled(values: readonly number[], columns: number): readonly number[] {
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
