/** What of the store a list shows, in the words of a selector: what is read for it is what an action on all of it takes. */
import type { JobState } from '../domain/job.ts'
import type { Selector, SelectorList } from '../domain/selector.ts'
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

/** In their order on the screen: what comes back, what runs, what could. */
export const listedStates: readonly JobState[] = ['waiting', 'running', 'available']

/** A filter that names states or keys is taken as it is. */
export const namesJobs = ({ states, keys }: Selector): boolean => states !== undefined || keys !== undefined

/** Null for lists of what is no job. */
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
