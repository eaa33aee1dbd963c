/** For refusals: the word that was probably meant. */

const furthest = 3

/** The closest of `words` by Levenshtein distance, or null when none is close enough to be a slip of the same word. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  let nearest: string | null = null
  let least = Math.min(furthest, Math.ceil(word.length / 2)) + 1
  for (const candidate of words) {
    const steps = distance(word.toLowerCase(), candidate.toLowerCase(), least)
    if (steps < least) {
      least = steps
      nearest = candidate
    }
  }
  return nearest
}

/** Levenshtein distance; anything from `limit` on is as good as `limit`. */
function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit
  let above = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (let column = 0; column < to.length; column++) {
      const swap = (above[column] ?? 0) + (letter === to[column] ? 0 : 1)
      current.push(Math.min(swap, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    above = current
  }
  return above[to.length] ?? limit
}
