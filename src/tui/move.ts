/** Moves the selection, or scrolls the detail if that is open. */
import { atEnd, atTop, isSamePlace, nextPosition, type ListPosition, type Step } from './page-window.ts'
import { itemsOf, listOf, listRows, selectedIndex, positionOf, type KnownPage, type State } from './state.ts'

export type Move = 'down' | 'up' | 'page-down' | 'page-up' | 'first' | 'last'

/** Beyond the end of any detail; the view stops at its last line. */
const farDown = 100_000

export function move(state: State, to: Move): State {
  if (state.open)
    return {
      ...state,
      scroll: Math.max(0, Math.min(farDown, next(state.scroll, { to, page: 10, last: farDown }))),
    }
  const page = state.pages[listOf(state)]
  const items = itemsOf(state)
  if (items === null || page === undefined) return state
  const turned = turnedTo(state, to, page)
  if (turned !== null) return turned
  const { jump } = positionOf(state)
  const rows = listRows(state) - 1
  // The target row is still being read: move on from it.
  if (jump !== null)
    return positionedAt(state, {
      ...positionOf(state),
      jump: { ...jump, by: next(jump.by, { to, page: rows, last: jump.by }) },
    })
  const last = items.length - 1
  const wanted = next(selectedIndex(state, items), { to, page: rows, last })
  const index = Math.max(0, Math.min(last, wanted))
  const cursors = { ...state.cursors, [listOf(state)]: { id: items[index]?.id ?? null, index } }
  return readOn({ ...state, cursors, scroll: 0 }, page, { index, wanted })
}

const positionedAt = (state: State, stand: ListPosition): State => ({
  ...state,
  positions: { ...state.positions, [listOf(state)]: stand },
})

/** Turns to the first or last page if the present one doesn't reach it. */
function turnedTo(state: State, to: Move, { place, more }: KnownPage): State | null {
  if (to !== 'first' && to !== 'last') return null
  const stand = to === 'first' ? { ...atTop, jump: { to, by: 0 } as const } : atEnd
  const isThere = place.fromEnd === (to === 'last') && place.cursor === null
  const isKnown = isThere || (!more && (place.cursor === null || place.fromEnd === (to === 'first')))
  if (isKnown && positionOf(state).jump === null) return null
  return state.frozen ? told(state) : positionedAt(state, stand)
}

/** Reads on if rows that came or went have brought the selected one near an edge of the page. */
export function kept(state: State): State {
  const page = state.pages[listOf(state)]
  const items = itemsOf(state)
  if (page === undefined || items === null || items.length === 0 || state.frozen) return state
  const index = selectedIndex(state, items)
  return readOn(state, page, { index, wanted: index })
}

/** Requests the next page well before its rows are needed. */
function readOn(state: State, page: KnownPage, { index, wanted }: { index: number; wanted: number }): State {
  const stand = positionOf(state)
  const { fromEnd } = stand.place
  const count = page.items.length
  const over = overWhich(wanted, { count, fromEnd })
  if (state.frozen)
    return over !== null && (over === 'away' ? page.more : stand.passedPages.length > 0) ? told(state) : state
  // The last requested page hasn't arrived yet.
  if (!isSamePlace(page.place, stand.place)) return state
  const on = nextPosition(stand, { ...page, count }, { depth: fromEnd ? count - 1 - index : index, over })
  return on === null ? state : positionedAt(state, on)
}

function overWhich(wanted: number, { count, fromEnd }: { count: number; fromEnd: boolean }): Step['over'] {
  if (wanted >= 0 && wanted < count) return null
  return wanted < 0 === fromEnd ? 'away' : 'towards'
}

function told(state: State): State {
  return { ...state, notice: { text: 'the screen is frozen: p resumes it', tone: 'bad', at: state.now } }
}

function next(from: number, { to, page, last }: { to: Move; page: number; last: number }): number {
  const step = Math.max(1, page)
  switch (to) {
    case 'down':
      return from + 1
    case 'up':
      return from - 1
    case 'page-down':
      return from + step
    case 'page-up':
      return from - step
    default:
      return to === 'first' ? 0 : last
  }
}
