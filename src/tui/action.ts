/** What a capital key would change: derived from the selected or marked rows, before the person confirms. */
import { listed } from './filter.ts'
import type { Selector } from '../domain/selector.ts'
import { nameOf, type Marked } from './selection.ts'
import type { Verb } from './keys.ts'
import {
  chosen,
  type State,
  type JobVerb,
  type JobsAction,
  type Action,
  itemsOf,
  listOf,
  queryOf,
} from './state.ts'

/** Returns a sentence if the key doesn't apply here. */
export function actionOf(state: State, verb: Verb): Action | string {
  if (state.readOnly) return 'nothing can be changed with --read-only'
  if (verb === 'undo') return { of: 'operation', verb }
  // Marked rows come before the selected one.
  const [item, ...others] = chosen(state)
  if (item === undefined) return 'nothing is selected'
  if (verb === 'trip' || verb === 'close') return breakerAction([item, ...others], verb)
  if (verb === 'pause') return typeAction(state, [item, ...others])
  const action = jobsAction(state, [item, ...others], verb)
  return typeof action === 'string' || state.marks.size > 0 ? action : withAllShown(state, action)
}

/** Adds all rows of a narrowed list as the alternative to the selected one. */
function withAllShown(state: State, action: JobsAction): JobsAction {
  const other = allShown(state, action.verb)
  return other === null ? action : { ...action, words: 'only the selected row', other }
}

type Chosen = readonly [Marked, ...Marked[]]

function breakerAction([item, ...others]: Chosen, verb: 'trip' | 'close'): Action | string {
  if (others.length > 0) return `${verb} takes one breaker at a time: Esc clears the marks`
  return item.kind === 'breaker'
    ? { of: 'breaker', verb, name: nameOf(item) }
    : `choose a breaker to ${verb} it`
}

function typeAction(state: State, meant: Chosen): Action | string {
  const [type, ...others] = new Set(meant.map(({ type: each }) => each))
  if (others.length > 0) return 'pause takes one type at a time: Esc clears the marks'
  if (type === null || type === undefined) return 'choose a row of the type to pause'
  if (!state.figures?.counted) return 'the types are still being read'
  const isPaused = state.figures.types.some((view) => view.type === type && view.pausedAt !== null)
  return { of: 'type', verb: isPaused ? 'resume' : 'pause', type }
}

function jobsAction(state: State, meant: Chosen, verb: Verb): JobsAction | string {
  const [item] = meant
  if (meant.some(({ kind }) => kind !== item.kind))
    return `${verb} takes either causes or jobs: Esc clears the marks`
  if (item.kind === 'cause') {
    const { selector } = state.filters.causes ?? { selector: {} }
    const fingerprints = meant.map(nameOf)
    const target: Selector = { ...(state.screen === 'incidents' ? selector : {}), fingerprints }
    if (verb === 'resolve') return { of: 'jobs', verb, list: 'incidents', selector: target }
    return verb === 'cancel'
      ? { of: 'jobs', verb, list: 'incidents', selector: target }
      : 'a cause can be resolved (R) or cancelled (X) as a whole'
  }
  const keys = meant.flatMap(({ key }) => key ?? [])
  if (keys.length === 0) return `choose a job to ${verb} it`
  const selector = { keys }
  switch (verb) {
    case 'resolve':
      return {
        of: 'jobs',
        verb: roadOf(item),
        list: item.kind === 'incident' ? 'incidents' : listOfKind(item),
        selector,
      }
    case 'discard':
      return item.kind === 'letter'
        ? { of: 'jobs', verb, list: 'dlq', selector }
        : 'only dead letters can be discarded; X cancels a job'
    default:
      return { of: 'jobs', verb: 'cancel', list: listOfKind(item), selector }
  }
}

const listOfKind = (item: Marked): JobsAction['list'] => (item.kind === 'letter' ? 'dlq' : 'jobs')

function roadOf(item: Marked): JobVerb {
  if (item.kind === 'incident') return 'resolve'
  return item.kind === 'letter' ? 'dlq_retry' : 'retry'
}

/** Returns null if nothing narrows the list (a slip of a key must not change everything) or it has one row only. */
function allShown(state: State, verb: JobVerb): Omit<JobsAction, 'other'> | null {
  const list = listOf(state)
  const filter = state.filters[list]
  const all = listed(queryOf(state))
  const isOne = (itemsOf(state)?.length ?? 0) <= 1 && !state.pages[list]?.more
  if (all === null || isOne || (filter === undefined && state.cause === null)) return null
  const of = state.cause === null ? 'all' : 'all of this cause'
  const words = filter === undefined ? of : `${of} that match the filter ${filter.text}`
  return { of: 'jobs', verb, list: all.of, selector: all.selector, words }
}

/** Minutes that a trip lasts by default. */
export const usualTripMinutes = 5

export const takesRetries = (action: Action): boolean =>
  action.of === 'jobs' && ['resolve', 'retry', 'dlq_retry'].includes(action.verb)
