/** What is marked: known by so much of it that an action needs no row of the list. */
import { keyOf, typeOf, type Item, type ItemKind } from './items.ts'
import type { ListName } from './snapshot.ts'
import type { Target } from '../engine/actions/targets.ts'

export interface Marked {
  id: string
  kind: ItemKind
  /** Of its job; null for what is no single job. */
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

/** The part of an id that is its own: the name of a breaker, the fingerprint of a cause. */
export const nameOf = ({ id }: Pick<Marked, 'id'>): string => id.slice(id.indexOf(':') + 1)

const kinds: Partial<Record<ListName, ItemKind>> = {
  incidents: 'incident',
  'dead-letters': 'letter',
  jobs: 'job',
}

/** Marks on all of a list of jobs, of which only a page is known. */
export function marksOfTargets(list: ListName, targets: readonly Target[]): Marks {
  const kind = kinds[list]
  if (kind === undefined) return noMarks
  return new Map(targets.map(({ key, type }) => [`job:${key}`, { id: `job:${key}`, kind, key, type }]))
}
