/** The part of the reducer that takes in what was read: pages, cursors and marks follow their rows. */
import { kept } from './move.ts'
import { atTop, isSamePlace, type ListPosition } from './page-window.ts'
import {
  all,
  figureItems,
  figureLists,
  type FigureList,
  type Figures,
  type ListName,
  type Snapshot,
} from './snapshot.ts'
import { isWhole, itemsOf, listOf, pageKey, selectedIndex, type KnownPage, type State } from './state.ts'

/** Takes in a snapshot; a frozen screen only takes pages it has never shown, and details. */
export function withSnapshot(state: State, snapshot: Snapshot): State {
  const { query, figures, detail, at } = snapshot
  const before = state.pages[query.list]
  const page = pageOf(snapshot)
  const pages = { ...state.pages, ...(state.frozen ? {} : figurePages(figures)), [query.list]: page }
  if (state.frozen && state.figures)
    return before?.key === page.key ? { ...state, detail } : anchored({ ...state, detail, pages })
  const next: State = {
    ...state,
    pages,
    figures,
    detail: detail ?? state.detail,
    readAt: at,
    now: Math.max(state.now, at),
    failure: null,
  }
  return landed(
    anchored(before?.key === page.key ? withCursorOf(next, { list: query.list, before, page }) : next),
    query.list,
  )
}

function pageOf({ query, items, more, cut, next, first, total }: Snapshot): KnownPage {
  const { place, limit, cutRows } = query
  return { key: pageKey(query), place, limit, cutRows, items, more, cut, next, first, total }
}

/** Moves the cursor's index along with the rows when another page of the same list arrives. */
function withCursorOf(
  state: State,
  { list, before, page }: { list: ListName; before: KnownPage; page: KnownPage },
): State {
  const cursor = state.cursors[list]
  if (cursor === undefined || isSamePlace(before.place, page.place)) return state
  const [first, other] = [before.items[0], page.items[0]]
  const down = before.items.findIndex(({ id }) => id === other?.id)
  const up = page.items.findIndex(({ id }) => id === first?.id)
  const index = cursor.index + (down > 0 ? -down : Math.max(0, up))
  return { ...state, cursors: { ...state.cursors, [list]: { ...cursor, index: Math.max(0, index) } } }
}

/** Selects the row that a jump asked for, or returns to the top if the whole page is gone. */
function landed(state: State, list: ListName): State {
  const [stand, page] = [state.positions[list], state.pages[list]]
  if (page === undefined || !isSamePlace((stand ?? atTop).place, page.place)) return state
  if (stand === undefined) return list === listOf(state) ? kept(state) : state
  const stood = (to: ListPosition): State['positions'] => ({ ...state.positions, [list]: to })
  if (page.items.length === 0 && !page.more && stand.place.cursor !== null)
    return { ...state, positions: stood(atTop) }
  if (stand.jump === null) return list === listOf(state) ? kept(state) : state
  const last = page.items.length - 1
  const index = Math.max(0, Math.min(last, (stand.jump.to === 'first' ? 0 : last) + stand.jump.by))
  const cursors = { ...state.cursors, [list]: { id: page.items[index]?.id ?? null, index } }
  return { ...state, cursors, positions: stood({ ...stand, jump: null }) }
}

/** Returns the pages of lists that the figures contain whole. */
function figurePages(figures: Figures): State['pages'] {
  const page = (list: FigureList): KnownPage => {
    const items = figureItems[list](figures)
    return {
      ...all(items),
      key: pageKey({ list, cause: null, selector: {} }),
      place: atTop.place,
      limit: items.length,
      cutRows: items.length,
    }
  }
  return Object.fromEntries(figureLists.map((list) => [list, page(list)]))
}

/**
 * Keeps the selection on its row, or on the row that took its place; an open detail stays open when
 * its row leaves the list. The overview selects nothing by itself: the worst stays on top. Drops marks of rows that are gone.
 */
export function anchored(state: State): State {
  const items = itemsOf(state)
  const list = listOf(state)
  const chosen = state.cursors[list]?.id ?? null
  if (items === null || (list === 'overview' && chosen === null)) return state
  const index = selectedIndex(state, items)
  const cursors = {
    ...state.cursors,
    [list]: { id: state.open ? chosen : (items[index]?.id ?? null), index },
  }
  const page = state.pages[list]
  // In a long list it is unknown which rows are gone; the panel of an action checks.
  if (state.marks.size === 0 || page === undefined || !isWhole(page)) return { ...state, cursors }
  const there = new Set(items.map(({ id }) => id))
  return { ...state, cursors, marks: new Map([...state.marks].filter(([id]) => there.has(id))) }
}
