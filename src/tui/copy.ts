/** What is selected, as a command line. */
import { causeCommand } from '../views/cause-view.ts'
import { quoted } from '../text/shell-words.ts'
import { selectorText } from '../domain/selector-text.ts'
import { keyOf, type Item } from './items.ts'
import type { ListName } from './snapshot.ts'
import { chosen, itemsOf, listOf, type State } from './state.ts'

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

/** One thing by the command that shows it, a cause by the one that takes its incidents, several and nothing by the list. */
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

/** Asks the terminal to put text on the clipboard. The text is wf's own line, and travels as base64: nothing in it is obeyed. */
export function clipboardSequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
}
