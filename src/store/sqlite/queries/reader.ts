/** The reading half of the port: each query is prepared when it is first used, and waits out a lock. */
import { WfError } from '../../../errors.ts'
import { largestPage, pageSize, type Page } from '../../page.ts'
import type { StoreReader } from '../../port.ts'
import { engineVersion, type Connection } from '../file/connection.ts'
import type { StorePlace } from '../file/file-identity.ts'
import { withPatterns } from '../../../text/pattern.ts'
import { whileLocked, type LockWait } from '../file/lock-wait.ts'
import { versionOf } from '../file/migrate.ts'
import { claimer } from '../hot/claim.ts'
import type { Rows } from '../rows/rows.ts'
import { factsReader } from '../transact.ts'
import { activity } from './activity.ts'
import { causeLister, causeVariables } from './causes.ts'
import { counting } from './counts.ts'
import { deadLetterLister } from './dead-letter-list.ts'
import { feedReader } from './feed.ts'
import { pendingLook } from './has-pending.ts'
import { incidentLister } from './incident-list.ts'
import { jobDetails } from './job-detail.ts'
import { jobLister } from './job-list.ts'
import { looksInside } from './json-predicates.ts'
import { operationLister } from './operation-list.ts'
import { atOneMoment } from './read-snapshot.ts'
import { stepLister } from './step-list.ts'

/** How long a reader waits for a lock: only recovery or removal of a WAL takes one, for moments. */
const readerPatienceMs = 5_000

/** Runs a read, waiting out the rare lock. */
export type Read = <T>(read: () => T) => Promise<T>

export function reading(db: Connection, { wait, place }: { wait: LockWait; place: StorePlace }): Read {
  const patience = { ...wait, lockTimeoutMs: wait.lockTimeoutMs ?? readerPatienceMs }
  return (read) => {
    if (!db.open)
      return Promise.reject(new WfError('store_unavailable', `the store ${wait.location} is closed`))
    return withPatterns(() =>
      whileLocked(patience, () => {
        place.checkAll()
        return read()
      }),
    )
  }
}

/** Of one statement or one snapshot. `causes` may take several. */
type Queries = Omit<StoreReader, 'causes' | 'close'>

type Synchronous<F> = F extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never

type Makers = { [K in keyof Queries]: () => Synchronous<Queries[K]> }

export function sqliteReader(
  rows: Rows,
  { read, location }: { read: Read; location: string },
): Omit<StoreReader, 'close'> {
  const incidents = once(() => incidentLister(rows))
  const makers: Makers = {
    ...listMakers(rows, incidents),
    ...liveMakers(rows),
    ...figureMakers(rows),
    info: () => () => ({
      location,
      storeId:
        rows.db.prepare<[], string>("SELECT value FROM wf_meta WHERE name = 'store_id'").pluck().get() ?? '',
      schemaVersion: versionOf(rows.db),
      engineVersion: engineVersion(rows.db),
    }),
    job: () => jobDetails(rows),
    facts: () => atOneMoment(rows.db, factsReader(rows)),
    history: () => (limit) => rows.history.ofNoJob(pageSize({ limit })),
    breakers: () => rows.breakers.all,
    breaker: () => rows.breakers.get,
    breakerHistory: () => (name, limit, since) => rows.history.ofBreaker(name, pageSize({ limit }), since),
  }
  return { ...lifted(read, makers), causes: causeQuery(rows, read, incidents) }
}

type Listing =
  | 'jobs'
  | 'incidents'
  | 'deadLetters'
  | 'deadLetter'
  | 'tally'
  | 'operations'
  | 'operation'
  | 'operationTargets'
  | 'allSteps'

function listMakers(rows: Rows, incidents: () => ReturnType<typeof incidentLister>): Pick<Makers, Listing> {
  const letters = once(() => deadLetterLister(rows))
  const operations = once(() => operationLister(rows.db))
  return {
    jobs: () => jobLister(rows.db),
    incidents: () => incidents().list,
    deadLetters: () => letters().list,
    deadLetter: () => rows.deadLetters.stored,
    tally: () => (list, selector, page) => (list === 'dlq' ? letters() : incidents()).tally(selector, page),
    operations: () => operations().operations,
    operation: () => rows.operations.get,
    operationTargets: () => operations().targets,
    allSteps: () => stepLister(rows.db),
  }
}

type Live =
  | 'workers'
  | 'hasDue'
  | 'hasPending'
  | 'nextDue'
  | 'held'
  | 'running'
  | 'expiredLeases'
  | 'overdue'
  | 'version'

function liveMakers(rows: Rows): Pick<Makers, Live> {
  const { db } = rows
  return {
    workers: () => rows.workers.all,
    hasDue: () => claimer(rows).hasDue,
    hasPending: () => pendingLook(db),
    nextDue: () => nextDue(rows),
    held: () => rows.workers.held,
    running: () => rows.workers.running,
    expiredLeases: () => rows.workers.expired,
    overdue: () => rows.jobs.overdue,
    version() {
      const version = db.prepare<[], number>('PRAGMA data_version').pluck()
      return () => version.get() ?? 0
    },
  }
}

type Figures =
  | 'types'
  | 'pausedTypes'
  | 'counts'
  | 'attemptTotals'
  | 'stopTotals'
  | 'waitingTotals'
  | 'feedPositionAt'
  | 'feedSince'
  | 'stats'
  | 'counters'
  | 'causeVariables'

function figureMakers(rows: Rows): Pick<Makers, Figures> {
  const counts = once(() => counting(rows))
  const figures = once(() => activity(rows.db))
  const news = once(() => feedReader(rows.db))
  return {
    types: () => counts().types,
    pausedTypes: () => rows.types.pausedTypes,
    counts: () => counts().counts,
    attemptTotals: () => figures().attempts,
    stopTotals: () => figures().stops,
    waitingTotals: () => figures().waiting,
    feedPositionAt: () => news().feedPositionAt,
    feedSince: () => news().feedSince,
    stats: () => rows.stats.since,
    counters: () => rows.stats.counters,
    causeVariables: () => causeVariables(rows.db),
  }
}

/** Earliest start of a waiting job, or end of a pause, of each type. */
function nextDue({ db, types }: Rows): Makers['nextDue'] extends () => infer F ? F : never {
  const earliest = db
    .prepare<[string], number | null>(
      "SELECT min(run_at) FROM wf_jobs INDEXED BY wf_jobs_waiting WHERE state = 'waiting' AND type = ?",
    )
    .pluck()
  const pauseEnd = (type: string) => {
    const [pausedAt, pausedUntil] = types.pause(type) ?? [null, null]
    return pausedAt === null ? [] : (pausedUntil ?? [])
  }
  return (names) => {
    const due = names.flatMap((type) => [earliest.get(type) ?? [], pauseEnd(type)].flat())
    return due.length === 0 ? null : Math.min(...due)
  }
}

/** A filter on errors or variables is read page by page first, so that no read lasts long. */
function causeQuery(
  { db }: Rows,
  read: Read,
  incidents: () => ReturnType<typeof incidentLister>,
): StoreReader['causes'] {
  const causes = once(() => causeLister(db))
  const keysInside = async (selector: Parameters<StoreReader['causes']>[0]) => {
    const keys: number[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Page = { limit: largestPage, ...(cursor === undefined ? {} : { cursor }) }
      const { items, next } = await read(() => incidents().list({ ...selector, includeClosed: false }, page))
      for (const { jobKey } of items) keys.push(jobKey)
      cursor = next
    }
    return keys
  }
  return async (selector, now) => {
    const narrowed = looksInside(selector) ? { keys: await keysInside(selector) } : selector
    return read(() => causes()(narrowed, now))
  }
}

function lifted(read: Read, makers: Makers): Queries {
  const lift = (make: () => (...args: unknown[]) => unknown) => {
    const made = once(make)
    return (...args: unknown[]) => read(() => made()(...args))
  }
  return Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [name, lift(make as Parameters<typeof lift>[0])]),
  ) as unknown as Queries
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
