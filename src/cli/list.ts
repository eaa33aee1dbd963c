/** Lists: pages put together, keys alone, a table, or one document; an empty one says where it looked. */
import type { Page, Paged, StoreInfo } from '../store/store.ts'
import type { Output } from './output.ts'
import { say } from './safe.ts'
import { table, type Column } from './table.ts'

export interface ListFlags {
  limit?: number | undefined
  cursor?: string | undefined
  ids?: boolean
}

/** What a store answers at once. */
const pageSize = 1_000
const defaultLimit = 50

/** Asks for pages until `limit` is reached. */
export async function collect<T>(fetch: (page: Page) => Promise<Paged<T>>, { limit = defaultLimit, cursor }: ListFlags): Promise<Paged<T>> {
  const items: T[] = []
  let next: string | null | undefined = cursor
  do {
    const size = Math.min(pageSize, limit - items.length)
    const page: Paged<T> = await fetch(next === undefined || next === null ? { limit: size } : { limit: size, cursor: next })
    for (const item of page.items) items.push(item)
    next = page.next
  } while (next !== null && items.length < limit)
  return { items, next }
}

export interface Listing<T> {
  page: Paged<T>
  columns: readonly Column<T>[]
  document(item: T): unknown
  /** What `--ids` prints of an item. */
  id(item: T): string | number
  /** `jobs`, `open incidents`. */
  noun: string
}

export interface ListContext {
  ids?: boolean
  /** Named, and nothing has them. */
  missing?: readonly number[]
  from: { info(): Promise<StoreInfo> }
}

export async function printList<T>(output: Output, listing: Listing<T>, context: ListContext): Promise<void> {
  const { items, next } = listing.page
  const { missing = [] } = context
  output.document({ items: items.map(listing.document), page: { next }, ...(missing.length > 0 ? { missing } : {}) })
  if (items.length === 0) {
    const { location } = await context.from.info()
    output.note(say`no ${listing.noun} in ${location}`)
  } else if (context.ids) {
    output.print(...items.map((item) => say`${listing.id(item)}`))
  } else {
    output.print(...table(items, listing.columns, { paint: output.paint, width: output.width }))
  }
  if (missing.length > 0) output.note(say`not there: ${namedKeys(missing)}`)
  if (next !== null && !context.ids) output.note(say`${output.errPaint.dim(say`there are more: --limit, or --cursor ${next}`)}`)
}

const mostNamed = 10

/** `4, 5 and 12 more` */
export function namedKeys(keys: readonly number[]): string {
  const named = keys.slice(0, mostNamed).join(', ')
  return keys.length > mostNamed ? `${named} and ${keys.length - mostNamed} more` : named
}
