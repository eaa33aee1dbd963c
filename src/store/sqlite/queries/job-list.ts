/**
 * Pages of jobs (default order: newest key first). Completed jobs have no index, so a list reads the table by key from the cursor;
 * rare states are read from their own partial indexes, so that a few old stops are found at once.
 */
import { jobStates, type Job, type JobState } from '../../../domain/job.ts'
import type { Connection } from '../file/connection.ts'
import { atOneMoment } from './read-snapshot.ts'
import { insideConditions, insideJob, insideJobAlone, looksInside, prepareInside } from './json-predicates.ts'
import { jobColumns, jobFrom, type JobRow } from '../rows/jobs.ts'
import { seek, type Entry, type Order } from './keyset.ts'
import {
  all,
  jobConditions,
  statements,
  timeConditions,
  withDeadLetter,
  withIncident,
  type Condition,
  type Value,
} from './where-clause.ts'
import { sift, wanted } from './filtered-page.ts'
import type { Page, Paged } from '../../page.ts'
import type { Selector } from '../../../domain/selector.ts'

/** States whose index is in the order of a list: (type, key). */
const orderedStates: readonly JobState[] = ['failed', 'dead', 'rejected', 'cancelled']
/** Below this number of entries an index in another order is read whole and sorted. */
const fewEntries = 20_000

interface Search {
  where: Condition
  /** Key at which the page before ended. */
  behind: number
  descending: boolean
  limit: number
}

export function jobLister(db: Connection): (selector: Selector, page: Page) => Paged<Job> {
  prepareInside(db)
  const statement = statements(db)
  const byKey = keySearch(statement)
  const sorted = sortedSearch(statement)
  const find = (selector: Selector, page: Page): Entry[] => {
    const limit = wanted(page, looksInside(selector))
    const own = [...jobConditions(selector), ...timeConditions(selector, 'j.created_at')]
    const conditions = [...own, ...withIncident(selector, 'j.key'), ...withDeadLetter(selector, 'j.key')]
    const { order, after, by } = seek('jobs', page, 'j.key')
    if (order.column !== null)
      return sorted(selector, { order, where: all([after, ...conditions]), by, limit })
    const { descending } = order
    const [behind = descending ? Number.MAX_SAFE_INTEGER : 0] = after.values as number[]
    const keys = byKey(selector, { where: all(conditions), behind, descending, limit }).sort((a, b) =>
      descending ? b - a : a - b,
    )
    return keys.slice(0, limit).map((id) => ({ id, value: null }))
  }
  const fitting = (selector: Selector) => (keys: readonly number[]) => {
    const where = all(insideConditions(selector, insideJob))
    const sql = `SELECT j.key FROM json_each(?) c CROSS JOIN wf_jobs j ON j.key = c.value LEFT JOIN wf_job_data d ON d.job_key = j.key WHERE ${where.sql}`
    return pluck(statement(sql), [JSON.stringify(keys), ...where.values])
  }
  return atOneMoment(db, (selector: Selector, page: Page) => {
    const { cursor } = seek('jobs', page, 'j.key')
    const { shown, last, ...looked } = sift(
      find(selector, page),
      page,
      looksInside(selector) ? fitting(selector) : null,
    )
    const rows = statement(
      `SELECT ${jobColumns} FROM json_each(?) c CROSS JOIN wf_jobs j ON j.key = c.value ORDER BY c.key`,
    )
      .raw()
      .all(JSON.stringify(shown.map(({ id }) => id))) as JobRow[]
    return { items: rows.map(jobFrom), next: last && cursor(last), ...looked }
  })
}

type Prepare = ReturnType<typeof statements>

const pluck = (statement: ReturnType<Prepare>, values: readonly Value[]) =>
  statement.pluck().all(...values) as number[]

/** Orders without an index: reads all candidates and keeps one page. */
function sortedSearch(
  statement: Prepare,
): (selector: Selector, search: { order: Order; where: Condition; by: string; limit: number }) => Entry[] {
  return (selector, { order, where: given, by, limit }) => {
    const states = statesOf(selector)
    const whole = states.includes('completed') || selector.keys !== undefined
    const among = states.map((state) => entriesOf(state, 'key')).join(' UNION ALL ')
    const of = whole ? 'j.state IN (SELECT value FROM json_each(?))' : `j.key IN (${among})`
    if (states.length === 0) return []
    // Each page reads all candidates, so the filter belongs in the statement.
    const inside = whole ? insideConditions(selector, insideJobAlone) : []
    const where = all([given, ...inside])
    const sql = `SELECT j.key AS id, ${order.column} AS value FROM wf_jobs j ${whole && selector.keys === undefined ? 'NOT INDEXED' : ''}
      WHERE ${of} AND ${where.sql} ORDER BY ${by} LIMIT ?`
    return statement(sql).all(...(whole ? [JSON.stringify(states)] : []), ...where.values, limit) as Entry[]
  }
}

/** Returns matching keys, at least the first `limit` from one end, in any order. */
function keySearch(statement: Prepare): (selector: Selector, search: Search) => number[] {
  const ways = waysToSearch(statement)
  return (selector, search) => {
    if (selector.keys !== undefined) return ways.byKey(search)
    const states = statesOf(selector)
    if (states.includes('completed')) return ways.scanned(states, search)
    const inOrder = states.filter((state) => orderedStates.includes(state))
    const rare = states.filter((state) => !inOrder.includes(state) && isRare(statement, state))
    const common = states.filter((state) => !inOrder.includes(state) && !rare.includes(state))
    return [
      ...inOrder.flatMap((state) => ways.ordered(state, search)),
      ...rare.flatMap((state) => ways.sorted(state, search)),
      ...(common.length > 0 ? ways.scanned(common, search) : []),
    ]
  }
}

function waysToSearch(statement: Prepare) {
  const keys = (sql: string, values: readonly Value[]) => pluck(statement(sql), values)
  const beyond = ({ descending }: Search) => `j.key ${descending ? '<' : '>'} ?`
  const inOrder = ({ descending }: Search) => `ORDER BY j.key ${descending ? 'DESC' : 'ASC'} LIMIT ?`
  return {
    byKey(search: Search): number[] {
      const { where, behind, limit } = search
      return keys(`SELECT j.key FROM wf_jobs j WHERE ${where.sql} AND ${beyond(search)} ${inOrder(search)}`, [
        ...where.values,
        behind,
        limit,
      ])
    },
    ordered(state: JobState, search: Search): number[] {
      const { where, behind, limit } = search
      const from = `wf_jobs j INDEXED BY wf_jobs_${state} WHERE j.state = '${state}'`
      const sql = `SELECT j.key FROM ${from} AND j.type = ? AND ${beyond(search)} AND ${where.sql} ${inOrder(search)}`
      return typesIn(statement, state).flatMap((type) => keys(sql, [type, behind, ...where.values, limit]))
    },
    sorted(state: JobState, search: Search): number[] {
      const { where, behind, limit } = search
      const of = `j.key IN (${entriesOf(state, 'key')})`
      return keys(
        `SELECT j.key FROM wf_jobs j WHERE ${of} AND ${beyond(search)} AND ${where.sql} ${inOrder(search)}`,
        [behind, ...where.values, limit],
      )
    },
    scanned(states: readonly JobState[], search: Search): number[] {
      const { where, behind, limit } = search
      const of = 'j.state IN (SELECT value FROM json_each(?))'
      const sql = `SELECT j.key FROM wf_jobs j NOT INDEXED WHERE ${beyond(search)} AND ${of} AND ${where.sql} ${inOrder(search)}`
      return keys(sql, [behind, JSON.stringify(states), ...where.values, limit])
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

/** The states that a matching job can have. */
function statesOf(selector: Selector): readonly JobState[] {
  const {
    states = jobStates,
    incidentKinds,
    fingerprints,
    deadLetterReasons,
    error,
    codes,
    workerId,
    includeClosed,
  } = selector
  // Only known states: they become part of a statement's text, and programs pass any string.
  return jobStates.filter(
    (state) =>
      states.includes(state) &&
      ((error === undefined && codes === undefined) || state !== 'completed') &&
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
