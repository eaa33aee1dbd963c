/** The candidate that a mistyped word most likely meant. */

/** Undefined when nothing is near enough: at most two slips, and fewer than half of the word. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const distance = candidate.startsWith(word) && word.length > 1 ? 0.5 : slips(word, candidate)
    if (distance > 2 || distance * 2 > Math.max(word.length, 2)) continue
    if (!best || distance < best.distance) best = { candidate, distance }
  }
  return best?.candidate
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from `from` to `to` (optimal string alignment). */
export function slips(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
        swapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = previous
    previous = current
  }
  return at(previous, to.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
