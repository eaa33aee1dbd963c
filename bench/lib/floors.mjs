// What must hold, judged by medians; beside each ratio the spread over the rounds, because machines are noisy.
import { median } from './stats.mjs'

/**
 * A floor names `of` and, for a ratio, `over`: each [measurement, value]; several under `over` mean the best of them.
 * `atLeast` or `atMost` is the limit; without one the ratio is only shown.
 */
export function judge(floors, results) {
  return floors.map((floor) => {
    const top = series(results, floor.of)
    const below = best(results, floor)
    if (!top || below === undefined) return { ...floor, value: null, holds: null }
    const value = below ? median(top) / median(below) : median(top)
    const rounds = below ? top.map((number, round) => number / (below[round] ?? Number.NaN)) : top
    return {
      ...floor,
      value,
      low: Math.min(...rounds),
      high: Math.max(...rounds),
      holds: holds(floor, value),
    }
  })
}

function holds({ atLeast, atMost }, value) {
  if (atLeast !== undefined) return value >= atLeast
  return atMost === undefined ? null : value <= atMost
}

function best(results, { over, lower = false }) {
  if (!over) return null
  const candidates = (Array.isArray(over[0]) ? over : [over])
    .map((name) => series(results, name))
    .filter(Boolean)
  if (candidates.length === 0) return
  const ranked = candidates.sort((a, b) => (lower ? median(a) - median(b) : median(b) - median(a)))
  return ranked[0]
}

function series(results, [measurement, value]) {
  const values = results[measurement]?.map((result) => result[value]).filter((number) => number !== undefined)
  return values && values.length > 0 ? values : null
}
