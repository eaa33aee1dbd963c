/** Rows for blocks that stand below each other: what each needs at least, then what it would like, the first ones first. */

export interface Wish {
  least: number
  most: number
}

/** As many numbers as there are wishes; together at most `rows`. */
export function shares(rows: number, wishes: readonly Wish[]): readonly number[] {
  let left = Math.max(0, rows)
  const take = (count: number) => {
    const taken = Math.min(left, Math.max(0, count))
    left -= taken
    return taken
  }
  const least = wishes.map((wish) => take(Math.min(wish.least, wish.most)))
  return wishes.map(({ most }, index) => (least[index] ?? 0) + take(most - (least[index] ?? 0)))
}
