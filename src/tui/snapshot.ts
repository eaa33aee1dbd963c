/** What the dashboard knows of a store at one moment: figures of the header and the overview, one page of a list, one detail. */
import type { CommonVariable } from '../domain/common-variables.ts'
import type { Explanation } from '../domain/explain-facts.ts'
import type { Job } from '../domain/job.ts'
import type { Selector } from '../domain/selector.ts'
import type { InspectedBreaker } from '../engine/breaker-admin.ts'
import type {
  InspectedDeadLetter,
  InspectedDetail,
  InspectedType,
  InspectedWorker,
} from '../engine/inspector.ts'
import type { HistoryRow } from '../store/views.ts'
import { breakerItem, causeItem, typeItem, workerItem, type Item, type ListedCause } from './items.ts'
import type { Place } from './page-window.ts'
import type { Series } from './series.ts'

export type ListName = 'overview' | 'causes' | 'incidents' | 'dead-letters' | 'breakers' | 'jobs' | 'workers'

export interface Query {
  list: ListName
  /** Fingerprint of the cause whose incidents are listed; null for all. */
  cause: string | null
  selector: Selector
  /** Where in the list the page begins. */
  place: Place
  /** Rows of a page, and of the first part it is read in. */
  limit: number
  cutRows: number
  detail: DetailQuery | null
}

/** What every screen may need. */
export interface Figures {
  location: string
  /** False in the first snapshot: counts by type take longest and follow. */
  counted: boolean
  types: readonly InspectedType[]
  breakers: readonly InspectedBreaker[]
  workers: readonly InspectedWorker[]
  causes: readonly ListedCause[]
  series: Series
  /** Epoch ms at which the next waiting, unblocked job is due; null if there is none. */
  nextDueAt: number | null
}

export interface Rows<T> {
  /** In the order of the list, from whichever end it was read. */
  items: readonly T[]
  more: boolean
  cut: string | null
  next: string | null
}

export interface Standing {
  /** Index of the page's first row in the whole list, from 0; null if unknown. */
  first: number | null
  total: number | null
}

export interface Page extends Rows<Item>, Standing {}

export interface Snapshot extends Page {
  query: Query
  /** Epoch ms by the store's clock. */
  at: number
  figures: Figures
  detail: Detail | null
}

/** The side of a detail that is shown. */
export type Pane = 'page' | 'attempts' | 'explain'

export interface DetailQuery {
  id: string
  pane: Pane
  /** Show the dead letter, which outlives its job. */
  letter: boolean
}

export type Detail = { id: string; pane: Pane } & (
  | { kind: 'job'; detail: InspectedDetail; explanation: Explanation | null }
  | {
      kind: 'letter'
      letter: InspectedDeadLetter & { variables: string }
      detail: InspectedDetail | null
      explanation: Explanation | null
    }
  | {
      kind: 'cause'
      cause: ListedCause
      common: readonly CommonVariable[]
      compared: { members: number; others: number }
    }
  | { kind: 'breaker'; breaker: InspectedBreaker; history: readonly HistoryRow[] }
  | { kind: 'worker'; worker: InspectedWorker; running: readonly Job[] }
  | { kind: 'type'; type: InspectedType }
)

export type FigureList = Extract<ListName, 'overview' | 'causes' | 'breakers' | 'workers'>

const overview = ({ causes, breakers, types }: Figures): readonly Item[] => [
  ...causes.map(causeItem),
  ...breakers.map(breakerItem),
  ...types.map(typeItem),
]

export const figureItems: Readonly<Record<FigureList, (figures: Figures) => readonly Item[]>> = {
  overview,
  causes: ({ causes }) => causes.map(causeItem),
  breakers: ({ breakers }) => breakers.map(breakerItem),
  workers: ({ workers }) => workers.map(workerItem),
}

export const figureLists = Object.keys(figureItems) as readonly FigureList[]

export const all = (items: readonly Item[]): Page => ({
  items,
  more: false,
  cut: null,
  next: null,
  first: 0,
  total: items.length,
})
