/** All that a narrowed list shows, as what one action is about. */
import { listed } from './filter.ts'
import type { JobsPlan, JobVerb } from './action.ts'
import { itemsOf, listOf, queryOf, type State } from './state.ts'

/** Null where nothing narrows the list (that is nobody's slip of a key), and where there is nothing more than the selected one. */
export function allShown(state: State, verb: JobVerb): Omit<JobsPlan, 'other'> | null {
  const list = listOf(state)
  const filter = state.filters[list]
  const all = listed(queryOf(state))
  const isOne = (itemsOf(state)?.length ?? 0) <= 1 && !state.pages[list]?.more
  if (all === null || isOne || (filter === undefined && state.cause === null)) return null
  const of = state.cause === null ? 'all' : 'all of this cause'
  const words = filter === undefined ? of : `${of} that fit the filter ${filter.text}`
  return { of: 'jobs', verb, list: all.of, selector: all.selector, words }
}
