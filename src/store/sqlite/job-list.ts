/**
 * Pages of jobs, newest key first. Completed jobs have no index, so a list reads the table downwards from the cursor;
 * states that are rare beside them are read from their own partial indexes, so that a few old stops are found at once.
 */
import { jobStates, type Job, type JobState } from '../../domain/job.ts'
import type { Page, Paged, Selector } from '../store.ts'
import type { Connection } from './connection.ts'
import { jobColumns, jobFrom, type JobRow } from './jobs.ts'
import {
  all,
  cursorParts,
  jobConditions,
  pageSize,
  statements,
  timeConditions,
  withDeadLetter,
  withIncident,
  type Condition,
  type Value,
} from './selection.ts'

/** States whose index is in the order of a list: (type, key). */
const orderedStates: readonly JobState[] = ['failed', 'dead', 'rejected', 'cancelled']
/** Below this many entries an index in another order is read whole and sorted; above, the table holds them close together. */
const fewEntries = 20_000

interface Search {
  where: Condition
  below: number
  limit: number
}

export function jobLister(db: Connection): (selector: Selector, page: Page) => Paged<Job> {
  const statement = statements(db)
  const search = keySearch(statement)
  return (selector, page) => {
    const limit = pageSize(page)
    const where = all([
      ...[...jobConditions(selector), ...timeConditions(selector, 'j.created_at')],
      ...[...withIncident(selector, 'j.key'), ...withDeadLetter(selector, 'j.key')],
    ])
    const [below = Number.MAX_SAFE_INTEGER] = cursorParts(page, 1) ?? []
    const found = search(selector, { where, below, limit: limit + 1 }).sort((a, b) => b - a)
    const shown = found.slice(0, limit)
    const rows = statement(`SELECT ${jobColumns} FROM wf_jobs j WHERE j.key IN (SELECT value FROM json_each(?)) ORDER BY j.key DESC`)
      .raw()
      .all(JSON.stringify(shown))
    return { items: (rows as JobRow[]).map(jobFrom), next: found.length > limit ? String(shown.at(-1)) : null }
  }
}

type Prepare = ReturnType<typeof statements>

/** Keys that fit, at least the newest `limit` of them, in any order. */
function keySearch(statement: Prepare): (selector: Selector, search: Search) => number[] {
  const ways = waysToSearch(statement)
  return (selector, search) => {
    if (selector.keys !== undefined) return ways.byKey(search)
    const wanted = statesOf(selector)
    if (wanted.includes('completed')) return ways.scanned(wanted, search)
    const inOrder = wanted.filter((state) => orderedStates.includes(state))
    const rare = wanted.filter((state) => !inOrder.includes(state) && isRare(statement, state))
    const common = wanted.filter((state) => !inOrder.includes(state) && !rare.includes(state))
    return [
      ...inOrder.flatMap((state) => ways.ordered(state, search)),
      ...rare.flatMap((state) => ways.sorted(state, search)),
      ...(common.length > 0 ? ways.scanned(common, search) : []),
    ]
  }
}

function waysToSearch(statement: Prepare) {
  const keys = (sql: string, values: readonly Value[]) =>
    statement(sql)
      .pluck()
      .all(...values) as number[]
  const newest = 'ORDER BY j.key DESC LIMIT ?'
  return {
    byKey({ where, below, limit }: Search): number[] {
      return keys(`SELECT j.key FROM wf_jobs j WHERE ${where.sql} AND j.key < ? ${newest}`, [...where.values, below, limit])
    },
    ordered(state: JobState, { where, below, limit }: Search): number[] {
      const from = `wf_jobs j INDEXED BY wf_jobs_${state} WHERE j.state = '${state}'`
      const sql = `SELECT j.key FROM ${from} AND j.type = ? AND j.key < ? AND ${where.sql} ${newest}`
      return typesIn(statement, state).flatMap((type) => keys(sql, [type, below, ...where.values, limit]))
    },
    sorted(state: JobState, { where, below, limit }: Search): number[] {
      const sql = `SELECT j.key FROM wf_jobs j WHERE j.key IN (${entriesOf(state, 'key')}) AND j.key < ? AND ${where.sql} ${newest}`
      return keys(sql, [below, ...where.values, limit])
    },
    scanned(states: readonly JobState[], { where, below, limit }: Search): number[] {
      const of = 'j.state IN (SELECT value FROM json_each(?))'
      return keys(`SELECT j.key FROM wf_jobs j NOT INDEXED WHERE j.key < ? AND ${of} AND ${where.sql} ${newest}`, [
        ...[below, JSON.stringify(states)],
        ...[...where.values, limit],
      ])
    },
  }
}

/** Jumps from one type to the next in the index. */
function typesIn(statement: Prepare, state: JobState): readonly string[] {
  const next = `SELECT min(type) FROM wf_jobs INDEXED BY wf_jobs_${state} WHERE state = '${state}'`
  const sql = `WITH RECURSIVE t(type) AS (${next} UNION ALL SELECT (${next} AND type > t.type) FROM t WHERE t.type IS NOT NULL)
    SELECT type FROM t WHERE type IS NOT NULL`
  return statement(sql).pluck().all() as string[]
}

function isRare(statement: Prepare, state: JobState): boolean {
  return (
    (statement(`SELECT count(*) FROM (${entriesOf(state, '1')} LIMIT ${fewEntries})`)
      .pluck()
      .get() as number) < fewEntries
  )
}

function entriesOf(state: JobState, column: string): string {
  return indexesOf(state)
    .map(({ name, where }) => `SELECT ${column} FROM wf_jobs INDEXED BY ${name} WHERE ${where}`)
    .join(' UNION ALL ')
}

/** States that a job can be in that has all that is asked for. */
function statesOf({ states = jobStates, incidentKinds, fingerprints, deadLetterReasons, workerId, includeClosed }: Selector): readonly JobState[] {
  return states.filter(
    (state) =>
      (includeClosed || (incidentKinds === undefined && fingerprints === undefined) || state === 'failed') &&
      (includeClosed || deadLetterReasons === undefined || state === 'failed' || state === 'dead') &&
      (workerId === undefined || state === 'running'),
  )
}

export function indexesOf(state: JobState): readonly { name: string; where: string }[] {
  if (state === 'completed') return []
  if (state !== 'available') return [{ name: `wf_jobs_${state}`, where: `state = '${state}'` }]
  return [
    { name: 'wf_jobs_available', where: "state = 'available' AND crashes < 2" },
    { name: 'wf_jobs_suspect', where: "state = 'available' AND crashes >= 2" },
  ]
}
