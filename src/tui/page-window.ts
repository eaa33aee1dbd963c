/**
 * The position of a page in a long list. Keyset pagination from the top or from the end of the list, so that inserts
 * and deletes don't shift the page. At most one page
 * is in memory.
 */

export interface Place {
  /** Read from the end of the list upwards. */
  fromEnd: boolean
  /** The page begins after this row, seen from that end; null for the first page. */
  cursor: string | null
  /** Rows between that end and the page, counted while moving there. */
  passed: number
}

export interface ListPosition {
  place: Place
  /** Pages passed on the way from that end, the last one last. */
  passedPages: readonly PassedPage[]
  /** Row to select once the page is read: its first or last row, and an offset. */
  jump: Jump | null
}

interface PassedPage extends Place {
  /** The next page doesn't overlap it. */
  gap: boolean
}

export interface Jump {
  to: 'first' | 'last'
  by: number
}

export const atTop: ListPosition = {
  place: { fromEnd: false, cursor: null, passed: 0 },
  passedPages: [],
  jump: null,
}
export const atEnd: ListPosition = {
  place: { fromEnd: true, cursor: null, passed: 0 },
  passedPages: [],
  jump: { to: 'last', by: 0 },
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.fromEnd === other.fromEnd && one.cursor === other.cursor
}

/** How to continue from a page. */
export interface PageEdges {
  count: number
  /** More rows follow in the reading direction. */
  more: boolean
  /** Cursor after its first part of `cutRows` rows; null if it has no more rows. */
  cut: string | null
  cutRows: number
  /** Cursor after the page. */
  next: string | null
  /** Requested rows. */
  limit: number
}

export interface Step {
  /** Rows between the selected one and the edge where the page begins. */
  depth: number
  /** The edge that the move crosses: away from that end, or towards it. */
  over: 'away' | 'towards' | null
}

/** Returns the page to read next, so that rows surround the selected one; null while the present page does. */
export function nextPosition(
  stand: ListPosition,
  page: PageEdges,
  { depth, over }: Step,
): ListPosition | null {
  const { place, passedPages } = stand
  const on = (cursor: string | null, rows: number, gap: boolean): ListPosition => ({
    place: { ...place, cursor, passed: place.passed + rows },
    passedPages: [...passedPages, { ...place, gap }],
    jump: gap ? { to: place.fromEnd ? 'last' : 'first', by: 0 } : null,
  })
  const isShort = page.count < page.limit
  const overlaps = page.cut !== null && page.count > page.cutRows
  if (page.more && overlaps && (depth >= 2 * page.cutRows || (over === 'away' && isShort)))
    return on(page.cut, page.cutRows, false)
  // A filter found few rows in many: the next page doesn't overlap this one.
  if (page.more && isShort && over === 'away') return on(page.next, page.count, true)
  const before = passedPages.at(-1)
  if (before === undefined || (before.gap ? over !== 'towards' : depth >= page.cutRows / 2)) return null
  const { gap, ...nearer } = before
  return {
    place: nearer,
    passedPages: passedPages.slice(0, -1),
    jump: gap ? { to: place.fromEnd ? 'first' : 'last', by: 0 } : null,
  }
}

/** Returns the rows of a part of a page: some screens. */
export const partRows = (screenRows: number): number => Math.ceil((2 * Math.max(20, screenRows)) / 50) * 50

/** Returns the rows of a page, at most three parts: around the selected row, and one on either side. */
export function pageRows(
  { fromEnd, cursor }: Place,
  { screenRows, index }: { screenRows: number; index: number },
): number {
  const part = partRows(screenRows)
  if (fromEnd || cursor !== null) return 3 * part
  return Math.min(3 * part, Math.ceil((index + 2 * Math.max(20, screenRows)) / 50) * 50)
}
