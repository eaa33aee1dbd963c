/** The reading half of the port. Every answer is one short read: no transaction outlives its call, so none holds back a checkpoint. */
import { WfError } from '../../../errors.ts'
import type { StoreReader } from '../../port.ts'
import { activity } from './activity.ts'
import { breakersTable } from '../rows/breakers.ts'
import { causeLister, causeVariables } from './causes.ts'
import { claimer } from '../hot/claim.ts'
import { engineVersion, type Connection } from '../file/connection.ts'
import { counting } from './counts.ts'
import { deadLetterLister } from './dead-letter-list.ts'
import { deadlines } from '../deadlines.ts'
import { historyTable } from '../rows/history.ts'
import { incidentLister } from './incident-list.ts'
import { looksInside } from './json-predicates.ts'
import { jobDetails } from './job-detail.ts'
import { jobLister } from './job-list.ts'
import { whileLocked, type LockWait } from '../file/lock-wait.ts'
import { versionOf } from '../file/migrate.ts'
import { newsReader } from './feed.ts'
import { operationLister, operationsTable } from '../rows/operations.ts'
import { pendingLook } from './has-pending.ts'
import { storedLetterReader } from '../rows/dead-letters.ts'
import { statsTable } from '../rows/stats.ts'
import { stepLister } from './step-list.ts'
import type { StorePlace } from '../file/file-identity.ts'
import { typesTable } from '../rows/job-types.ts'
import { workerIdempotencyTable } from '../rows/steps.ts'
import { workersTable } from '../rows/workers.ts'
import type { Page } from '../../page.ts'
import type { Selector } from '../../../domain/selector.ts'

/** Readers meet a lock only while a WAL is recovered or removed: a matter of moments. */
const readerPatienceMs = 5_000

/** Runs a read, waiting out the rare lock. */
export type Read = <T>(read: () => T) => Promise<T>

export function reading(db: Connection, { wait, place }: { wait: LockWait; place: StorePlace }): Read {
  const patience = { ...wait, lockTimeoutMs: wait.lockTimeoutMs ?? readerPatienceMs }
  return (read) => {
    if (!db.open)
      return Promise.reject(new WfError('store_unavailable', `the store ${wait.location} is closed`))
    return whileLocked(patience, () => {
      place.look()
      return read()
    })
  }
}

export function sqliteReader(
  db: Connection,
  { read, location }: { read: Read; location: string },
): Omit<StoreReader, 'close'> {
  const lists = listing(db, read)
  const live = liveness(db, read)
  const details = lazy(() => jobDetails(db))
  const stats = lazy(() => statsTable(db))
  const count = lazy(() => counting(db))
  const types = lazy(() => typesTable(db))
  const history = lazy(() => historyTable(db))
  return {
    ...lists,
    ...live,
    ...resilience(db, read),
    ...causes(db, read),
    ...operations(db, read),
    ...watching(db, read),
    info: () =>
      read(() => ({
        location,
        storeId:
          db.prepare<[], string>("SELECT value FROM wf_meta WHERE name = 'store_id'").pluck().get() ?? '',
        schemaVersion: versionOf(db),
        engineVersion: engineVersion(db),
      })),
    job: (key) => read(() => details()(key)),
    types: (now) => read(() => count().types(now)),
    pausedTypes: (now) => read(() => types().pausedTypes(now)),
    counts: () => read(() => count().counts()),
    history: (limit) => read(() => history().ofNoJob(limit)),
    stats: (sinceMinute) => read(() => stats().since(sinceMinute)),
    counters: () => read(() => stats().counters()),
  }
}

function operations(
  db: Connection,
  read: Read,
): Pick<StoreReader, 'operation' | 'operations' | 'operationTargets'> {
  const table = lazy(() => operationsTable(db))
  const list = lazy(() => operationLister(db))
  return {
    operation: (id) => read(() => table().get(id)),
    operations: (filter, page) => read(() => list().operations(filter, page)),
    operationTargets: (id, page, undoable = false) => read(() => list().targets(id, page, undoable)),
  }
}

function watching(
  db: Connection,
  read: Read,
): Pick<StoreReader, 'attemptTotals' | 'stopTotals' | 'waitingTotals' | 'marksAt' | 'newsSince'> {
  const figures = lazy(() => activity(db))
  const news = lazy(() => newsReader(db))
  return {
    attemptTotals: (query) => read(() => figures().attempts(query)),
    stopTotals: (query) => read(() => figures().stops(query)),
    waitingTotals: () => read(() => figures().waiting()),
    marksAt: (since, now) => read(() => news().marksAt(since, now)),
    newsSince: (marks, limit, now) => read(() => news().newsSince(marks, limit, now)),
  }
}

function resilience(
  db: Connection,
  read: Read,
): Pick<StoreReader, 'breakers' | 'breaker' | 'breakerHistory' | 'steps' | 'allSteps'> {
  const breakers = lazy(() => breakersTable(db))
  const history = lazy(() => historyTable(db))
  const steps = lazy(() => workerIdempotencyTable(db))
  const list = lazy(() => stepLister(db))
  return {
    breakers: () => read(() => breakers().all()),
    breaker: (name) => read(() => breakers().get(name)),
    breakerHistory: (name, limit, since) => read(() => history().ofBreaker(name, limit, since)),
    steps: (jobKey) => read(() => steps().ofJob(jobKey)),
    allSteps: (filter, page) => read(() => list()(filter, page)),
  }
}

function listing(
  db: Connection,
  read: Read,
): Pick<StoreReader, 'jobs' | 'incidents' | 'deadLetters' | 'deadLetter' | 'tally'> {
  const jobs = lazy(() => jobLister(db))
  const incidents = lazy(() => incidentLister(db))
  const letters = lazy(() => deadLetterLister(db))
  const letter = lazy(() => storedLetterReader(db))
  return {
    jobs: (selector, page) => read(() => jobs()(selector, page)),
    incidents: (selector, page) => read(() => incidents().list(selector, page)),
    deadLetters: (selector, page) => read(() => letters().list(selector, page)),
    tally: (list, selector, page) =>
      read(() => (list === 'dlq' ? letters() : incidents()).tally(selector, page)),
    deadLetter: (key) => read(() => letter()(key)),
  }
}

function causes(db: Connection, read: Read): Pick<StoreReader, 'causes' | 'causeVariables'> {
  const incidents = lazy(() => incidentLister(db))
  /** Page by page, so that what is looked into holds nobody up. */
  const keysInside = async (selector: Selector) => {
    const keys: number[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Page = { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) }
      const { items, next } = await read(() => incidents().list({ ...selector, includeClosed: false }, page))
      for (const { jobKey } of items) keys.push(jobKey)
      cursor = next
    }
    return keys
  }
  const list = lazy(() => causeLister(db))
  const variables = lazy(() => causeVariables(db))
  return {
    async causes(selector, now) {
      const narrowed = looksInside(selector) ? { keys: await keysInside(selector) } : selector
      return read(() => list()(narrowed, now))
    },
    causeVariables: (cause) => read(() => variables()(cause)),
  }
}

type Live = Pick<
  StoreReader,
  | 'workers'
  | 'hasDue'
  | 'hasPending'
  | 'nextDue'
  | 'held'
  | 'running'
  | 'expiredLeases'
  | 'overdue'
  | 'version'
>

function liveness(db: Connection, read: Read): Live {
  const workers = lazy(() => workersTable(db))
  const claims = lazy(() => claimer(db))
  const late = lazy(() => deadlines(db))
  const nextDue = lazy(() =>
    db
      .prepare<[string], number | null>(
        "SELECT min(run_at) FROM wf_jobs INDEXED BY wf_jobs_waiting WHERE state = 'waiting' AND type = ?",
      )
      .pluck(),
  )
  const types = lazy(() => typesTable(db))
  const pending = lazy(() => pendingLook(db))
  const version = lazy(() => db.prepare<[], number>('PRAGMA data_version').pluck())
  return {
    workers: () => read(() => workers().all()),
    hasDue: (types, suspects, now) => read(() => claims().hasDue(types, suspects, now)),
    hasPending: (types, now) => read(() => pending()(types, now)),
    nextDue: (names) =>
      read(() => {
        const due = names.flatMap((type) => [nextDue().get(type) ?? [], types().pauseEnds(type) ?? []].flat())
        return due.length === 0 ? null : Math.min(...due)
      }),
    held: (workerId) => read(() => workers().held(workerId)),
    running: (workerId) => read(() => workers().running(workerId)),
    expiredLeases: (now, limit) => read(() => workers().expired(now, limit)),
    overdue: (now, limit) => read(() => late().overdue(now, limit)),
    version: () => read(() => version().get() ?? 0),
  }
}

/** Statements are prepared when first used: a command that lists jobs pays for that list only. */
function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
