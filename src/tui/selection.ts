/** Marked rows, with what an action needs to know of each. */
import { keyOf, typeOf, type Item, type ItemKind } from './items.ts'
import type { ListName } from './snapshot.ts'
import type { Target } from '../engine/actions/targets.ts'

export interface Marked {
  id: string
  kind: ItemKind
  /** Key of its job; null if it has no single job. */
  key: number | null
  type: string | null
}

export type Marks = ReadonlyMap<string, Marked>

export const noMarks: Marks = new Map()

export const markOf = (item: Item): Marked => ({
  id: item.id,
  kind: item.kind,
  key: keyOf(item),
  type: typeOf(item),
})

export const marksOf = (items: readonly Item[]): Marks =>
  new Map(items.map((item) => [item.id, markOf(item)]))

/** Returns an id without its kind: the name of a breaker, the fingerprint of a cause. */
export const nameOf = ({ id }: Pick<Marked, 'id'>): string => id.slice(id.indexOf(':') + 1)

const kinds: Partial<Record<ListName, ItemKind>> = {
  incidents: 'incident',
  'dead-letters': 'letter',
  jobs: 'job',
}

/** Returns marks for all targets of a list of jobs. */
export function marksOfTargets(list: ListName, targets: readonly Target[]): Marks {
  const kind = kinds[list]
  if (kind === undefined) return noMarks
  return new Map(targets.map(({ key, type }) => [`job:${key}`, { id: `job:${key}`, kind, key, type }]))
}
