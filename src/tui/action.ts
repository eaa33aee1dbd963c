/** What a capital key would change: read off what is selected or marked, before anybody has agreed to it. */
import type { Selector } from '../domain/selector.ts'
import type { VariableChange } from '../domain/resolution.ts'
import { nameOf, type Marked } from './selection.ts'
import type { Verb } from './keys.ts'
import { allShown } from './all-shown.ts'
import { chosen, type State } from './state.ts'

export type JobVerb = 'resolve' | 'retry' | 'dlq_retry' | 'discard' | 'cancel'

export interface JobsPlan {
  of: 'jobs'
  verb: JobVerb
  /** Where its targets are found. */
  list: 'incidents' | 'dlq' | 'jobs'
  selector: Selector
  set?: readonly VariableChange[]
  /** All that the list shows, where that was narrowed and only the selected one is meant; or back to that one. */
  other?: Omit<JobsPlan, 'other'>
  /** Said of it where it is the other one. */
  words?: string
}

export type Plan =
  | JobsPlan
  | { of: 'breaker'; verb: 'trip' | 'close'; name: string }
  | { of: 'type'; verb: 'pause' | 'resume'; type: string }
  | { of: 'operation'; verb: 'undo' }

/** A sentence where the key means nothing here. */
export function planOf(state: State, verb: Verb): Plan | string {
  if (state.readOnly) return 'this dashboard only looks (--read-only)'
  if (verb === 'undo') return { of: 'operation', verb }
  // What is marked, wherever the selection stands.
  const [item, ...others] = chosen(state)
  if (item === undefined) return 'nothing is selected'
  if (verb === 'trip' || verb === 'close') return breakerPlan([item, ...others], verb)
  if (verb === 'pause') return typePlan(state, [item, ...others])
  const plan = jobsPlan(state, [item, ...others], verb)
  return typeof plan === 'string' || state.marks.size > 0 ? plan : withAllShown(state, plan)
}

/** Nothing is marked: beside the selected one, all that its list shows is offered. */
function withAllShown(state: State, plan: JobsPlan): JobsPlan {
  const other = allShown(state, plan.verb)
  return other === null ? plan : { ...plan, words: 'only what is selected', other }
}

type Chosen = readonly [Marked, ...Marked[]]

function breakerPlan([item, ...others]: Chosen, verb: 'trip' | 'close'): Plan | string {
  if (others.length > 0) return `${verb} takes one breaker at a time: Esc takes the marks away`
  return item.kind === 'breaker'
    ? { of: 'breaker', verb, name: nameOf(item) }
    : `choose a breaker to ${verb} it`
}

function typePlan(state: State, meant: Chosen): Plan | string {
  const [type, ...others] = new Set(meant.map(({ type: each }) => each))
  if (others.length > 0) return 'pause takes one type at a time: Esc takes the marks away'
  if (type === null || type === undefined) return 'choose something of the type that is to be paused'
  if (!state.figures?.counted) return 'whether it is paused is still being read'
  const isPaused = state.figures.types.some((view) => view.type === type && view.pausedAt !== null)
  return { of: 'type', verb: isPaused ? 'resume' : 'pause', type }
}

function jobsPlan(state: State, meant: Chosen, verb: Verb): JobsPlan | string {
  const [item] = meant
  if (meant.some(({ kind }) => kind !== item.kind))
    return `${verb} takes causes alone: Esc takes the marks away`
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
        : 'only dead letters are discarded; X cancels a job'
    default:
      return { of: 'jobs', verb: 'cancel', list: listOfKind(item), selector }
  }
}

const listOfKind = (item: Marked): JobsPlan['list'] => (item.kind === 'letter' ? 'dlq' : 'jobs')

function roadOf(item: Marked): JobVerb {
  if (item.kind === 'incident') return 'resolve'
  return item.kind === 'letter' ? 'dlq_retry' : 'retry'
}

/** Minutes that a trip takes unless told. */
export const usualTripMinutes = 5

export const takesRetries = (plan: Plan): boolean =>
  plan.of === 'jobs' && ['resolve', 'retry', 'dlq_retry'].includes(plan.verb)
