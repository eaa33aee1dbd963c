/** The flags that say which jobs, incidents or dead letters are meant: the same on every list and on every verb that changes many. */
import { Flags } from '@oclif/core'
import { WfError } from '../../errors.ts'
import { jobStates, type JobState } from '../../domain/job.ts'
import {
  kindsOf,
  readKind,
  refusedField,
  selectorOfWords,
  selectorReaders,
  type Reader,
  type SelectorField,
  type SelectorKind,
} from '../../domain/selector-fields.ts'
import {
  sortOrders,
  type ErrorMatch,
  type Selector,
  type SelectorList,
  type WhereCondition,
} from '../../domain/selector.ts'
import { readChoice } from '../../text/parse-input.ts'
import { guarded, integerFlag } from '../flags.ts'

/** As the framework hands them over. */
export interface SelectorFlagValues {
  type?: readonly (readonly string[])[] | undefined
  state?: readonly (readonly JobState[])[] | undefined
  kind?: readonly (readonly SelectorKind[])[] | undefined
  error?: ErrorMatch | undefined
  code?: readonly (readonly string[])[] | undefined
  fingerprint?: readonly (readonly string[])[] | undefined
  since?: number | string | undefined
  until?: number | string | undefined
  'older-than'?: number | undefined
  where?: readonly (readonly WhereCondition[])[] | undefined
  worker?: string | undefined
}

const began: Readonly<Record<SelectorList, string>> = {
  jobs: 'enqueued',
  incidents: 'opened',
  dlq: 'received',
}

/** Flags that make no sense for a list are declared too, hidden, so that they are refused with the reason. */
export function selectorFlags(list: SelectorList) {
  const one = <T>(field: SelectorField, read: Reader<T>, words: Words) => ({
    ...described(list, field, words),
    parse: reading(list, field, read),
  })
  const many = <T>(field: SelectorField, read: Reader<readonly T[]>, words: Words) =>
    Flags.custom<readonly T[]>({
      ...described(list, field, words),
      multiple: true,
      multipleNonGreedy: true,
      parse: reading(list, field, read),
    })()
  const {
    type,
    state,
    error,
    code,
    fingerprint,
    since,
    until,
    where,
    worker,
    'older-than': olderThan,
  } = selectorReaders
  return {
    type: many('type', type, ['of these job types', 'TYPE']),
    state: many('state', state, [`in these states: ${jobStates.join(', ')}`, 'STATE']),
    kind: many('kind', readKind(list), [`of these kinds: ${kindsOf[list].join(', ')}`, 'KIND']),
    error: Flags.custom<ErrorMatch>(
      one('error', error, [
        'whose error (code, name, message) contains TEXT, or matches /pattern/ or /pattern/i',
        'TEXT|/PATTERN/',
      ]),
    )(),
    code: many('code', code, ['whose error has one of these codes', 'CODE']),
    fingerprint: many('fingerprint', fingerprint, [
      `of these causes${list === 'incidents' ? '' : ' (of their open incident)'}`,
      'HEX',
    ]),
    since: Flags.custom<number | string>(
      one('since', since, [
        `${began[list]} at or after INSTANT, or at most DURATION ago`,
        'DURATION|INSTANT',
      ]),
    )(),
    until: Flags.custom<number | string>(
      one('until', until, [`${began[list]} before INSTANT, or more than DURATION ago`, 'DURATION|INSTANT']),
    )(),
    'older-than': Flags.custom<number>(
      one('older-than', olderThan, [`${began[list]} more than DURATION ago`, 'DURATION']),
    )(),
    where: many('where', where, [
      'whose variables match, such as variables.customer=7 or variables.items[0].sku=x (JSON, else text)',
      'PATH=VALUE',
    ]),
    worker: Flags.custom<string>(one('worker', worker, ['leased by this worker', 'ID']))(),
  }
}

export const sortFlag = <L extends SelectorList>(list: L) =>
  Flags.custom<string>({
    summary: `order: ${sortOrders[list].join(', ')} (default: ${sortOrders[list][0]})`,
    helpValue: 'ORDER',
    parse: guarded((text, name) => readChoice<string>(text, name, sortOrders[list])),
  })()

/** For verbs that change many: bounds what a selector matches. */
export const boundFlags = (list: SelectorList) => ({
  limit: integerFlag(
    { min: 1, max: 1_000_000 },
    { summary: 'maximum number of matches of the selector, in the order of --sort' },
  ),
  sort: sortFlag(list),
})

/** Bounds what a selector matches. */
export interface Bound {
  limit?: number | undefined
  sort?: string | undefined
}

/** Refuses bounds where keys are named. Throws WfError `usage`. */
export function refuseBound({ limit, sort }: Bound): void {
  if (limit === undefined && sort === undefined) return
  throw new WfError(
    'usage',
    `--${limit === undefined ? 'sort' : 'limit'} needs a selector; all named keys are taken`,
    {
      hint: 'name fewer keys, or narrow them with a selector such as --type',
    },
  )
}

/** @param now epoch ms of the store's clock, which durations count back from; @param keys as `readKeys` read them */
export function selectorOf(flags: SelectorFlagValues, now: number, keys?: readonly number[]): Selector {
  return selectorOfWords(
    {
      keys,
      type: flags.type?.flat(),
      state: flags.state?.flat(),
      kind: flags.kind?.flat(),
      error: flags.error,
      code: flags.code?.flat(),
      fingerprint: flags.fingerprint?.flat(),
      since: flags.since,
      until: flags.until,
      'older-than': flags['older-than'],
      where: flags.where?.flat(),
      worker: flags.worker,
    },
    now,
  )
}

type Words = readonly [summary: string, helpValue: string]

function described(list: SelectorList, field: SelectorField, [summary, helpValue]: Words) {
  const hidden = refusedField(list, field, '') !== null
  return { summary: hidden ? 'not supported here' : `only those ${summary}`, helpValue, hidden }
}

function reading<T>(list: SelectorList, field: SelectorField, read: Reader<T>) {
  return guarded((text, name) => {
    const refusal = refusedField(list, field, name)
    if (refusal) throw refusal
    return read(text, name)
  })
}
