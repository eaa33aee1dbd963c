/**
 * What the variables of a cause's jobs have in common and those of other jobs of the type have not: the hint that finds a
 * cause which no error message names. Pure. Values that look secret are never told.
 */
import { maskValue } from '../text/mask.ts'
import { pathText } from './variable-path.ts'

export interface CommonVariable {
  /** As `--set` and `--where` take it: `customer.region`. */
  path: string
  /** Text, number, true, false or null. */
  value: Scalar
  /** Of the members, 0.9 … 1. */
  share: number
  /** Of the other jobs, 0 … 0.3. */
  shareOfOthers: number
}

export type Scalar = string | number | boolean | null

/** With fewer of either nothing is said: what a few have in common is chance. */
const fewestMembers = 2
const fewestOthers = 3
const leastShare = 0.9
const mostShareOfOthers = 0.3
const mostCommon = 10
const mostPaths = 500
const deepest = 8
const longestText = 200

/** @param members, others variables as JSON text; what is no object is a job without variables */
export function commonVariables(
  members: readonly string[],
  others: readonly string[],
): readonly CommonVariable[] {
  if (members.length < fewestMembers || others.length < fewestOthers) return []
  const needed = Math.ceil(members.length * leastShare)
  const often = [...countsOf(members)].filter(([, { count }]) => count >= needed)
  const elsewhere = countsOf(others)
  return often
    .map(([name, { path, value, count }]) => ({
      path,
      value,
      share: count / members.length,
      shareOfOthers: (elsewhere.get(name)?.count ?? 0) / others.length,
    }))
    .filter(({ shareOfOthers }) => shareOfOthers <= mostShareOfOthers)
    .sort((a, b) => b.share - b.shareOfOthers - (a.share - a.shareOfOthers) || (a.path < b.path ? -1 : 1))
    .slice(0, mostCommon)
}

interface Leaf {
  path: string
  value: Scalar
}

function countsOf(texts: readonly string[]): ReadonlyMap<string, Leaf & { count: number }> {
  const counts = new Map<string, Leaf & { count: number }>()
  for (const text of texts) {
    for (const leaf of leavesOf(text)) {
      const name = JSON.stringify([leaf.path, leaf.value])
      const found = counts.get(name)
      if (found) found.count += 1
      else counts.set(name, { ...leaf, count: 1 })
    }
  }
  return counts
}

function leavesOf(text: string): readonly Leaf[] {
  const root = parsed(text)
  const leaves: Leaf[] = []
  // A secret is hidden by the names above it too, so the whole is masked and looked at beside what it was.
  if (isObject(root)) collect({ value: root, shown: maskValue(root), path: [] }, leaves)
  return leaves
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Lists are passed by: a place in a list means something else in each job. */
function collect(
  { value, shown, path }: { value: object; shown: unknown; path: readonly string[] },
  leaves: Leaf[],
): void {
  for (const [key, member] of Object.entries(value)) {
    if (leaves.length >= mostPaths) return
    const shownMember: unknown = isObject(shown)
      ? Object.getOwnPropertyDescriptor(shown, key)?.value
      : undefined
    const below = [...path, key]
    if (isObject(member) && below.length < deepest)
      collect({ value: member, shown: shownMember, path: below }, leaves)
    else if (isTold(member) && shownMember === member) leaves.push({ path: pathText(below), value: member })
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Larger whole numbers have lost digits when they were read: two of them may look alike. */
function isTold(value: unknown): value is Scalar {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
  if (typeof value === 'string') return value.length <= longestText
  return typeof value === 'boolean' || value === null
}
