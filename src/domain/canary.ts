/** Which jobs are tried before the others. Pure. */

export interface CanaryChoice<T> {
  canaries: readonly T[]
  rest: readonly T[]
  /** Causes in all, and how many of them no canary stands for. */
  causes: number
  unproven: number
}

/**
 * `count` of the targets, spread over their causes: one of each in turn, the causes with the most jobs first; within a cause
 * spread from its first to its last in the order given, so that old and new ones are tried. All when there are no more.
 */
export function chooseCanaries<T extends { fingerprint: string }>(
  targets: readonly T[],
  count: number,
): CanaryChoice<T> {
  const groups = new Map<string, T[]>()
  for (const target of targets) {
    const group = groups.get(target.fingerprint)
    if (group) group.push(target)
    else groups.set(target.fingerprint, [target])
  }
  const byCount = [...groups.values()].sort((a, b) => b.length - a.length)
  const shares = sharesOf(byCount, count)
  const chosen = new Set(byCount.flatMap((group, index) => spread(group, shares[index] ?? 0)))
  return {
    canaries: targets.filter((target) => chosen.has(target)),
    rest: targets.filter((target) => !chosen.has(target)),
    causes: groups.size,
    unproven: shares.filter((share) => share === 0).length,
  }
}

function sharesOf(groups: readonly (readonly unknown[])[], count: number): readonly number[] {
  const shares = groups.map(() => 0)
  let left = count
  for (let given = true; left > 0 && given; ) {
    given = false
    for (const [index, group] of groups.entries()) {
      const share = shares[index] ?? 0
      if (left === 0 || share >= group.length) continue
      shares[index] = share + 1
      left -= 1
      given = true
    }
  }
  return shares
}

function spread<T>(group: readonly T[], count: number): readonly T[] {
  if (count >= group.length) return group
  return Array.from(
    { length: count },
    (_, index) => group[count === 1 ? 0 : Math.round((index * (group.length - 1)) / (count - 1))],
  ).filter((each): each is T => each !== undefined)
}
