/** The value below which `share` (0 … 1) of the values lie. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function spread(values) {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) }
}

/**
 * Median, least, most and the interval that holds the true median with a probability of at least 95 %, by the order
 * of the values alone: no distribution is assumed. `low` and `high` are null below 6 values, which can't give one.
 */
export function ratioOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = outerRank(sorted.length)
  return {
    ...spread(sorted),
    low: rank === 0 ? null : sorted[rank - 1],
    high: rank === 0 ? null : sorted[sorted.length - rank],
  }
}

/** The highest rank k so that at most 2.5 % of draws have fewer than k of `n` values below the median; 0: there is none. */
function outerRank(n) {
  let rank = 0
  let term = 0.5 ** n
  for (let below = 0, sum = 0; below < n / 2; below += 1) {
    sum += term
    if (sum > 0.025) break
    rank = below + 1
    term *= (n - below) / (below + 1)
  }
  return rank
}
