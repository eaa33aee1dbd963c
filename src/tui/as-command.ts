/** The command line that does what a panel asks for, and what of it goes on record. */
import { thousands } from '../terminal/time.ts'
import { namedTargets } from '../domain/operation.ts'
import type { Selector } from '../domain/selector.ts'
import { selectorText } from '../domain/selector-text.ts'
import { quoted } from '../text/shell-words.ts'
import { takesRetries, usualTripMinutes, type JobsPlan, type JobVerb, type Plan } from './action.ts'
import type { Confirm } from './state.ts'

const commands: Readonly<Record<JobVerb, string>> = {
  resolve: 'incidents resolve',
  retry: 'jobs retry',
  dlq_retry: 'dlq retry',
  discard: 'dlq discard',
  cancel: 'jobs cancel',
}

/** Where a command is only read, so many keys stand for all of them. */
export const fewKeys = 20

type Asked = Pick<Confirm, 'plan' | 'reason' | 'amount' | 'targets' | 'takesGuarded'>

interface Meant {
  plan: JobsPlan
  targets: Confirm['targets']
  takesGuarded: boolean
}

/** The command line that does the same; it can be typed unless it has more keys than `most`. */
export function equivalentCommand(confirm: Asked, suffix: string, most = Number.POSITIVE_INFINITY): string {
  const { plan, reason, amount, targets, takesGuarded } = confirm
  const why = reason === '' ? '' : ` --reason ${quoted(reason)}`
  switch (plan.of) {
    case 'jobs':
      if (takenAway(plan).length > 0) return onlyHere(plan)
      return `wf ${commands[plan.verb]}${selection({ plan, targets, takesGuarded }, most)}${kindsFlag(confirm)}${retriesFlag(plan, amount)}${setFlags(plan)}${why}${suffix}`
    case 'breaker':
      return `wf breakers ${plan.verb} ${quoted(plan.name)}${plan.verb === 'trip' ? ` --for ${amount ?? usualTripMinutes}m` : ''}${why}${suffix}`
    case 'type':
      return `wf types ${plan.verb} ${quoted(plan.type)}${why}${suffix}`
    default:
      return `wf undo${targets.map(({ key }) => ` ${key}`).join('')}${why}${suffix}`
  }
}

function retriesFlag(plan: Plan, amount: number | null): string {
  return amount !== null && takesRetries(plan) ? ` --retries ${amount}` : ''
}

/** Guarded kinds are taken by naming them, or their jobs. */
function kindsFlag({
  plan,
  takesGuarded,
  targets,
}: Pick<Confirm, 'plan' | 'takesGuarded' | 'targets'>): string {
  if (!takesGuarded || plan.of !== 'jobs' || namedKeys(plan, targets, takesGuarded) !== null) return ''
  return ` --kind ${[...new Set(targets.map(({ kind }) => kind))].join(',')}`
}

/** What was meant by an action on jobs, in the words of the command line; guarded kinds are a part of it. */
export function meantWords(
  plan: JobsPlan,
  { targets, takesGuarded }: Pick<Confirm, 'takesGuarded' | 'targets'>,
): string {
  const isNamed = isKeysAlone(plan.selector) || (takesGuarded && plan.list === 'jobs')
  return isNamed
    ? namedTargets(targets.map(({ key }) => key))
    : `${selectorText(plan.selector)}${kindsFlag({ plan, takesGuarded, targets })}`.trim()
}

const takenAway = ({ set = [] }: JobsPlan) => set.flatMap(({ path, remove }) => (remove ? [path] : []))

/** No command line does all of it, so that all of it is said. */
function onlyHere(plan: JobsPlan): string {
  const { set = [], verb, selector } = plan
  const rest = setFlags({ ...plan, set: set.filter(({ remove }) => !remove) })
  const road =
    verb === 'dlq_retry'
      ? `only the editor of wf dlq retry ${selector.keys?.join(' ') ?? ''} --edit does`
      : 'no command does'
  return `takes away ${takenAway(plan).map(quoted).join(' ')}, which ${road}${rest === '' ? '' : `; and${rest}`}`
}

/** Quotes stand around the value alone: what hides secrets then sees where one ends. */
function setFlags({ set = [] }: JobsPlan): string {
  return set
    .map(
      ({ path, value, add }) =>
        ` --set ${quoted(path)}=${quoted(JSON.stringify(value))}${add ? ' --add' : ''}`,
    )
    .join('')
}

function selection({ plan, targets, takesGuarded }: Meant, most: number): string {
  const keys = namedKeys(plan, targets, takesGuarded)
  if (keys === null) return ` ${selectorText(plan.selector)}`
  const more = keys.length > most ? ` …(${thousands(keys.length - most)} more)` : ''
  return ` ${keys.slice(0, most).join(' ')}${more}`
}

/** Null where the selector means the same to the command. */
function namedKeys(
  { selector, verb, list }: JobsPlan,
  targets: Confirm['targets'],
  takesGuarded: boolean,
): readonly number[] | null {
  if (isKeysAlone(selector)) return selector.keys
  // It is narrowed by kinds of incidents, and most of what it lists has none.
  const isMixed = list === 'jobs' && takesGuarded
  const isForeign = verb === 'cancel' && list !== 'jobs' && !(list === 'incidents' && fitsJobs(selector))
  return isMixed || isForeign ? targets.map(({ key }) => key) : null
}

function isKeysAlone(selector: Selector): selector is Selector & { keys: readonly number[] } {
  return selector.keys !== undefined && Object.keys(selector).length === 1
}

/** Means the same of jobs as of their incidents: times do not, an incident is younger than its job. */
const fitsJobs = (selector: Selector) =>
  Object.keys(selector).every((field) => ['types', 'fingerprints'].includes(field))
