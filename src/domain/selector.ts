/** Which jobs, incidents or dead letters are meant: what a list is narrowed by and what a bulk verb is about. */
import type { DeadLetterReason } from './dead-letter.ts'
import { WfError } from '../errors.ts'
import type { IncidentKind } from './incident.ts'
import type { JobState } from './job.ts'
import { preview } from '../text/preview.ts'

/** Every given field must match. */
export interface Selector {
  keys?: readonly number[]
  types?: readonly string[]
  states?: readonly JobState[]
  incidentKinds?: readonly IncidentKind[]
  deadLetterReasons?: readonly DeadLetterReason[]
  error?: ErrorMatch
  /** Of the error, as it stands there. */
  codes?: readonly string[]
  /** Of the incident. */
  fingerprints?: readonly string[]
  /** Epoch ms: of the incident's, the dead letter's or the job's own beginning, at it or later. */
  since?: number
  /** Epoch ms: before it. */
  until?: number
  /** What the variables hold; all of it. */
  where?: readonly WhereCondition[]
  /** Of a running job. */
  workerId?: string
  /** Closed incidents and dead letters too. */
  includeClosed?: boolean
}

/**
 * What an error must say. `text`: a part of "code name message", capitals or not. `pattern`: a regular expression of those
 * that take no longer than the text is long (text/pattern.ts).
 */
export type ErrorMatch = { text: string } | { pattern: string; ignoreCase?: boolean }

export interface WhereCondition {
  /** As `--set` writes it: `customer.city`, `items.0.price`, `["a.b"].c`. */
  path: string
  /** Any JSON value. Null stands for null, not for what is not there. */
  value: unknown
}

/** What is listed. */
export type SelectorList = 'jobs' | 'incidents' | 'dlq'

/** Orders in which each can be listed; the first is taken unless told. */
export const sortOrders = {
  jobs: ['newest', 'oldest', 'due', 'priority', 'attempts'],
  incidents: ['newest', 'oldest', 'type', 'attempts'],
  dlq: ['newest', 'oldest', 'type', 'count'],
} as const satisfies Record<SelectorList, readonly [string, ...string[]]>

/** A job key: digits only, 1 … 2^53 − 1. Refused, never rounded, beyond. Throws WfError `usage`. */
export function parseKey(text: string): number {
  const key = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(key)) {
    throw new WfError('usage', `${preview(text, 60)} is not a job key`, {
      hint: `a key is a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
    })
  }
  return key
}

/** Keys out of arguments or a stream: separated by blanks, commas or line ends; in order, each once. */
export function parseKeys(text: string): number[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  return [...new Set(words.map(parseKey))]
}
