/** Pages of a list: keyset pagination, so that inserts and deletes don't shift a page, and helpers that walk all pages. */

export interface Page {
  /** 1 to 1,000. */
  limit: number
  /** `next` of the page before, in the same order. */
  cursor?: string
  /** One of `sortOrders` of the list (default: the first). */
  sort?: string
  /** Walks backwards from the end, or from the cursor; items come nearest first. */
  reverse?: boolean
}

export interface Paged<T> {
  /** May be fewer than `limit`, even none, if many rows were read to find them. Only `next` says whether there are more. */
  items: readonly T[]
  /** Cursor of the next page; null at the end. */
  next: string | null
  /** Number of rows whose errors or variables were inspected. */
  looked?: number
}

export interface Walk {
  /** Maximum number of items in all. */
  limit?: number | undefined
  sort?: string | undefined
  /** Where an earlier page ended. */
  cursor?: string | undefined
  /** Items a page (default: 1,000, which is also the maximum). */
  size?: number
}

export const largestPage = 1_000

/** Yields pages in order, including empty ones. */
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

/** Returns all items at once. */
export async function everyItem<T>(
  fetch: (page: Page) => Promise<Paged<T>>,
  walk: Walk = {},
): Promise<readonly T[]> {
  const items: T[] = []
  for await (const page of pagesOf(fetch, walk)) for (const item of page.items) items.push(item)
  return items
}
