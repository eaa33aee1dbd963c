/** The reducer: returns the next state for an event. Pure: side effects are the controller's. */
import { anchored, withSnapshot } from './reduce-read.ts'
import { reduceConfirm } from './confirm.ts'
import type { Item } from './items.ts'
import { isVerb, screens, type Command, type Screen } from './keys.ts'
import { move, type Move } from './move.ts'
import {
  type Event,
  canFilter,
  isWhole,
  itemsOf,
  listOf,
  pageKey,
  queryOf,
  selectedIndex,
  selectedItem,
  type State,
} from './state.ts'
import { reducePrompt } from './prompt.ts'
import { markOf, marksOf, noMarks } from './selection.ts'
import { atTop } from './page-window.ts'
import { thousands } from '../terminal/time.ts'

export function reduce(state: State, event: Event): State {
  switch (event.type) {
    case 'resized':
      return { ...state, size: event.size }
    case 'ticked':
      return withoutOldNotice({ ...state, now: event.now })
    case 'read':
      return withSnapshot(state, event.snapshot)
    case 'unchanged':
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
    case 'overlaid':
      return { ...state, overlay: event.overlay }
    default:
      return reduceConfirm(state, event)
  }
}

/** Clears a refusal at the next command. */
const withoutRefusal = (state: State): State =>
  state.notice?.tone === 'bad' ? { ...state, notice: null } : state

const noticeMs = 8_000

function withoutOldNotice(state: State): State {
  return state.notice && state.now - state.notice.at > noticeMs ? { ...state, notice: null } : state
}

/** A poll without changes updates the state at most this often. */
const lookedMs = 5_000

function looked(state: State, at: number): State {
  if (state.frozen || (state.failure === null && at - (state.readAt ?? 0) < lookedMs)) return state
  return { ...state, readAt: at, now: Math.max(state.now, at), failure: null }
}

const moves: readonly Command[] = ['down', 'up', 'page-down', 'page-up', 'first', 'last']

function commanded(state: State, command: Command): State {
  if (state.overlay?.kind === 'help') return helped(state, command)
  if (moves.includes(command)) return move(state, command as Move)
  if (screens.some(({ screen }) => screen === command)) return toScreen(state, command as Screen)
  // The controller handles changes: they need the store.
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
            text: 'the overview has no filter: use one of the other screens',
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
    positions: { ...state.positions, incidents: atTop },
    ...closedDetail,
    ...unmarked,
  })
}

/** Goes back one step: detail side, detail, marks, filter, incidents of a cause, overview. */
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
    return anchored({ ...state, filters, positions: { ...state.positions, [list]: atTop } })
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

/** Marks all rows or none; those of a long list once they have been read. */
function markedAll(state: State): State {
  if (state.marks.size > 0 || state.marking !== null) return { ...state, ...unmarked }
  const [items, page] = [itemsOf(state), state.pages[listOf(state)]]
  if (items === null || page === undefined) return state
  return isWhole(page) ? { ...state, marks: marksOf(items) } : { ...state, marking: page.key }
}

/** Ignores marks of a list that is no longer shown. */
function withMarks(state: State, { key, marks, more }: Extract<Event, { type: 'marked' }>): State {
  if (state.marking !== key || pageKey(queryOf(state)) !== key) return state
  const text = `only the first ${thousands(marks.size)} rows are marked: / narrows the list`
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
