/** Moving the selection, or, where the detail has the keys, what of it is in view. */
import { canGrow, itemsOf, listOf, listRows, selectedIndex, type State } from './state.ts'

export type Move = 'down' | 'up' | 'page-down' | 'page-up' | 'first' | 'last'

/** Further down than any detail is long; the view stops at its end. */
const farDown = 100_000

export function move(state: State, to: Move): State {
  if (state.open) return { ...state, scroll: Math.max(0, Math.min(farDown, next(state.scroll, { to, page: 10, last: farDown }))) }
  const items = itemsOf(state)
  if (items === null || items.length === 0) return state
  const last = items.length - 1
  const index = Math.max(0, Math.min(last, next(selectedIndex(state, items), { to, page: listRows(state) - 1, last })))
  const cursors = { ...state.cursors, [listOf(state)]: { id: items[index]?.id ?? null, index } }
  const moved: State = { ...state, cursors, scroll: 0 }
  // Until all rows are there, the last of those that are.
  if (to === 'last' && canGrow(state)) return { ...moved, whole: 'last' }
  return state.whole === 'last' ? { ...moved, whole: null } : moved
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
