/** The filter of a list: a selector as the command line takes it. */
import { WfError } from '../errors.ts'
import type { Selector } from '../domain/selector.ts'
import type { SelectorList } from '../domain/selector.ts'
import { parseSelector } from '../domain/selector-text.ts'
import type { ListName } from './snapshot.ts'

export interface Filter {
  /** As it was typed. */
  text: string
  selector: Selector
}

/** What can stand in it; the fields of the others would say nothing. */
const narrows: Partial<Record<ListName, SelectorList>> = {
  causes: 'incidents',
  incidents: 'incidents',
  'dead-letters': 'dlq',
  jobs: 'jobs',
}

/** Words that are no flags and no keys are looked for in the errors, and in the names of what has none. Answers a sentence when it cannot be read; null takes the filter away. */
export function readFilter(
  text: string,
  { now, list }: { now: number; list: ListName },
): Filter | null | string {
  const typed = text.trim()
  if (typed === '') return null
  const isBare = !/(^|\s)--/.test(typed) && !/^[\d\s,]+$/.test(typed)
  try {
    if (isBare || (narrows[list] === undefined && !typed.includes('--')))
      return { text: typed, selector: { error: { text: typed } } }
    const selector = parseSelector(typed, now, narrows[list])
    const isNamed = narrows[list] === undefined && Object.keys(selector).some((field) => field !== 'types')
    return isNamed ? `${list} are narrowed by --type, or by words of their names` : { text: typed, selector }
  } catch (error) {
    if (error instanceof WfError) return error.hint ? `${error.message}: ${error.hint}` : error.message
    throw error
  }
}

/** Lists that a selector can narrow; the overview is short. */
export const filteredLists: readonly ListName[] = [
  'causes',
  'incidents',
  'dead-letters',
  'jobs',
  'breakers',
  'workers',
]
