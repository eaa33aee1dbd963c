/** The reducer: the next state out of this one and an event. Pure; what an event asks of the outside is done by others. */
import { reduceConfirm } from './confirm.ts'
import type { Item } from './items.ts'
import { figureItems, figureLists, type FigureList } from './figure-pages.ts'
import { isVerb, screens, type Command, type Screen } from './keys.ts'
import { kept, move, type Move } from './move.ts'
import type { Event } from './event.ts'
import { reducePrompt } from './prompt.ts'
import { markOf, marksOf, noMarks } from './selection.ts'
import { atTop, isSamePlace, type Stand } from './page-window.ts'
import { all, type Figures, type ListName, type Snapshot } from './snapshot.ts'
import {
  canFilter,
  isWhole,
  itemsOf,
  listOf,
  pageKey,
  queryOf,
  selectedIndex,
  selectedItem,
  type KnownPage,
  type State,
} from './state.ts'
import { thousands } from '../terminal/time.ts'

export function reduce(state: State, event: Event): State {
  switch (event.type) {
    case 'resized':
      return { ...state, size: event.size }
    case 'ticked':
      return withoutOldNotice({ ...state, now: event.now })
    case 'read':
      return taken(state, event.snapshot)
    case 'looked':
      return looked(state, event.at)
    case 'failed':
      return {
        ...state,
        failure: { since: state.failure?.since ?? state.readAt ?? event.at, why: event.why },
      }
    case 'command':
      return commanded(withoutRefusal(state), event.command)
    case 'typed':
      return typed(state, event.key)
    case 'marked':
      return withMarks(state, event)
    case 'noticed':
      return { ...state, notice: event.notice }
    case 'showed':
      return { ...state, overlay: event.overlay }
    default:
      return reduceConfirm(state, event)
  }
}

/** What was refused is no news any more once something else is asked for. */
const withoutRefusal = (state: State): State =>
  state.notice?.tone === 'bad' ? { ...state, notice: null } : state

const noticeMs = 8_000

function withoutOldNotice(state: State): State {
  return state.notice && state.now - state.notice.at > noticeMs ? { ...state, notice: null } : state
}

/** Nothing is drawn for every look that finds nothing new. */
const lookedMs = 5_000

function looked(state: State, at: number): State {
  if (state.frozen || (state.failure === null && at - (state.readAt ?? 0) < lookedMs)) return state
  return { ...state, readAt: at, now: Math.max(state.now, at), failure: null }
}

/** What was read goes in; of a frozen screen only what it has never shown. */
function taken(state: State, snapshot: Snapshot): State {
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

/** Another page of the same list: the row that was selected has another number in it, which counts where it is gone. */
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

/** The row that was asked for is there; or the whole page is gone, and the list is shown from its beginning. */
function landed(state: State, list: ListName): State {
  const [stand, page] = [state.stands[list], state.pages[list]]
  if (page === undefined || !isSamePlace((stand ?? atTop).place, page.place)) return state
  if (stand === undefined) return list === listOf(state) ? kept(state) : state
  const stood = (to: Stand): State['stands'] => ({ ...state.stands, [list]: to })
  if (page.items.length === 0 && !page.more && stand.place.cursor !== null)
    return { ...state, stands: stood(atTop) }
  if (stand.jump === null) return list === listOf(state) ? kept(state) : state
  const last = page.items.length - 1
  const index = Math.max(0, Math.min(last, (stand.jump.to === 'first' ? 0 : last) + stand.jump.by))
  const cursors = { ...state.cursors, [list]: { id: page.items[index]?.id ?? null, index } }
  return { ...state, cursors, stands: stood({ ...stand, jump: null }) }
}

/** Without a filter, these are known as soon as the figures are. */
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
 * The selection stays with its item; where that is gone, with the row that took its place. What is opened stays open when
 * it has left the list. On the overview nothing is selected by itself: what is worst stays on top. Marks of what is gone go.
 */
function anchored(state: State): State {
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
  // Of a long list nobody knows what is gone; the panel of an action looks.
  if (state.marks.size === 0 || page === undefined || !isWhole(page)) return { ...state, cursors }
  const there = new Set(items.map(({ id }) => id))
  return { ...state, cursors, marks: new Map([...state.marks].filter(([id]) => there.has(id))) }
}

const moves: readonly Command[] = ['down', 'up', 'page-down', 'page-up', 'first', 'last']

function commanded(state: State, command: Command): State {
  if (state.overlay?.kind === 'help') return helped(state, command)
  if (moves.includes(command)) return move(state, command as Move)
  if (screens.some(({ screen }) => screen === command)) return toScreen(state, command as Screen)
  // Asked for by whoever can look at the store.
  if (isVerb(command)) return state
  return others[command]?.(state) ?? state
}

function helped(state: State, command: Command): State {
  const scroll = state.overlay?.kind === 'help' ? state.overlay.scroll : 0
  const steps: Partial<Record<Command, number>> = { down: 1, up: -1, 'page-down': 10, 'page-up': -10 }
  const step = steps[command]
  return {
    ...state,
    overlay: step === undefined ? null : { kind: 'help', scroll: Math.max(0, scroll + step) },
  }
}

const others: Partial<Record<Command, (state: State) => State>> = {
  open: opened,
  back,
  'next-screen': (state) => toScreen(state, neighbour(state.screen, 1)),
  'previous-screen': (state) => toScreen(state, neighbour(state.screen, -1)),
  filter: (state) =>
    canFilter(state)
      ? {
          ...state,
          overlay: {
            kind: 'prompt',
            of: 'filter',
            text: state.filters[listOf(state)]?.text ?? '',
            error: null,
          },
        }
      : {
          ...state,
          notice: {
            text: 'the overview shows all; filter on one of the other screens',
            tone: 'bad',
            at: state.now,
          },
        },
  palette: (state) => ({ ...state, overlay: { kind: 'prompt', of: 'palette', text: '', error: null } }),
  mark: (state) => marked(state),
  'mark-all': markedAll,
  explain: (state) => sided(state, 'explain'),
  attempts: (state) => sided(state, 'attempts'),
  freeze: (state) => ({ ...state, frozen: !state.frozen }),
  help: (state) => ({ ...state, overlay: { kind: 'help', scroll: 0 } }),
}

function neighbour(screen: Screen, step: number): Screen {
  const at = screens.findIndex((each) => each.screen === screen)
  return screens[(at + step + screens.length) % screens.length]?.screen ?? screen
}

function toScreen(state: State, screen: Screen): State {
  if (screen === state.screen && state.cause === null && !state.open) return state
  return anchored({ ...state, screen, cause: null, ...closedDetail, ...unmarked })
}

const unmarked = { marks: noMarks, marking: null } as const
const closedDetail = { open: false, pane: 'page', scroll: 0 } as const

function opened(state: State): State {
  const item = selectedItem(state)
  if (item === null || state.open) return state
  if (item.kind !== 'cause') return { ...withSelected(state, item), open: true, pane: 'page', scroll: 0 }
  const cursors = {
    ...state.cursors,
    causes: { id: item.id, index: state.cursors.causes?.index ?? 0 },
    incidents: { id: null, index: 0 },
  }
  return anchored({
    ...state,
    screen: 'incidents',
    cause: item.cause.fingerprint,
    cursors,
    stands: { ...state.stands, incidents: atTop },
    ...closedDetail,
    ...unmarked,
  })
}

/** Out of the innermost: another side of the detail, the detail, marks, filter, the members of a cause, to the overview. */
function back(state: State): State {
  if (state.open)
    return state.pane === 'page'
      ? anchored({ ...state, ...closedDetail })
      : { ...state, pane: 'page', scroll: 0 }
  if (state.pane !== 'page') return { ...state, pane: 'page', scroll: 0 }
  if (state.marks.size > 0 || state.marking !== null) return { ...state, ...unmarked }
  const list = listOf(state)
  if (state.filters[list]) {
    const { [list]: _, ...filters } = state.filters
    return anchored({ ...state, filters, stands: { ...state.stands, [list]: atTop } })
  }
  return toScreen(state, state.cause === null ? 'overview' : 'incidents')
}

function marked(state: State): State {
  const item = selectedItem(state)
  if (item === null) return state
  const marks = new Map(state.marks)
  if (!marks.delete(item.id)) marks.set(item.id, markOf(item))
  return move({ ...state, marks }, 'down')
}

/** All rows of the list, or none; those of a long one once somebody has read which they are. */
function markedAll(state: State): State {
  if (state.marks.size > 0 || state.marking !== null) return { ...state, ...unmarked }
  const [items, page] = [itemsOf(state), state.pages[listOf(state)]]
  if (items === null || page === undefined) return state
  return isWhole(page) ? { ...state, marks: marksOf(items) } : { ...state, marking: page.key }
}

/** Unless it is wanted no more. */
function withMarks(state: State, { key, marks, more }: Extract<Event, { type: 'marked' }>): State {
  if (state.marking !== key || pageKey(queryOf(state)) !== key) return state
  const text = `marked are the first ${thousands(marks.size)}, and there are more: / narrows the list`
  const notice = more ? ({ text, tone: 'bad', at: state.now } as const) : state.notice
  return { ...state, marks, marking: null, notice }
}

function withSelected(state: State, { id }: Item): State {
  const list = listOf(state)
  return state.open
    ? state
    : {
        ...state,
        cursors: { ...state.cursors, [list]: { id, index: selectedIndex(state, itemsOf(state) ?? []) } },
      }
}

function sided(state: State, pane: 'explain' | 'attempts'): State {
  const item = selectedItem(state)
  if (item === null || !['incident', 'letter', 'job'].includes(item.kind)) {
    return {
      ...state,
      notice: { text: 'choose a job first: Enter on a cause lists its jobs', tone: 'bad', at: state.now },
    }
  }
  return state.pane === pane
    ? { ...state, pane: 'page', scroll: 0 }
    : { ...withSelected(state, item), pane, scroll: 0, open: true }
}

function typed(state: State, key: string): State {
  const { overlay } = state
  if (overlay?.kind === 'prompt') return reducePrompt(state, overlay, key)
  if (overlay?.kind === 'confirm') return reduceConfirm(state, { type: 'typed', key })
  if (overlay?.kind === 'copy') return { ...state, overlay: overlay.under }
  return state
}
