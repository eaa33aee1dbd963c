/** Goes through a list page by page: cursors are nobody else's business. */
import type { Page, Paged } from './port.ts'

export interface Walk {
  /** Items in all, at most. */
  limit?: number | undefined
  sort?: string | undefined
  /** Where a page before ended. */
  cursor?: string | undefined
  /** Items a page, at most 1,000. */
  size?: number
}

/** What a store answers at once. */
const largestPage = 1_000

/** Pages in order, empty ones too: one that looked into many rows may have found none that fits. */
export async function* pagesOf<T>(
  fetch: (page: Page) => Promise<Paged<T>>,
  { limit = Number.POSITIVE_INFINITY, sort, cursor, size = largestPage }: Walk = {},
): AsyncGenerator<Paged<T>> {
  const order = sort === undefined ? {} : { sort }
  let left = limit
  for (let next: string | null | undefined = cursor; next !== null && left > 0; ) {
    const page: Paged<T> = await fetch({
      limit: Math.min(size, left),
      ...order,
      ...(next === undefined ? {} : { cursor: next }),
    })
    left -= page.items.length
    next = page.next
    yield page
  }
}

/** All items at once: for those that must be known before the first is touched. */
export async function everyItem<T>(
  fetch: (page: Page) => Promise<Paged<T>>,
  walk: Walk = {},
): Promise<readonly T[]> {
  const items: T[] = []
  for await (const page of pagesOf(fetch, walk)) for (const item of page.items) items.push(item)
  return items
}
