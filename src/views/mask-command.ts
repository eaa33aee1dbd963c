/**
 * Command lines with their secrets hidden. Keys of jobs and fingerprints are wf's own: several keys in a row can look like the number of
 * a card, and a fingerprint may have no letter in it. They stay; all else in a line is somebody's text, and masked like it.
 */
import { maskText } from '../text/mask.ts'
import type { Operation, OperationVerb } from '../domain/operation.ts'

/** `wf incidents resolve --type x 17 18` and the others that take keys, also behind `operation 3: `; any other text is masked as a whole. */
export function maskCommand(line: string): string {
  const [head = ''] =
    /^(?:operation \d+: )?wf (?:(?:jobs|incidents|dlq|idempotency|audit) [a-z]+|undo)(?= |$)/.exec(line) ?? []
  return head === '' ? maskText(line) : `${head}${maskSelector(line.slice(head.length))}`
}

const named: readonly OperationVerb[] = ['pause', 'resume', 'trip', 'close', 'release', 'drain']

/** What an operation was about: flags and keys, the key of a job before names of its steps, or names of types, breakers and workers. */
export function maskMeant({ verb, selector }: Pick<Operation, 'verb' | 'selector'>): string {
  if (named.includes(verb)) return maskText(selector)
  if (verb !== 'forget') return maskSelector(selector)
  const [key = ''] = /^\d{1,16}(?= |$)/.exec(selector) ?? []
  return `${key}${maskText(selector.slice(key.length))}`
}

/** A word, with what is quoted in it, or the blanks between two. */
const piece = /\s+|(?:'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?|\\[\s\S]?|[^\s'"\\])+/g

/** Flags, each with its value, and keys among them, as selectors are written. From the first word on that is neither, it is text. */
export function maskSelector(text: string): string {
  let shown = ''
  let others = ''
  let flag: string | null = null
  let isText = false
  for (const [word] of text.matchAll(piece)) {
    const isBlank = /^\s/.test(word)
    const isOwn =
      !isText &&
      (flag === null
        ? /^\d{1,16},?$/.test(word)
        : flag === '--fingerprint' && /^[\da-f]{16}(?:,[\da-f]{16})*$/.test(word))
    if (isOwn || (isBlank && others === '')) {
      shown += `${maskText(others)}${word}`
      others = ''
    } else others += word
    if (isBlank) continue
    if (!isOwn && flag === null && !word.startsWith('--')) isText = true
    flag = flag === null && /^--[\w-]+$/.test(word) ? word : null
  }
  return `${shown}${maskText(others)}`
}
