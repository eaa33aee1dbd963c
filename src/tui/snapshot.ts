/**
 * One look at the store: the figures of the header and the overview, one page of the list that is shown, and all about the
 * one thing that is looked at. It reads through the inspector alone and knows no screen.
 */
import type { Clock } from '../clock.ts'
import { programStart, trendOf } from '../domain/cause.ts'
import { inspectBreaker, type InspectedBreaker } from '../engine/breakers-control.ts'
import { createInspector, type InspectedType, type InspectedWorker, type Inspector } from '../engine/inspector.ts'
import type { JobState } from '../domain/job.ts'
import type { Page as StorePage, Paged, Selector, StoreReader } from '../store/store.ts'
import { readDetail, type Detail, type DetailQuery } from './detail.ts'
import { figureItems } from './figure-pages.ts'
import { breakerItem, causeItem, incidentItem, jobItem, letterItem, workerItem, type Item, type ListedCause } from './items.ts'
import { seriesReader, type Series, type SeriesReader } from './series.ts'
import { thriftyReader } from './thrifty-reader.ts'

export type ListName = 'overview' | 'causes' | 'incidents' | 'dead-letters' | 'breakers' | 'jobs' | 'workers'

export interface Query {
  list: ListName
  /** Fingerprint of the cause whose incidents are listed; null for all. */
  cause: string | null
  selector: Selector
  /** Rows of a page. */
  limit: number
  detail: DetailQuery | null
}

/** What every screen may need. */
export interface Figures {
  location: string
  types: readonly InspectedType[]
  breakers: readonly InspectedBreaker[]
  workers: readonly InspectedWorker[]
  causes: readonly ListedCause[]
  series: Series
  /** Epoch ms at which the next waiting job that nothing holds is due; null when there is none. */
  nextDueAt: number | null
}

export interface Page {
  items: readonly Item[]
  /** There is more than was read. */
  more: boolean
}

export interface Snapshot extends Page {
  query: Query
  /** Epoch ms by the store's clock. */
  at: number
  figures: Figures
  detail: Detail | null
}

export interface Source {
  reader: StoreReader
  inspector: Inspector
  series: SeriesReader
  now(): number
}

export function sourceOf(store: StoreReader & { now(): number }, clock: Clock): Source {
  const reader = thriftyReader(store, clock)
  return { reader, inspector: createInspector(reader, () => store.now()), series: seriesReader(reader), now: () => store.now() }
}

/** @param known figures of a moment ago, which then are not read again */
export async function readSnapshot(source: Source, query: Query, known?: Figures): Promise<Snapshot> {
  const at = source.now()
  const figures = known ?? (await readFigures(source, at))
  const page = await readPage(source, query, figures)
  const detail = query.detail === null ? null : await readDetail(source, query.detail, figures)
  return { query, at, figures, ...page, detail }
}

async function readFigures({ reader, inspector, series }: Source, now: number): Promise<Figures> {
  const types = await inspector.types()
  const workers = await inspector.workers()
  const waiting = types.filter(({ counts, held }) => (counts.waiting ?? 0) > 0 && held === null).map(({ type }) => type)
  return {
    location: (await inspector.info()).location,
    types,
    workers,
    breakers: (await reader.breakers()).map((row) => inspectBreaker(row, types, now)),
    causes: types.some(({ counts }) => counts.failed) ? await listCauses(reader, {}, { workers, now }) : [],
    series: await series.read(now),
    nextDueAt: waiting.length === 0 ? null : await reader.nextDue(waiting),
  }
}

async function listCauses(
  reader: StoreReader,
  selector: Selector,
  { workers, now }: { workers: readonly InspectedWorker[]; now: number },
): Promise<readonly ListedCause[]> {
  return (await reader.causes(selector, now)).map((cause) => {
    const startedAt = programStart(workers, cause.type, now)
    return { ...cause, trend: trendOf(cause.recent), isNew: startedAt === null ? null : cause.seenAt >= startedAt }
  })
}

type ReadPage = (source: Source, query: Query, figures: Figures) => Promise<Page>

const all = (items: readonly Item[]): Page => ({ items, more: false })

const pages: Readonly<Record<ListName, ReadPage>> = {
  overview: async (_, __, figures) => all(figureItems.overview(figures)),
  async causes({ reader, now }, { selector }, { causes, workers }) {
    return all((isEmpty(selector) ? causes : await listCauses(reader, selector, { workers, now: now() })).map(causeItem))
  },
  async incidents({ inspector }, { selector, cause, limit }) {
    const wanted = cause === null ? selector : { ...selector, fingerprints: [cause] }
    return mapped(await rowsOf((page) => inspector.incidents(wanted, page), limit), incidentItem)
  },
  async 'dead-letters'({ inspector }, { selector, limit }) {
    return mapped(await rowsOf((page) => inspector.deadLetters(selector, page), limit), letterItem)
  },
  breakers: async (_, { selector }, { breakers }) => all(breakers.filter(({ name, types }) => meets({ name, types }, selector)).map(breakerItem)),
  workers: async (_, { selector }, { workers }) =>
    all(workers.filter(({ id, host, types }) => meets({ name: `${id} ${host}`, types }, selector)).map(workerItem)),
  jobs: readJobs,
}

const readPage: ReadPage = (source, query, figures) => pages[query.list](source, query, figures)

const isEmpty = (selector: Selector) => Object.keys(selector).length === 0

/** Breakers and workers are few, and narrowed here: by the types that they are about, and by words of their names. */
function meets({ name, types }: { name: string; types: readonly string[] }, { types: wanted, error }: Selector): boolean {
  const words = error && 'text' in error ? error.text.toLowerCase() : ''
  return name.toLowerCase().includes(words) && (wanted === undefined || types.some((type) => wanted.includes(type)))
}

/** So many waiting jobs are put into the order of their starts; of more the newest are shown. */
const mostSorted = 20_000

/** What comes back first, what runs, and what could; a filter that names states or keys is taken as it is. */
async function readJobs({ inspector }: Source, { selector, limit }: Query, { types }: Figures): Promise<Page> {
  if (selector.states !== undefined || selector.keys !== undefined)
    return mapped(await rowsOf((page) => inspector.jobs(selector, page), limit), jobItem)
  const of = (state: JobState, sort?: string) =>
    rowsOf((page) => inspector.jobs({ ...selector, states: [state] }, sort === undefined ? page : { ...page, sort }), limit)
  const waits = types.reduce((sum, { counts }) => sum + (counts.waiting ?? 0), 0)
  const waiting = await of('waiting', waits <= mostSorted ? 'due' : undefined)
  const running = await of('running')
  const available = await of('available')
  const items = [
    ...[...waiting.items].sort((a, b) => a.runAt - b.runAt || a.key - b.key),
    // What has been at it longest is what somebody looks for, and what stays in its place.
    ...[...running.items].sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.key - b.key),
    ...available.items,
  ]
  const more = items.length > limit || [waiting, running, available].some((rows) => rows.more)
  return { items: items.slice(0, limit).map(jobItem), more }
}

interface Rows<T> {
  items: readonly T[]
  more: boolean
}

/** A filter that looks into errors or variables may find few in much: so often it is asked to look on. */
const mostLooks = 4

async function rowsOf<T>(fetch: (page: StorePage) => Promise<Paged<T>>, limit: number): Promise<Rows<T>> {
  const items: T[] = []
  let cursor: string | null = null
  for (let looks = 0; looks < mostLooks && items.length < limit; looks++) {
    const page: Paged<T> = await fetch({ limit: limit - items.length, ...(cursor === null ? {} : { cursor }) })
    items.push(...page.items)
    cursor = page.next
    if (cursor === null) break
  }
  return { items, more: cursor !== null }
}

const mapped = <T>({ items, more }: Rows<T>, item: (row: T) => Item): Page => ({ items: items.map(item), more })
