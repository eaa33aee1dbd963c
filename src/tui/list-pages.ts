/** Reads one page of a list, and its position in the list. */
import type { StoreReader } from '../store/port.ts'
import type { Listed } from './filter.ts'
import type { Place } from './page-window.ts'
import type { Figures, Query, Rows, Standing } from './snapshot.ts'
import type { Page as StorePage, Paged } from '../store/page.ts'

/** Reads for one page: a filter on errors or variables may find few rows in each. */
const mostLooks = 5

export async function rowsAt<T>(
  fetch: (page: StorePage) => Promise<Paged<T>>,
  { place: { fromEnd, cursor: from }, limit, cutRows }: Pick<Query, 'place' | 'limit' | 'cutRows'>,
): Promise<Rows<T>> {
  const items: T[] = []
  let [next, cut, looks]: [string | null, string | null, number] = [from, null, 0]
  do {
    const isFirst = items.length < cutRows
    const wanted = isFirst ? Math.min(cutRows, limit) - items.length : limit - items.length
    const page: Paged<T> = await fetch({
      limit: wanted,
      reverse: fromEnd,
      ...(next === null ? {} : { cursor: next }),
    })
    items.push(...page.items)
    next = page.next
    if (isFirst && items.length === cutRows) cut = next
    looks += 1
  } while (next !== null && items.length < limit && looks < mostLooks)
  return { items: fromEnd ? items.reverse() : items, more: next !== null, cut, next }
}

/** Returns the page's position as the store counts it, else as far as the figures tell. */
export async function standingOf(
  { reader, figures, listed }: { reader: Pick<StoreReader, 'tally'>; figures: Figures; listed: Listed },
  place: Place,
  { items: { length }, more }: Pick<Rows<unknown>, 'items' | 'more'>,
): Promise<Standing> {
  const { fromEnd, cursor, passed } = place
  if (!more && cursor === null) return { first: 0, total: length }
  const total = await totalOf(reader, figures, listed)
  if (total === null) return { first: fromEnd ? null : passed, total: null }
  const behind = cursor === null ? 0 : await besideOf(reader, listed, place)
  const first = fromEnd ? total - behind - length : behind
  return { first: Math.max(0, first), total: Math.max(total, first + length) }
}

async function totalOf(
  reader: Pick<StoreReader, 'tally'>,
  figures: Figures,
  { of, selector }: Listed,
): Promise<number | null> {
  if (of !== 'jobs') return reader.tally(of, selector)
  const { types, states = [], ...rest } = selector
  if (Object.keys(rest).length > 0 || states.length === 0 || states.includes('completed')) return null
  const meant = figures.types.filter(({ type }) => types?.includes(type) ?? true)
  return meant.reduce((sum, { counts }) => states.reduce((all, state) => all + (counts[state] ?? 0), sum), 0)
}

/** Rows between the page and the end that it was read from. */
async function besideOf(
  reader: Pick<StoreReader, 'tally'>,
  { of, selector }: Listed,
  { fromEnd, cursor, passed }: Place,
): Promise<number> {
  if (of === 'jobs' || cursor === null) return passed
  const [all, beyond] = [
    await reader.tally(of, selector),
    await reader.tally(of, selector, { cursor, reverse: fromEnd }),
  ]
  return all === null || beyond === null ? passed : all - beyond
}
