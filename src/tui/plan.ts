/** What a capital key would change: read off what is selected or marked, before anybody has agreed to it. */
import type { Selector } from '../domain/selector.ts'
import { namedWords } from '../domain/operation-words.ts'
import type { VariableChange } from '../domain/resolution.ts'
import { quoted } from '../domain/shell-words.ts'
import { thousands } from '../cli/output/time.ts'
import { keyOf, typeOf, type Item } from './items.ts'
import type { Verb } from './keys.ts'
import { selectorText } from '../domain/selector-text.ts'
import { chosenItems, type Confirm, type State } from './state.ts'

export type JobVerb = 'resolve' | 'retry' | 'dlq_retry' | 'discard' | 'cancel'

export interface JobsPlan {
  of: 'jobs'
  verb: JobVerb
  /** Where its targets are found. */
  list: 'incidents' | 'dlq' | 'jobs'
  selector: Selector
  set?: readonly VariableChange[]
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
  const [item, ...others] = chosenItems(state)
  if (item === undefined) return 'nothing is selected'
  if (verb === 'trip' || verb === 'close') return breakerPlan([item, ...others], verb)
  if (verb === 'pause') return typePlan(state, [item, ...others])
  return jobsPlan(state, [item, ...others], verb)
}

type Chosen = readonly [Item, ...Item[]]

function breakerPlan([item, ...others]: Chosen, verb: 'trip' | 'close'): Plan | string {
  if (others.length > 0) return `${verb} takes one breaker at a time: Esc takes the marks away`
  return item.kind === 'breaker' ? { of: 'breaker', verb, name: item.breaker.name } : `choose a breaker to ${verb} it`
}

function typePlan(state: State, chosen: Chosen): Plan | string {
  const [type, ...others] = new Set(chosen.map(typeOf))
  if (others.length > 0) return 'pause takes one type at a time: Esc takes the marks away'
  if (type === null || type === undefined) return 'choose something of the type that is to be paused'
  const isPaused = state.figures?.types.some((view) => view.type === type && view.pausedAt !== null) ?? false
  return { of: 'type', verb: isPaused ? 'resume' : 'pause', type }
}

function jobsPlan(state: State, chosen: Chosen, verb: Verb): Plan | string {
  const [item] = chosen
  if (chosen.some(({ kind }) => kind !== item.kind)) return `${verb} takes causes alone: Esc takes the marks away`
  if (item.kind === 'cause') {
    const { selector } = state.filters.causes ?? { selector: {} }
    const fingerprints = chosen.flatMap((each) => (each.kind === 'cause' ? [each.cause.fingerprint] : []))
    const target: Selector = { ...(state.screen === 'incidents' ? selector : {}), fingerprints }
    if (verb === 'resolve') return { of: 'jobs', verb, list: 'incidents', selector: target }
    return verb === 'cancel' ? { of: 'jobs', verb, list: 'incidents', selector: target } : 'a cause can be resolved (R) or cancelled (X) as a whole'
  }
  const keys = chosen.flatMap((each) => keyOf(each) ?? [])
  if (keys.length === 0) return `choose a job to ${verb} it`
  const selector = { keys }
  switch (verb) {
    case 'resolve':
      return { of: 'jobs', verb: roadOf(item), list: item.kind === 'incident' ? 'incidents' : listOfKind(item), selector }
    case 'discard':
      return item.kind === 'letter' ? { of: 'jobs', verb, list: 'dlq', selector } : 'only dead letters are discarded; X cancels a job'
    default:
      return { of: 'jobs', verb: 'cancel', list: listOfKind(item), selector }
  }
}

const listOfKind = (item: Item): JobsPlan['list'] => (item.kind === 'letter' ? 'dlq' : 'jobs')

function roadOf(item: Item): JobVerb {
  if (item.kind === 'incident') return 'resolve'
  return item.kind === 'letter' ? 'dlq_retry' : 'retry'
}

const commands: Readonly<Record<JobVerb, string>> = {
  resolve: 'incidents resolve',
  retry: 'jobs retry',
  dlq_retry: 'dlq retry',
  discard: 'dlq discard',
  cancel: 'jobs cancel',
}

const mostKeys = 20

/** The command line that does the same. */
export function equivalentCommand(confirm: Pick<Confirm, 'plan' | 'reason' | 'amount' | 'targets' | 'takesGuarded'>, suffix: string): string {
  const { plan, reason, amount, targets } = confirm
  const why = reason === '' ? '' : ` --reason ${quoted(reason)}`
  switch (plan.of) {
    case 'jobs':
      if (takenAway(plan).length > 0) return onlyHere(plan)
      return `wf ${commands[plan.verb]}${selection(plan, targets)}${kindsFlag(confirm)}${retriesFlag(plan, amount)}${setFlags(plan)}${why}${suffix}`
    case 'breaker':
      return `wf breakers ${plan.verb} ${quoted(plan.name)}${plan.verb === 'trip' ? ` --for ${amount ?? usualTripMinutes}m` : ''}${why}${suffix}`
    case 'type':
      return `wf types ${plan.verb} ${quoted(plan.type)}${why}${suffix}`
    default:
      return `wf undo${targets.map(({ key }) => ` ${key}`).join('')}${why}${suffix}`
  }
}

export const usualTripMinutes = 5

export const takesRetries = (plan: Plan): boolean => plan.of === 'jobs' && ['resolve', 'retry', 'dlq_retry'].includes(plan.verb)

function retriesFlag(plan: Plan, amount: number | null): string {
  return amount !== null && takesRetries(plan) ? ` --retries ${amount}` : ''
}

/** Guarded kinds are taken by naming them. */
function kindsFlag({ takesGuarded, targets }: Pick<Confirm, 'takesGuarded' | 'targets'>): string {
  return takesGuarded ? ` --kind ${[...new Set(targets.map(({ kind }) => kind))].join(',')}` : ''
}

/** What was meant by an action on jobs, in the words of the command line; guarded kinds are a part of it. */
export function meantWords(plan: JobsPlan, confirm: Pick<Confirm, 'takesGuarded' | 'targets'>): string {
  if (plan.selector.keys) return namedWords(confirm.targets.map(({ key }) => key))
  return `${selectorText(plan.selector)}${kindsFlag(confirm)}`.trim()
}

const takenAway = ({ set = [] }: JobsPlan) => set.flatMap(({ path, remove }) => (remove ? [path] : []))

/** No command line does all of it, so that all of it is said. */
function onlyHere(plan: JobsPlan): string {
  const { set = [], verb, selector } = plan
  const rest = setFlags({ ...plan, set: set.filter(({ remove }) => !remove) })
  const road = verb === 'dlq_retry' ? `only the editor of wf dlq retry ${selector.keys?.join(' ') ?? ''} --edit does` : 'no command does'
  return `takes away ${takenAway(plan).map(quoted).join(' ')}, which ${road}${rest === '' ? '' : `; and${rest}`}`
}

/** Quotes stand around the value alone: what hides secrets then sees where one ends. */
function setFlags({ set = [] }: JobsPlan): string {
  return set.map(({ path, value, add }) => ` --set ${quoted(path)}=${quoted(JSON.stringify(value))}${add ? ' --add' : ''}`).join('')
}

function selection({ selector, verb, list }: JobsPlan, targets: Confirm['targets']): string {
  const byKeys = selector.keys ?? (verb === 'cancel' && list === 'incidents' && !fitsJobs(selector) ? targets.map(({ key }) => key) : null)
  if (byKeys === null) return ` ${selectorText(selector)}`
  const more = byKeys.length > mostKeys ? ` …(${thousands(byKeys.length - mostKeys)} more)` : ''
  return ` ${byKeys.slice(0, mostKeys).join(' ')}${more}`
}

/** Means the same of jobs as of their incidents: times do not, an incident is younger than its job. */
const fitsJobs = (selector: Selector) => Object.keys(selector).every((field) => ['types', 'fingerprints'].includes(field))
