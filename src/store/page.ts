/** Pages of a list: keyset pagination, so that inserts and deletes don't shift a page, and helpers that walk all pages. */
import { WfError } from '../errors.ts'
import { preview } from '../text/preview.ts'

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

/** Between 1 and `largestPage`. Throws WfError `usage` if the limit isn't a number: programs without types pass anything. */
export function pageSize({ limit }: Pick<Page, 'limit'>): number {
  if (typeof limit !== 'number' || Number.isNaN(limit))
    throw new WfError('usage', `the limit of a page is ${preview(limit, 60)}`, {
      hint: 'a page has 1 to 1,000 rows: { limit: 100 }',
    })
  return Math.min(Math.max(1, Math.trunc(limit)), largestPage)
}

export function badCursor(cursor: string): WfError {
  return new WfError('usage', `${JSON.stringify(cursor.slice(0, 60))} is not a cursor`, {
    hint: 'Use the `next` of the page before, in the same order, or leave it out.',
  })
}

/** Cursor of a list in the order of (key, name). */
export function namedCursor(key: number, name: string): string {
  return `${key}.${encodeURIComponent(name)}`
}

/** Throws WfError `usage`. */
export function namedEntryOf(cursor: string): readonly [key: number, name: string] {
  const [, key = '', name = ''] = /^(\d{1,16})\.(.*)$/s.exec(cursor) ?? []
  try {
    if (key !== '') return [Number(key), decodeURIComponent(name)]
  } catch {
    // Not one of ours.
  }
  throw badCursor(cursor)
}
