/** The command line for a panel or a selection, and the selector that the operation log records. */
import { causeCommand } from '../views/cause-view.ts'
import type { ListName } from './snapshot.ts'
import { type Item, keyOf } from './items.ts'
import { thousands } from '../terminal/time.ts'
import { namedTargets } from '../domain/operation.ts'
import type { Selector } from '../domain/selector.ts'
import { selectorText } from '../domain/selector-text.ts'
import { quoted } from '../text/shell-words.ts'
import { commandOf } from '../engine/actions/index.ts'
import { takesRetries, usualTripMinutes } from './action.ts'
import { type JobsAction, type Action, type Confirm, chosen, itemsOf, listOf, type State } from './state.ts'

/** Keys shown of a command that is only read. */
export const fewKeys = 20

type Asked = Pick<Confirm, 'action' | 'reason' | 'amount' | 'targets' | 'takesGuarded'>

interface Meant {
  action: JobsAction
  targets: Confirm['targets']
  takesGuarded: boolean
}

/** Returns the equivalent command line; it is abbreviated if it has more keys than `most`. */
export function equivalentCommand(confirm: Asked, suffix: string, most = Number.POSITIVE_INFINITY): string {
  const { action, reason, amount, targets, takesGuarded } = confirm
  const why = reason === '' ? '' : ` --reason ${quoted(reason)}`
  switch (action.of) {
    case 'jobs':
      if (takenAway(action).length > 0) return onlyHere(action)
      return `wf ${commandOf(action.verb)}${selection({ action, targets, takesGuarded }, most)}${kindsFlag(confirm)}${retriesFlag(action, amount)}${setFlags(action)}${why}${suffix}`
    case 'breaker':
      return `wf breakers ${action.verb} ${quoted(action.name)}${action.verb === 'trip' ? ` --for ${amount ?? usualTripMinutes}m` : ''}${why}${suffix}`
    case 'type':
      return `wf types ${action.verb} ${quoted(action.type)}${why}${suffix}`
    default:
      return `wf undo${targets.map(({ key }) => ` ${key}`).join('')}${why}${suffix}`
  }
}

function retriesFlag(action: Action, amount: number | null): string {
  return amount !== null && takesRetries(action) ? ` --retries ${amount}` : ''
}

/** Guarded kinds are included by naming them or their jobs. */
function kindsFlag({
  action,
  takesGuarded,
  targets,
}: Pick<Confirm, 'action' | 'takesGuarded' | 'targets'>): string {
  if (!takesGuarded || action.of !== 'jobs' || namedKeys(action, targets, takesGuarded) !== null) return ''
  return ` --kind ${[...new Set(targets.map(({ kind }) => kind))].join(',')}`
}

/** Returns the selector of an action on jobs as text, with the guarded kinds it includes. */
export function meantWords(
  action: JobsAction,
  { targets, takesGuarded }: Pick<Confirm, 'takesGuarded' | 'targets'>,
): string {
  const isNamed = isKeysAlone(action.selector) || (takesGuarded && action.list === 'jobs')
  return isNamed
    ? namedTargets(targets.map(({ key }) => key))
    : `${selectorText(action.selector)}${kindsFlag({ action, takesGuarded, targets })}`.trim()
}

const takenAway = ({ set = [] }: JobsAction) => set.flatMap(({ path, remove }) => (remove ? [path] : []))

/** Describes an edit that no command line can do. */
function onlyHere(action: JobsAction): string {
  const { set = [], verb, selector } = action
  const rest = setFlags({ ...action, set: set.filter(({ remove }) => !remove) })
  const road =
    verb === 'dlq_retry'
      ? `only wf dlq retry ${selector.keys?.join(' ') ?? ''} --edit can do`
      : 'no command can do'
  return `removes ${takenAway(action).map(quoted).join(' ')}, which ${road}${rest === '' ? '' : `; and${rest}`}`
}

/** Quotes the value alone, so that masking sees where it ends. */
function setFlags({ set = [] }: JobsAction): string {
  return set
    .map(
      ({ path, value, add }) =>
        ` --set ${quoted(path)}=${quoted(JSON.stringify(value))}${add ? ' --add' : ''}`,
    )
    .join('')
}

function selection({ action, targets, takesGuarded }: Meant, most: number): string {
  const keys = namedKeys(action, targets, takesGuarded)
  if (keys === null) return ` ${selectorText(action.selector)}`
  const more = keys.length > most ? ` …(${thousands(keys.length - most)} more)` : ''
  return ` ${keys.slice(0, most).join(' ')}${more}`
}

/** Returns null if the command takes the selector itself. */
function namedKeys(
  { selector, verb, list }: JobsAction,
  targets: Confirm['targets'],
  takesGuarded: boolean,
): readonly number[] | null {
  if (isKeysAlone(selector)) return selector.keys
  // `--kind` selects incidents, and most jobs of this list have none.
  const isMixed = list === 'jobs' && takesGuarded
  const isForeign = verb === 'cancel' && list !== 'jobs' && !(list === 'incidents' && fitsJobs(selector))
  return isMixed || isForeign ? targets.map(({ key }) => key) : null
}

function isKeysAlone(selector: Selector): selector is Selector & { keys: readonly number[] } {
  return selector.keys !== undefined && Object.keys(selector).length === 1
}

/** Whether a selector matches jobs as it matches their incidents; times don't, since an incident is younger than its job. */
const fitsJobs = (selector: Selector) =>
  Object.keys(selector).every((field) => ['types', 'fingerprints'].includes(field))

const lists: Readonly<Record<ListName, string>> = {
  overview: 'dashboard --once',
  causes: 'incidents list --by cause',
  incidents: 'incidents list',
  'dead-letters': 'dlq list',
  breakers: 'breakers list',
  jobs: 'jobs list',
  workers: 'workers list',
}

const shows = { incident: 'incidents show', letter: 'dlq show', job: 'jobs show' } as const

/** Returns the command that shows one row, resolves a cause, or lists several rows or none. */
export function copiedCommand(state: State): string {
  const meant = chosen(state)
  const first = itemsOf(state)?.find(({ id }) => id === meant[0]?.id)
  const list = listOf(state)
  const keys = meant.flatMap(({ key }) => key ?? [])
  if (keys.length > 1 || (first === undefined && keys.length > 0))
    return `wf ${lists[list]} ${keys.join(' ')}${state.suffix}`
  return `wf ${first ? oneCommand(state, first) : listCommand(state)}${first?.kind === 'cause' ? '' : state.suffix}`
}

function listCommand(state: State): string {
  const list = listOf(state)
  const filter = selectorText(state.filters[list]?.selector ?? {})
  return filter === '' || list === 'breakers' || list === 'workers' ? lists[list] : `${lists[list]} ${filter}`
}

function oneCommand(state: State, item: Item): string {
  switch (item.kind) {
    case 'cause':
      return causeCommand(item.cause, {
        selector: state.filters.causes?.selector ?? {},
        suffix: state.suffix,
      }).replace(/^wf /, '')
    case 'breaker':
      return `breakers show ${quoted(item.breaker.name)}`
    case 'worker':
      return 'workers list'
    case 'type':
      return 'types list'
    default:
      return `${shows[item.kind]} ${keyOf(item) ?? ''}`
  }
}
