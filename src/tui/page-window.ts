/**
 * Where in a long list the page stands that is known of it. Pages are told by what they begin behind, not by a number of
 * rows, so that neither what comes nor what goes moves them; from the top of the list or from its end. Of the list no more
 * than one page is ever held.
 */

export interface Place {
  /** Read from the end of the list upwards. */
  fromEnd: boolean
  /** Behind which row it begins, seen from that end; null for the first one. */
  cursor: string | null
  /** Rows between that end and the page, as they were when they were passed. */
  passed: number
}

export interface ListPosition {
  place: Place
  /** Places on the way from that end, the last one last. */
  passedPages: readonly PassedPage[]
  /** Wanted of a page that is still to come: its first or its last row, and so many rows on from it. */
  jump: Jump | null
}

interface PassedPage extends Place {
  /** The next one has no row of it. */
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

/** What a page tells of how to go on from it. */
export interface PageEdges {
  count: number
  /** There is more in the direction of its reading. */
  more: boolean
  /** Behind its first part, of `cutRows` rows; null where it has no more than that. */
  cut: string | null
  cutRows: number
  /** Behind all of it. */
  next: string | null
  /** Rows that were asked for. */
  limit: number
}

export interface Step {
  /** Rows between the selected one and the edge of the page that is nearer to the end which it is read from. */
  depth: number
  /** Whether the wish goes over an edge: away from that end, or towards it. */
  over: 'away' | 'towards' | null
}

/** Where to read on, so that there are always rows around the selected one; null while the page serves. */
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
  // So few were found in so many rows that were looked into: what follows has none of these.
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

/** Rows that a page is read in parts of: some screens. */
export const partRows = (screenRows: number): number => Math.ceil((2 * Math.max(20, screenRows)) / 50) * 50

/** A page has three parts at most: one around the selected row, and one on either side. */
export function pageRows(
  { fromEnd, cursor }: Place,
  { screenRows, index }: { screenRows: number; index: number },
): number {
  const part = partRows(screenRows)
  if (fromEnd || cursor !== null) return 3 * part
  return Math.min(3 * part, Math.ceil((index + 2 * Math.max(20, screenRows)) / 50) * 50)
}
