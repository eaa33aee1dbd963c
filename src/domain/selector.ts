/** Reading what people write to say which jobs they mean: keys and lists of states, types and kinds. */
import type { DeadLetterReason } from './dead-letter.ts'
import { WfError } from './errors.ts'
import { type IncidentKind, incidentKinds } from './incident.ts'
import { type JobState, jobStates } from './job.ts'
import { preview } from './preview.ts'

/** A job key: digits only, 1 … 2^53 − 1. Refused, never rounded, beyond. Throws WfError `usage`. */
export function parseKey(text: string): number {
  const key = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(key)) {
    throw new WfError('usage', `${preview(text, 60)} is not a job key`, {
      hint: `a key is a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, as wf jobs list shows it`,
    })
  }
  return key
}

/** Keys out of arguments or a stream: separated by blanks, commas or line ends; in order, each once. */
export function parseKeys(text: string): number[] {
  return [...new Set(words(text, /[\s,]+/).map(parseKey))]
}

/** `failed,dead`. Throws WfError `usage` naming what there is. */
export function parseStates(text: string): JobState[] {
  return oneOf(text, jobStates, 'state')
}

export function parseIncidentKinds(text: string): IncidentKind[] {
  return oneOf(text, incidentKinds, 'kind')
}

const deadLetterReasons: readonly DeadLetterReason[] = ['poison', 'exhausted']

export function parseDeadLetterReasons(text: string): DeadLetterReason[] {
  return oneOf(text, deadLetterReasons, 'reason')
}

/** Any names, separated by commas; a type may have blanks inside. */
export function parseTypes(text: string): string[] {
  const types = [...new Set(words(text, /\s*,\s*/))]
  if (types.length === 0) throw new WfError('usage', 'no type is given', { hint: 'write --type charge-payment,send-mail' })
  return types
}

function oneOf<T extends string>(text: string, known: readonly T[], what: string): T[] {
  const asked = [...new Set(words(text, /\s*,\s*/))]
  const stranger = asked.find((word) => !known.includes(word as T))
  if (stranger !== undefined || asked.length === 0) {
    throw new WfError('usage', `${preview(stranger ?? text, 60)} is not a ${what}`, { hint: `there are ${known.join(', ')}` })
  }
  return asked as T[]
}

function words(text: string, separator: RegExp): string[] {
  return text
    .trim()
    .split(separator)
    .filter((word) => word !== '')
}
