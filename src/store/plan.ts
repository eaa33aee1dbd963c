/**
 * A plan decides what a transaction does: a pure function from facts to changes, over a batch. Both kinds of store
 * run the same plans: one that must not await within its transaction, and one that awaits every read and write.
 */
import type { Changes } from './changes.ts'
import type { Facts, FactSets, FactsRequest } from './facts.ts'

export interface Plan<Item, Answer> {
  /** What `plan` needs to know of these items. */
  facts(items: readonly Item[]): FactsRequest
  /** Pure. Called again when the transaction is repeated. A WfError that it throws rejects the transaction. */
  plan(items: readonly Item[], facts: Facts, now: number): Planned<Answer>
  /** Items of the same key change the same rows: the second is planned after the changes of the first are written. */
  key(item: Item): number | string
  /** Answers for an item whose changes the database refused, so that the others stand. Absent: the transaction rejects. */
  refused?(item: Item, error: Error, now: number): Planned<Answer>
}

export interface Planned<Answer> {
  changes: Changes
  /** In the order of the items. */
  answers: readonly Answer[]
}

/** A plan of one item at a time, over a batch. */
export interface ItemPlan<Item, Answer> {
  key(item: Item): number | string
  facts(item: Item): FactSets
  plan(item: Item, facts: Facts, now: number): PlannedItem<Answer>
  refused?(item: Item, error: Error, now: number): PlannedItem<Answer>
}

export interface PlannedItem<Answer> {
  changes: Changes
  answer: Answer
}

export function planOf<Item, Answer>({ refused, ...one }: ItemPlan<Item, Answer>): Plan<Item, Answer> {
  return {
    key: one.key,
    facts: (items) => combined(items.map(one.facts)),
    plan(items, facts, now) {
      const planned = items.map((item) => one.plan(item, facts, now))
      return {
        changes: combined(planned.map(({ changes }) => changes)),
        answers: planned.map(({ answer }) => answer),
      }
    },
    ...(refused && {
      refused(item: Item, error: Error, now: number) {
        const { changes, answer } = refused(item, error, now)
        return { changes, answers: [answer] }
      },
    }),
  }
}

/** Joins sets of the same name. */
export function combined<Sets extends Changes | FactSets>(all: readonly Sets[]): Sets {
  if (all.length === 1 && all[0] !== undefined) return all[0]
  const joined: Record<string, unknown[]> = {}
  for (const sets of all)
    for (const [name, rows] of Object.entries(sets) as [string, readonly unknown[]][]) {
      joined[name] ??= []
      for (const row of rows) joined[name].push(row)
    }
  return joined as unknown as Sets
}

/** Splits a batch, in order, where an item has the key of an earlier one of its part. */
export function parts<Item>(
  { key }: Pick<Plan<Item, never>, 'key'>,
  items: readonly Item[],
): readonly (readonly Item[])[] {
  const split: Item[][] = []
  let keys = new Set<number | string>()
  for (const item of items) {
    const own = key(item)
    if (split.length === 0 || keys.has(own)) {
      split.push([])
      keys = new Set()
    }
    keys.add(own)
    split.at(-1)?.push(item)
  }
  return split
}
