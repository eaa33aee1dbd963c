/**
 * Reads a snapshot: figures of the header and the overview, one page of the present list, and the detail of
 * one row. It reads through the inspector and knows no screen.
 */
import type { Source } from './source.ts'
import { programStart, trendOf } from '../domain/cause.ts'
import { inspectBreaker } from '../engine/breaker-admin.ts'
import type { InspectedType, InspectedWorker } from '../engine/inspector.ts'
import type { StoreReader } from '../store/port.ts'
import { readDetail } from './read-detail.ts'
import {
  figureItems,
  type Figures,
  type ListName,
  type Page,
  type Query,
  type Snapshot,
  all,
} from './snapshot.ts'
import {
  breakerItem,
  causeItem,
  incidentItem,
  jobItem,
  letterItem,
  workerItem,
  type Item,
  type ListedCause,
} from './items.ts'
import { jobSections } from './job-pages.ts'
import { rowsAt, standingOf } from './list-pages.ts'
import { listed, namesJobs, type Listed } from './filter.ts'
import type { Page as StorePage, Paged } from '../store/page.ts'
import type { Selector } from '../domain/selector.ts'

/** @param known recent figures, used instead of reading them again */
export async function readSnapshot(source: Source, query: Query, known?: Figures): Promise<Snapshot> {
  const at = source.now()
  const figures = known ?? (await readFigures(source, at))
  const page = await readPage(source, query, figures)
  const detail = query.detail === null ? null : await readDetail(source, query.detail, figures)
  return { query, at, figures, ...page, detail }
}

async function readFigures(source: Source, now: number): Promise<Figures> {
  const { reader, inspector } = source
  const types = await inspector.types()
  const waiting = types
    .filter(({ counts, held }) => (counts.waiting ?? 0) > 0 && held === null)
    .map(({ type }) => type)
  return {
    ...(await around(source, types, now)),
    counted: true,
    types,
    nextDueAt: waiting.length === 0 ? null : await reader.nextDue(waiting),
  }
}

/** Reads a first snapshot without counting jobs. Resolves with null if the list needs the counts. */
export async function readFirst(source: Source, query: Query): Promise<Snapshot | null> {
  if (query.list === 'jobs') return null
  const figures: Figures = {
    ...(await around(source, [], source.now())),
    counted: false,
    types: [],
    nextDueAt: null,
  }
  return readSnapshot(source, query, figures)
}

async function around({ reader, inspector, series }: Source, types: readonly InspectedType[], now: number) {
  const workers = await inspector.workers()
  return {
    location: (await inspector.info()).location,
    workers,
    breakers: (await reader.breakers()).map((row) => inspectBreaker(row, types, now)),
    causes: await listCauses(reader, {}, { workers, now }),
    series: await series.read(now),
  }
}

async function listCauses(
  reader: StoreReader,
  selector: Selector,
  { workers, now }: { workers: readonly InspectedWorker[]; now: number },
): Promise<readonly ListedCause[]> {
  return (await reader.causes(selector, now)).map((cause) => {
    const startedAt = programStart(workers, cause.type, now)
    return {
      ...cause,
      trend: trendOf(cause.recent),
      isNew: startedAt === null ? null : cause.seenAt >= startedAt,
    }
  })
}

type ReadPage = (source: Source, query: Query, figures: Figures) => Promise<Page>

const pages: Readonly<Record<ListName, ReadPage>> = {
  overview: async (_, __, figures) => all(figureItems.overview(figures)),
  async causes({ reader, now }, { selector }, { causes, workers }) {
    return all(
      (isEmpty(selector) ? causes : await listCauses(reader, selector, { workers, now: now() })).map(
        causeItem,
      ),
    )
  },
  breakers: async (_, { selector }, { breakers }) =>
    all(breakers.filter(({ name, types }) => meets({ name, types }, selector)).map(breakerItem)),
  workers: async (_, { selector }, { workers }) =>
    all(
      workers
        .filter(({ id, host, types }) => meets({ name: `${id} ${host}`, types }, selector))
        .map(workerItem),
    ),
  incidents: readListed,
  'dead-letters': readListed,
  jobs: readListed,
}

const readPage: ReadPage = (source, query, figures) => pages[query.list](source, query, figures)

const isEmpty = (selector: Selector) => Object.keys(selector).length === 0

/** Filters breakers and workers, which are few, by their types and by words in their names. */
function meets(
  { name, types }: { name: string; types: readonly string[] },
  { types: wanted, error }: Selector,
): boolean {
  const words = error && 'text' in error ? error.text.toLowerCase() : ''
  return (
    name.toLowerCase().includes(words) &&
    (wanted === undefined || types.some((type) => wanted.includes(type)))
  )
}

/** Reads a page of a long list. */
async function readListed(source: Source, query: Query, figures: Figures): Promise<Page> {
  const meant = listed(query)
  if (meant === null) return all([])
  const rows = await rowsAt(itemsOf(source, query, { figures, meant }), query)
  return {
    ...rows,
    ...(await standingOf({ reader: source.reader, figures, listed: meant }, query.place, rows)),
  }
}

function itemsOf(
  { inspector }: Source,
  { selector }: Query,
  { figures, meant }: { figures: Figures; meant: Listed },
): (page: StorePage) => Promise<Paged<Item>> {
  if (meant.of === 'incidents')
    return async (page) => mapped(await inspector.incidents(meant.selector, page), incidentItem)
  if (meant.of === 'dlq')
    return async (page) => mapped(await inspector.deadLetters(meant.selector, page), letterItem)
  if (namesJobs(selector)) return async (page) => mapped(await inspector.jobs(meant.selector, page), jobItem)
  const waits = figures.types.reduce((sum, { counts }) => sum + (counts.waiting ?? 0), 0)
  const sections = jobSections({ inspector, selector, waits })
  return async (page) => mapped(await sections(page), jobItem)
}

const mapped = <T>({ items, ...rest }: Paged<T>, item: (row: T) => Item): Paged<Item> => ({
  items: items.map(item),
  ...rest,
})
