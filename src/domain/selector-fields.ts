/**
 * The fields of a selector as people write them, one reader for each: flags of commands, the dashboard's filter and what
 * the record of a change keeps are read by these and by nothing else.
 */
import { deadLetterReasons, type DeadLetterReason } from './dead-letter.ts'
import { readErrorMatch } from './error-match.ts'
import { WfError } from '../errors.ts'
import { incidentKinds, type IncidentKind } from './incident.ts'
import { jobStates, limits, type JobState } from './job.ts'
import { preview } from '../text/preview.ts'
import type { ErrorMatch, Selector, SelectorList, WhereCondition } from './selector.ts'
import { readChoice, readDeadline, readDuration, readText } from '../text/parse-input.ts'
import { parseDuration } from '../text/duration.ts'
import { readWhere } from './where.ts'

export type SelectorKind = IncidentKind | DeadLetterReason

/** What was written, before it is known what time it is. */
export interface SelectorWords {
  keys?: readonly number[] | undefined
  type?: readonly string[] | undefined
  state?: readonly JobState[] | undefined
  kind?: readonly SelectorKind[] | undefined
  error?: ErrorMatch | undefined
  code?: readonly string[] | undefined
  fingerprint?: readonly string[] | undefined
  /** Epoch ms, or a duration ago. */
  since?: number | string | undefined
  until?: number | string | undefined
  /** Milliseconds. */
  'older-than'?: number | undefined
  where?: readonly WhereCondition[] | undefined
  worker?: string | undefined
}

export type SelectorField = Exclude<keyof SelectorWords, 'keys'>

/** Takes the flag's name for its refusals. */
export type Reader<T> = (text: string, name: string) => T

/** What `--kind` can be on a list. */
export const kindsOf: Readonly<Record<SelectorList, readonly SelectorKind[]>> = {
  jobs: incidentKinds,
  incidents: incidentKinds,
  dlq: deadLetterReasons,
}

/** Lists are parted at commas; a comma inside a word stands behind a backslash. */
export const selectorReaders = {
  type: words((text, name) => readText(text, name, limits.typeCharacters)),
  state: words((text, name) => readChoice(text, name, jobStates)),
  kind: words((text, name) => readChoice<SelectorKind>(text, name, [...incidentKinds, ...deadLetterReasons])),
  error: readErrorMatch,
  code: words((text, name) => readText(text, name, 200)),
  fingerprint: words(readFingerprint),
  since: readDeadline,
  until: readDeadline,
  'older-than': (text: string, name: string) => readDuration(text, name),
  where: (text: string, name: string): readonly WhereCondition[] => [readWhere(text, name)],
  worker: (text: string, name: string) => readText(text, name),
} satisfies { [F in SelectorField]: Reader<NonNullable<SelectorWords[F]>> }

/** Fields that may stand several times. */
export const listFields: readonly SelectorField[] = ['type', 'state', 'kind', 'code', 'fingerprint', 'where']

const refusals: Readonly<Record<SelectorList, Partial<Record<SelectorField, string>>>> = {
  jobs: {},
  incidents: {
    state: 'does not narrow incidents: the job of an open one is always failed',
    worker: 'does not narrow incidents: a stopped job has no worker',
  },
  dlq: {
    state: 'does not narrow dead letters: the job of an open one is dead, or failed when it is poison',
    worker: 'does not narrow dead letters: no worker has their jobs',
  },
}

/** Why a field says nothing about what is listed; null when it does. */
export function refusedField(list: SelectorList, field: SelectorField, name: string): WfError | null {
  const why = refusals[list][field]
  return why === undefined
    ? null
    : new WfError('usage', `${name} ${why}`, { hint: `only lists of jobs take ${name}` })
}

/** A kind that what is listed can have. Throws WfError `usage`. */
export function readKind(list: SelectorList): Reader<readonly SelectorKind[]> {
  return words((text, name) => {
    const other = kindsOf[list === 'dlq' ? 'incidents' : 'dlq'].find((kind) => kind === text)
    if (other === undefined) return readChoice(text, name, kindsOf[list])
    const [own, their] = list === 'dlq' ? ['incident', 'incidents'] : ['dead letter', 'dlq']
    throw new WfError('usage', `${name} ${other} is a kind of ${own}`, {
      hint: `wf ${their} list takes it; here it is one of ${kindsOf[list].join(', ')}`,
    })
  })
}

/** @param now epoch ms, which durations count back from. Throws WfError `usage` for what could fit nothing. */
export function selectorOfWords(written: SelectorWords, now: number): Selector {
  const { keys, type, state, kind, error, code, fingerprint, where, worker } = written
  const since = instantOf(written.since, now)
  const ends = [
    instantOf(written.until, now),
    written['older-than'] === undefined ? undefined : now - written['older-than'],
  ]
  const until = ends.reduce(
    (least, end) => (least === undefined || (end !== undefined && end < least) ? end : least),
    undefined,
  )
  if (since !== undefined && until !== undefined && since >= until) {
    throw new WfError(
      'usage',
      'the time that --since names is not before that of --until or --older-than: nothing can lie between',
      {
        hint: '--since 2h --until 1h is the hour before the last one',
      },
    )
  }
  if (
    (error !== undefined || code !== undefined) &&
    state !== undefined &&
    state.every((each) => each === 'completed')
  ) {
    throw new WfError('usage', 'a completed job has no error: nothing can fit', {
      hint: 'name other states, or leave --state out',
    })
  }
  const incidents = kind?.filter((each): each is IncidentKind =>
    incidentKinds.some((known) => known === each),
  )
  const letters = kind?.filter((each): each is DeadLetterReason =>
    deadLetterReasons.some((known) => known === each),
  )
  return {
    ...(keys === undefined ? {} : { keys }),
    ...some('types', type),
    ...some('states', state),
    ...some('incidentKinds', incidents),
    ...some('deadLetterReasons', letters),
    ...(error === undefined ? {} : { error }),
    ...some('codes', code),
    ...some('fingerprints', fingerprint),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...some('where', where),
    ...(worker === undefined ? {} : { workerId: worker }),
  }
}

/** Each once; nothing at all for an empty list. */
function some<K extends keyof Selector, T>(
  name: K,
  list: readonly T[] | undefined,
): { [N in K]?: readonly T[] } {
  const part: { [N in K]?: readonly T[] } = {}
  if (list !== undefined && list.length > 0) part[name] = [...new Set(list)]
  return part
}

function instantOf(moment: number | string | undefined, now: number): number | undefined {
  return typeof moment === 'string' ? now - parseDuration(moment) : moment
}

function words<T>(read: Reader<T>): Reader<readonly T[]> {
  return (text, name) => listWords(text).map((word) => read(word, name))
}

function listWords(text: string): readonly string[] {
  const found: string[][] = [[]]
  for (const [token] of text.matchAll(/\\[,\\\s]|[\s\S]/gu)) {
    if (token === ',') found.push([])
    else found.at(-1)?.push(token)
  }
  return found.map((tokens) => {
    const isBlank = (token: string) => token.trim() === ''
    const start = tokens.findIndex((token) => !isBlank(token))
    const end = tokens.findLastIndex((token) => !isBlank(token))
    return tokens
      .slice(Math.max(0, start), end + 1)
      .map((token) => (token.length === 2 && token.startsWith('\\') ? token.slice(1) : token))
      .join('')
  })
}

/** What `listWords` takes apart again. */
export function listText(list: readonly string[]): string {
  return list.map((word) => word.replace(/\\(?=[,\\\s])|,|\\$|^\s|\s$/g, '\\$&')).join(',')
}

function readFingerprint(text: string, name: string): string {
  if (/^[0-9a-f]{16}$/.test(text)) return text
  throw new WfError('usage', `${name} ${preview(text, 60)} is not a fingerprint`, {
    hint: 'a fingerprint is 16 hex digits, as lists of incidents by cause show it',
  })
}
