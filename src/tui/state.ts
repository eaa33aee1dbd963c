/**
 * All that the dashboard knows at a moment. Views are drawn from it alone, and only the reducer makes the next one.
 * It holds no store, no terminal and no clock: what happens outside comes in as events.
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

/** Where a list's selection is: at the item, and where that stood last, for when it is gone. */
export interface Cursor {
  id: string | null
  index: number
}

/** With what it answers. */
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
  /** All that the list shows, where that was narrowed and only the selected one is meant; or back to that one. */
  other?: Omit<JobsAction, 'other'>
  /** Said of it where it is the other one. */
  words?: string
}

export type Action =
  | JobsAction
  | { of: 'breaker'; verb: 'trip' | 'close'; name: string }
  | { of: 'type'; verb: 'pause' | 'resume'; type: string }
  | { of: 'operation'; verb: 'undo' }

export interface Confirm {
  kind: 'confirm'
  /** Tells this panel from the one before it. */
  id: number
  action: Action
  status: 'counting' | 'ready' | 'working'
  /** Fixed when the panel opened. */
  targets: readonly Target[]
  /** Meant too, and passed by: to run them again as they are repeats the damage. */
  guarded: readonly Target[]
  /** The person wants those of `guarded` too; they are among the targets then. */
  takesGuarded: boolean
  done: number
  reason: string
  /** Keys go into the reason. */
  typing: boolean
  /** Retries of a resolution, minutes of a trip; null for what is usual. */
  amount: number | null
}

export type Overlay =
  | { kind: 'help'; scroll: number }
  | { kind: 'prompt'; of: 'filter' | 'palette'; text: string; error: string | null }
  /** `under`: the panel that it was asked for at, and goes back to. */
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
  /** On the incidents: fingerprint of the cause whose members are listed; null for the causes. */
  cause: string | null
  cursors: Readonly<Partial<Record<ListName, Cursor>>>
  /** Where the pages of long lists stand; those of the others at their top. */
  positions: Readonly<Partial<Record<ListName, ListPosition>>>
  /** Of the list that is shown, by id; not every one needs to be on its page. */
  marks: Marks
  /** Key of the list whose every row is going to be marked, as soon as they are known. */
  marking: string | null
  filters: Readonly<Partial<Record<ListName, Filter>>>
  pages: Readonly<Partial<Record<ListName, KnownPage>>>
  figures: Figures | null
  detail: Detail | null
  /** Epoch ms of the last look at the store that worked. */
  readAt: number | null
  failure: { since: number; why: string } | null
  /** The detail has the keys, and the whole screen where there is no room beside the list. */
  open: boolean
  pane: Pane
  scroll: number
  frozen: boolean
  overlay: Overlay | null
  notice: Notice | null
  readOnly: boolean
  /** Behind every command that is shown: names the store where it is not the usual one. */
  suffix: string
}

/** What can happen to the dashboard. */
export type Event =
  | { type: 'resized'; size: Size }
  | { type: 'ticked'; now: number }
  | { type: 'read'; snapshot: Snapshot }
  /** The store was looked at, and nothing in it has changed. */
  | { type: 'unchanged'; at: number }
  | { type: 'failed'; why: string; at: number }
  | { type: 'command'; command: Command }
  /** A key or pasted text while something is typed. */
  | { type: 'typed'; key: string }
  | { type: 'noticed'; notice: Notice }
  /** `from`: the panel that it takes the place of; what was typed into that stays. */
  | { type: 'proposed'; id: number; action: Action; from?: Pick<Confirm, 'reason' | 'amount'> }
  | { type: 'resolved'; id: number; targets: readonly Target[]; guarded: readonly Target[] }
  /** Every row of a list is to be marked; `more`: there are more than that. */
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

/** From this width on the detail stands beside the list; from the other on below it, where it is opened; else alone. */
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

/** What the screen needs from the store. */
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

/** All rows of the list are known. */
export function isWhole({ place, more }: Pick<KnownPage, 'place' | 'more'>): boolean {
  return !more && place.cursor === null
}

/** Rows that answer a query with another key are those of another list. */
export function pageKey({ list, cause, selector }: Pick<Query, 'list' | 'cause' | 'selector'>): string {
  return JSON.stringify([list, list === 'incidents' ? cause : null, selector])
}

function detailQuery(state: State): DetailQuery | null {
  const id = state.cursors[listOf(state)]?.id ?? null
  if (id === null || !(state.open || (isBeside(state) && state.screen !== 'overview'))) return null
  return { id, pane: state.pane, letter: state.screen === 'dead-letters' }
}

/** Null while they are not known yet. */
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

/** None while the row that was asked for is on its way. */
export function selectedItem(state: State): Item | null {
  const items = itemsOf(state)
  return positionOf(state).jump === null ? (items?.[selectedIndex(state, items)] ?? null) : null
}

/** Marked ones, else the one that is selected. */
export function chosen(state: State): readonly Marked[] {
  if (state.marks.size > 0) return [...state.marks.values()]
  const selected = selectedItem(state)
  return selected ? [markOf(selected)] : []
}
