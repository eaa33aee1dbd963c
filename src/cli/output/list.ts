/** Lists: pages put together, keys alone, a table, or one document; an empty one says where it looked. */
import { Masked } from '../../text/mask.ts'
import { selectorText } from '../../domain/selector-text.ts'
import { nearSelector, type Names } from '../input/suggestions.ts'
import type { Output } from '../../terminal/output.ts'
import { Safe, say, shownSelector } from '../../terminal/safe.ts'
import { table, type Column } from '../../terminal/table.ts'
import { thousands } from '../../terminal/time.ts'
import { type Page, type Paged, pagesOf } from '../../store/page.ts'
import type { Selector } from '../../domain/selector.ts'
import type { StoreInfo } from '../../store/views.ts'

export interface ListFlags {
  limit?: number | undefined
  cursor?: string | undefined
  sort?: string | undefined
  ids?: boolean
}

const defaultLimit = 50

/** Asks for pages until `limit` is reached. */
export async function collect<T>(
  fetch: (page: Page) => Promise<Paged<T>>,
  { limit = defaultLimit, cursor, sort }: ListFlags,
): Promise<Paged<T>> {
  const items: T[] = []
  let looked = 0
  let next: string | null = null
  for await (const page of pagesOf(fetch, { limit, cursor, sort })) {
    for (const item of page.items) items.push(item)
    looked += page.looked ?? 0
    next = page.next
  }
  return { items, next, ...(looked > 0 ? { looked } : {}) }
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
  /** What the list was narrowed by; said when nothing was found. */
  selector?: Selector
  /** Asked for beside a selector. */
  types?: readonly string[] | undefined
  from: { info(): Promise<StoreInfo> } & Names
}

export async function printList<T>(output: Output, listing: Listing<T>, context: ListContext): Promise<void> {
  const { items, next } = listing.page
  const { missing = [] } = context
  output.document({
    items: items.map(listing.document),
    page: { next: nextInJson(next) },
    ...(missing.length > 0 ? { missing } : {}),
  })
  if (items.length === 0) {
    const { location } = await context.from.info()
    output.note(say`no ${listing.noun} in ${location}${narrowedWords(listing.page, context)}`)
    const { from, selector = context.types ? { types: context.types } : {} } = context
    const near = output.json ? null : await nearSelector(from, selector)
    if (near) output.note(say`${near}`)
  } else if (context.ids) {
    output.print(...items.map((item) => say`${listing.id(item)}`))
  } else {
    output.print(...table(items, listing.columns, { paint: output.paint, width: output.width }))
  }
  if (missing.length > 0) output.note(say`not there: ${namedKeys(missing)}`)
  // Words: whoever pipes the keys on must know that these are not all.
  if (next !== null)
    output.note(say`${output.errPaint.dim(say`there are more: --limit, or --cursor ${new Safe(next)}`)}`)
}

/** Where a page ended is wf's own word. */
export const nextInJson = (next: string | null): Masked | null => (next === null ? null : new Masked(next))

/** Empty for a list of everything; what is open or closed stands in the noun. */
function narrowedWords({ looked }: Paged<unknown>, { selector = {} }: ListContext): Safe {
  const { keys: _, ...narrowed } = selector
  const words = selectorText(narrowed)
  const read = looked === undefined ? say`` : say` (${thousands(looked)} looked into)`
  return words === '' ? say`` : say` for ${shownSelector(words)}${read}`
}

const mostNamed = 10

/** `4, 5 and 12 more` */
export function namedKeys(keys: readonly number[]): string {
  const named = keys.slice(0, mostNamed).join(', ')
  return keys.length > mostNamed ? `${named} and ${keys.length - mostNamed} more` : named
}
