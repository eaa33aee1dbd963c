/** For refusals and empty answers: what was probably meant. */

const furthest = 3
/** A single letter is no slip of another. */
const fewestLetters = 2

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

/** The only one that begins so. */
function begunBy(word: string, known: readonly string[]): string | null {
  const begun = known.filter((each) => each.startsWith(word))
  return begun.length === 1 ? (begun[0] ?? null) : null
}

/** Of the words that are not known, the known ones that they begin or that are a slip away. */
export function nearWords(asked: readonly string[], known: readonly string[]): readonly string[] {
  return [
    ...new Set(
      asked
        .filter((word) => word.length >= fewestLetters && !known.includes(word))
        .flatMap((word) => begunBy(word, known) ?? nearestWord(word, known) ?? []),
    ),
  ]
}

/** `did you mean charge-payment?`, and behind it what is said anyway. */
export function didYouMean(near: readonly (string | number)[], otherwise = ''): string {
  return near.length === 0 ? otherwise : `did you mean ${near.join(' and ')}? ${otherwise}`.trimEnd()
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
