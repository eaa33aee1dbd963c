/** Pages of the jobs listed without a filter on their state: waiting, then running, then available. */
import type { JobState } from '../domain/job.ts'
import type { Selector } from '../domain/selector.ts'
import type { InspectedJob, Inspector } from '../engine/inspector.ts'
import { listedStates } from './filter.ts'
import type { Page, Paged } from '../store/page.ts'

export interface JobSections {
  inspector: Pick<Inspector, 'jobs'>
  selector: Selector
  /** Number of waiting jobs; above a limit they are listed newest first, since no index has them in the order of their starts. */
  waits: number
}

/** Waiting jobs that are sorted by their start. */
const mostSorted = 20_000
/** Running jobs are read whole: there are as many as all workers run at once. */
const mostRunning = 1_000

interface Mark {
  state: JobState
  sort: string
  /** Of the section; empty for its beginning. */
  cursor: string
}

/** Reads pages across the sections; the cursors name the section. */
export function jobSections({
  inspector,
  selector,
  waits,
}: JobSections): (page: Page) => Promise<Paged<InspectedJob>> {
  const sortOf = (state: JobState) => (state === 'waiting' && waits <= mostSorted ? 'due' : 'newest')
  const read = ({ state, sort, cursor }: Mark, { limit, reverse = false }: Page) => {
    const of = { ...selector, states: [state] }
    if (state === 'running') return running(inspector, of, { limit, reverse, cursor })
    return inspector.jobs(of, { limit, sort, reverse, ...(cursor === '' ? {} : { cursor }) })
  }
  return async ({ limit, cursor, reverse = false }) => {
    const order = reverse ? [...listedStates].reverse() : listedStates
    const from = cursor === undefined ? null : markOf(cursor)
    const items: InspectedJob[] = []
    for (const state of order.slice(from === null ? 0 : order.indexOf(from.state))) {
      const mark = from?.state === state ? from : { state, sort: sortOf(state), cursor: '' }
      if (items.length >= limit) return { items, next: textOf(mark) }
      const page = await read(mark, { limit: limit - items.length, reverse })
      items.push(...page.items)
      if (page.next !== null) return { items, next: textOf({ ...mark, cursor: page.next }) }
    }
    return { items, next: null }
  }
}

const textOf = ({ state, sort, cursor }: Mark) => [state, sort, cursor].join(':')

function markOf(text: string): Mark {
  const [state, sort = '', ...cursor] = text.split(':')
  return { state: listedStates.find((each) => each === state) ?? 'available', sort, cursor: cursor.join(':') }
}

/** Reads running jobs, the longest running first. */
async function running(
  { jobs }: Pick<Inspector, 'jobs'>,
  selector: Selector,
  { limit, reverse, cursor }: { limit: number; reverse: boolean; cursor: string },
): Promise<Paged<InspectedJob>> {
  const sign = reverse ? -1 : 1
  const { items } = await jobs(selector, { limit: mostRunning })
  const placeOf = ({ startedAt, key }: InspectedJob) => [startedAt ?? 0, key] as const
  const compare = ([at, key]: readonly [number, number], [otherAt, otherKey]: readonly [number, number]) =>
    sign * (at - otherAt || key - otherKey)
  const sorted = [...items].sort((a, b) => compare(placeOf(a), placeOf(b)))
  const [at = 0, key = 0] = cursor.split('.').map(Number)
  const behind = cursor === '' ? sorted : sorted.filter((job) => compare(placeOf(job), [at, key]) > 0)
  const shown = behind.slice(0, limit)
  const last = behind.length > limit ? shown.at(-1) : undefined
  return { items: shown, next: last ? placeOf(last).join('.') : null }
}
