/** How an operation is spoken of: the command that made it, and what was meant by it. */
import { operationLimits, type Operation, type OperationVerb } from '../domain/operation.ts'
import { maskText } from '../text/mask.ts'
import { maskWords } from '../text/shell-words.ts'

const commands: Readonly<Record<OperationVerb, string>> = {
  resolve: 'incidents resolve',
  retry: 'jobs retry',
  cancel: 'jobs cancel',
  update: 'jobs update',
  dlq_retry: 'dlq retry',
  discard: 'dlq discard',
  purge: 'dlq purge',
  pause: 'types pause',
  resume: 'types resume',
  trip: 'breakers trip',
  close: 'breakers close',
  forget: 'idempotency forget',
  release: 'workers release',
  drain: 'workers drain',
  reveal: 'reveal',
  undo: 'undo',
}

/** The command that does it, without `wf`. */
export const commandOf = (verb: OperationVerb): string => commands[verb]

/** Why nothing brings it back, as the end of a sentence; null for what can be undone. */
export function finalBecause(verb: OperationVerb): string | null {
  switch (verb) {
    case 'cancel':
    case 'discard':
      return 'a cancelled job never runs again'
    case 'purge':
      return 'what was purged is gone'
    case 'forget':
      return 'the results of forgotten steps are gone'
    case 'release':
      return 'the attempts of a released worker have ended as lost'
    case 'drain':
      return 'a drained worker has left; start another'
    case 'reveal':
      return 'what was seen cannot be unseen'
    default:
      return null
  }
}

/** `17 18 19`, and of many the first and how many: what was meant where keys or names were given. */
export function namedWords(names: readonly (number | string)[]): string {
  const { namedKeys, selectorCharacters } = operationLimits
  const told = names.slice(0, namedKeys).join(' ')
  const words = names.length > namedKeys ? `${told} … (${names.length} in all)` : told
  return words.length > selectorCharacters ? `${words.slice(0, selectorCharacters - 1)}…` : words
}

const ofNames: readonly OperationVerb[] = ['pause', 'resume', 'trip', 'close', 'release', 'drain', 'forget']

/** What an operation was about, masked: flags and keys, names of types, breakers or workers, or the key of a job and names of its steps. */
export function maskedTargets({ verb, selector }: Pick<Operation, 'verb' | 'selector'>): string {
  if (!ofNames.includes(verb)) return maskWords(selector)
  const [key = ''] = /^\d{1,16}(?= |$)/.exec(selector) ?? []
  return `${key}${maskText(selector.slice(key.length))}`
}
