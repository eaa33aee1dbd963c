/** What a list shows, as a selector: its own, narrowed by the filter that a person types. */
import type { JobState } from '../domain/job.ts'
import { parseSelector } from '../domain/selector-text.ts'
import type { Selector, SelectorList } from '../domain/selector.ts'
import { WfError } from '../errors.ts'
import type { ListName } from './snapshot.ts'

export interface Listed {
  of: SelectorList
  selector: Selector
}

export interface ListedQuery {
  list: ListName
  /** Fingerprint of the cause whose incidents are listed. */
  cause: string | null
  /** The filter. */
  selector: Selector
}

/** In their order on the screen. */
export const listedStates: readonly JobState[] = ['waiting', 'running', 'available']

/** Whether a filter names the jobs itself, so that no states are added. */
export const namesJobs = ({ states, keys }: Selector): boolean => states !== undefined || keys !== undefined

/** Returns null for lists of anything but jobs. */
export function listed({ list, cause, selector }: ListedQuery): Listed | null {
  switch (list) {
    case 'causes':
      return { of: 'incidents', selector }
    case 'incidents':
      return { of: 'incidents', selector: cause === null ? selector : { ...selector, fingerprints: [cause] } }
    case 'dead-letters':
      return { of: 'dlq', selector }
    case 'jobs':
      return { of: 'jobs', selector: namesJobs(selector) ? selector : { ...selector, states: listedStates } }
    default:
      return null
  }
}

export interface Filter {
  /** As it was typed. */
  text: string
  selector: Selector
}

/** Lists that take a whole selector; the others take types and words. */
const narrows: Partial<Record<ListName, SelectorList>> = {
  causes: 'incidents',
  incidents: 'incidents',
  'dead-letters': 'dlq',
  jobs: 'jobs',
}

/** Parses a filter. Plain words match errors, or names of breakers and workers. Returns null for an empty one, and a sentence for an invalid one. */
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
    return isNamed
      ? `${list} can be filtered by --type, or by words in their names`
      : { text: typed, selector }
  } catch (error) {
    if (error instanceof WfError) return error.hint ? `${error.message}: ${error.hint}` : error.message
    throw error
  }
}

/** Lists that can be filtered: all but the overview. */
export const filteredLists: readonly ListName[] = [
  'causes',
  'incidents',
  'dead-letters',
  'jobs',
  'breakers',
  'workers',
]
