/**
 * The state of the dashboard. Views are drawn from it alone, and only the reducer makes the next one.
 * It holds no store, terminal or clock: events bring in what happens outside.
 */
import type { VariableChange } from '../domain/resolution.ts'
import type { Target } from '../engine/actions/targets.ts'
import type { Selector } from '../domain/selector.ts'
import type { Detail, DetailQuery, Pane, Figures, ListName, Page, Query, Snapshot } from './snapshot.ts'
import { filteredLists, type Filter } from './filter.ts'
import type { Item } from './items.ts'
import type { Screen, Command } from './keys.ts'
import { markOf, noMarks, type Marked, type Marks } from './selection.ts'
import { atTop, pageRows, partRows, type ListPosition } from './page-window.ts'

export interface Size {
  columns: number
  rows: number
}

/** The selected row of a list, and its last index, in case the row is gone. */
export interface Cursor {
  id: string | null
  index: number
}

/** A page, and the query it answers. */
export interface KnownPage extends Page, Pick<Query, 'place' | 'limit' | 'cutRows'> {
  key: string
}

export type JobVerb = 'resolve' | 'retry' | 'dlq_retry' | 'discard' | 'cancel'

export interface JobsAction {
  of: 'jobs'
  verb: JobVerb
  /** Where its targets are found. */
  list: 'incidents' | 'dlq' | 'jobs'
  selector: Selector
  set?: readonly VariableChange[]
  /** The alternative that `a` switches to: all rows of a narrowed list, or back to the selected one. */
  other?: Omit<JobsAction, 'other'>
  /** Describes it as the alternative. */
  words?: string
}

export type Action =
  | JobsAction
  | { of: 'breaker'; verb: 'trip' | 'close'; name: string }
  | { of: 'type'; verb: 'pause' | 'resume'; type: string }
  | { of: 'operation'; verb: 'undo' }

export interface Confirm {
  kind: 'confirm'
  /** Distinguishes this panel from earlier ones. */
  id: number
  action: Action
  status: 'counting' | 'ready' | 'working'
  /** Resolved when the panel opened. */
  targets: readonly Target[]
  /** Also matched, but skipped: running them again unchanged would do harm. */
  guarded: readonly Target[]
  /** The guarded ones are included in the targets. */
  takesGuarded: boolean
  done: number
  reason: string
  /** Keys go into the reason. */
  typing: boolean
  /** Retries of a resolution, minutes of a trip; null for the default. */
  amount: number | null
}

export type Overlay =
  | { kind: 'help'; scroll: number }
  | { kind: 'prompt'; of: 'filter' | 'palette'; text: string; error: string | null }
  /** `under`: the panel to return to. */
  | { kind: 'copy'; command: string; copied: boolean; under: Confirm | null }
  | Confirm

export interface Notice {
  text: string
  tone: 'good' | 'bad'
  /** Epoch ms. */
  at: number
}

export interface State {
  size: Size
  /** Epoch ms by the store's clock. */
  now: number
  screen: Screen
  /** On the incidents screen: fingerprint of the opened cause; null for the list of causes. */
  cause: string | null
  cursors: Readonly<Partial<Record<ListName, Cursor>>>
  /** Positions of the pages in long lists (default: the top). */
  positions: Readonly<Partial<Record<ListName, ListPosition>>>
  /** Marks of the present list by id, also beyond the page. */
  marks: Marks
  /** Key of the list whose rows are being read to mark all of them. */
  marking: string | null
  filters: Readonly<Partial<Record<ListName, Filter>>>
  pages: Readonly<Partial<Record<ListName, KnownPage>>>
  figures: Figures | null
  detail: Detail | null
  /** Epoch ms of the last successful poll. */
  readAt: number | null
  failure: { since: number; why: string } | null
  /** The detail is open: it takes the keys, and the whole screen if there is no room beside the list. */
  open: boolean
  pane: Pane
  scroll: number
  frozen: boolean
  overlay: Overlay | null
  notice: Notice | null
  readOnly: boolean
  /** Appended to every shown command: names a store other than the default. */
  suffix: string
}

/** What can happen to the dashboard. */
export type Event =
  | { type: 'resized'; size: Size }
  | { type: 'ticked'; now: number }
  | { type: 'read'; snapshot: Snapshot }
  /** A poll found no changes. */
  | { type: 'unchanged'; at: number }
  | { type: 'failed'; why: string; at: number }
  | { type: 'command'; command: Command }
  /** A key or pasted text for a text field or a panel. */
  | { type: 'typed'; key: string }
  | { type: 'noticed'; notice: Notice }
  /** `from`: the panel it replaces, whose input it keeps. */
  | { type: 'proposed'; id: number; action: Action; from?: Pick<Confirm, 'reason' | 'amount'> }
  | { type: 'resolved'; id: number; targets: readonly Target[]; guarded: readonly Target[] }
  /** All rows of a list were read to be marked; `more`: the list is longer. */
  | { type: 'marked'; key: string; marks: Marks; more: boolean }
  | { type: 'begun'; id: number }
  | { type: 'progressed'; id: number; done: number }
  | { type: 'ended'; id: number; notice: Notice }
  | { type: 'overlaid'; overlay: Overlay | null }

export interface StateOptions {
  size: Size
  now: number
  screen?: Screen
  readOnly?: boolean
  suffix?: string
}

export function initialState({
  size,
  now,
  screen = 'overview',
  readOnly = false,
  suffix = '',
}: StateOptions): State {
  return {
    ...{ size, now, screen, readOnly, suffix },
    ...{
      cause: null,
      cursors: {},
      positions: {},
      marks: noMarks,
      marking: null,
      filters: {},
      pages: {},
      figures: null,
      detail: null,
      readAt: null,
      failure: null,
    },
    ...{ open: false, pane: 'page', scroll: 0, frozen: false, overlay: null, notice: null },
  }
}

export function listOf({ screen, cause }: Pick<State, 'screen' | 'cause'>): ListName {
  return screen === 'incidents' && cause === null ? 'causes' : screen
}

export const canFilter = (state: State): boolean => filteredLists.includes(listOf(state))

/** Columns from which on the detail is beside the list, and from which on an open one is below it; else it replaces the list. */
export const besideFrom = 120
export const belowFrom = 80

export const isBeside = ({ size }: Pick<State, 'size'>): boolean => size.columns >= besideFrom

/** Rows between header and footer. */
export const bodyRows = ({ size }: Pick<State, 'size'>): number => Math.max(0, size.rows - 1 - 4)

/** Rows of the list that is shown, at least one. */
export function listRows(state: State): number {
  const rows = bodyRows(state) - 1
  const isShared = state.open && !isBeside(state) && state.size.columns >= belowFrom
  return Math.max(1, isShared ? Math.floor(rows * 0.4) : rows)
}

/** Returns what the screen needs from the store. */
export function queryOf(state: State): Query {
  const list = listOf(state)
  const { place } = positionOf(state)
  const screenRows = state.size.rows
  const limit = pageRows(place, { screenRows, index: state.cursors[list]?.index ?? 0 })
  const selector = state.filters[list]?.selector ?? {}
  return {
    list,
    cause: state.cause,
    selector,
    place,
    limit,
    cutRows: partRows(screenRows),
    detail: detailQuery(state),
  }
}

export const positionOf = (state: State): ListPosition => state.positions[listOf(state)] ?? atTop

/** Whether the page holds all rows of its list. */
export function isWhole({ place, more }: Pick<KnownPage, 'place' | 'more'>): boolean {
  return !more && place.cursor === null
}

/** Identifies a list: pages with other keys belong to other lists. */
export function pageKey({ list, cause, selector }: Pick<Query, 'list' | 'cause' | 'selector'>): string {
  return JSON.stringify([list, list === 'incidents' ? cause : null, selector])
}

function detailQuery(state: State): DetailQuery | null {
  const id = state.cursors[listOf(state)]?.id ?? null
  if (id === null || !(state.open || (isBeside(state) && state.screen !== 'overview'))) return null
  return { id, pane: state.pane, letter: state.screen === 'dead-letters' }
}

/** Returns null until the rows are read. */
export function itemsOf(state: State): readonly Item[] | null {
  const query = queryOf(state)
  const page = state.pages[query.list]
  return page?.key === pageKey(query) ? page.items : null
}

export function selectedIndex(state: State, items: readonly Item[]): number {
  const cursor = state.cursors[listOf(state)] ?? { id: null, index: 0 }
  const found = items.findIndex(({ id }) => id === cursor.id)
  return found >= 0 ? found : Math.max(0, Math.min(cursor.index, items.length - 1))
}

/** Returns null also while a jump waits for its row. */
export function selectedItem(state: State): Item | null {
  const items = itemsOf(state)
  return positionOf(state).jump === null ? (items?.[selectedIndex(state, items)] ?? null) : null
}

/** Returns the marked rows, else the selected one. */
export function chosen(state: State): readonly Marked[] {
  if (state.marks.size > 0) return [...state.marks.values()]
  const selected = selectedItem(state)
  return selected ? [markOf(selected)] : []
}
