/** Command lines as they are shown. */
import { maskText, Unmasked } from '../../domain/mask.ts'
import { Safe, say } from '../output/safe.ts'

/** Keys of jobs are wf's own numbers: several in a row can look like the number of a card, and must not be hidden as one. */
function leadingKeys(text: string): string {
  return /^\d{1,16}(?: \d{1,16})*(?=[ ,]|$)/.exec(text)?.[0] ?? ''
}

export function shownKeys(text: string): Safe {
  const keys = leadingKeys(text)
  return say`${new Safe(keys)}${text.slice(keys.length)}`
}

/** The same for a JSON document. */
export function keysInJson(text: string): Unmasked {
  const keys = leadingKeys(text)
  return new Unmasked(`${keys}${maskText(text.slice(keys.length))}`)
}

/** What stands behind the keys is masked like all text. */
export function shownCommand(command: string): Safe {
  const [verb = ''] = /^(?:operation \d+: )?wf [a-z]+ [a-z]+ (?=\d)/.exec(command) ?? []
  return say`${verb}${shownKeys(command.slice(verb.length))}`
}
