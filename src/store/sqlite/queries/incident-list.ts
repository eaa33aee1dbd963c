/** Pages of incidents, each with its job (default order: newest first). */
import { atOneMoment } from './read-snapshot.ts'
import { incidentColumns, incidentFrom, type IncidentRow } from '../rows/incidents.ts'
import { insideConditions, insideIncident, looksInside, prepareInside } from './json-predicates.ts'
import type { Rows } from '../rows/rows.ts'
import { seek, type Entry } from './keyset.ts'
import {
  all,
  incidentConditions,
  jobConditions,
  statements,
  timeConditions,
  withDeadLetter,
} from './where-clause.ts'
import { sift, wanted } from './filtered-page.ts'
import type { IncidentView } from '../../views.ts'
import type { Page, Paged } from '../../page.ts'
import type { Selector } from '../../../domain/selector.ts'

export interface IncidentLister {
  list(selector: Selector, page: Page): Paged<IncidentView>
  /** Null if each row had to be parsed. */
  tally(selector: Selector, page?: Omit<Page, 'limit'>): number | null
}

export function incidentLister({ db, jobs }: Rows): IncidentLister {
  prepareInside(db)
  const statement = statements(db)
  const search = (selector: Selector, page: Page): Entry[] => {
    const { order, after, by } = seek('incidents', page, 'i.id')
    const own = [...incidentConditions(selector), ...timeConditions(selector, 'i.created_at')]
    const where = all([after, ...own, ...jobConditions(selector), ...withDeadLetter(selector, 'j.key')])
    const from = selector.includeClosed ? 'wf_incidents i' : 'wf_incidents i INDEXED BY wf_incidents_open'
    const sql = `SELECT i.id, ${order.column ?? 'NULL'} AS value FROM ${from} CROSS JOIN wf_jobs j ON j.key = i.job_key WHERE ${where.sql} ORDER BY ${by} LIMIT ?`
    return statement(sql).all(...where.values, wanted(page, looksInside(selector))) as Entry[]
  }
  const fitting = (selector: Selector) => (ids: readonly number[]) => {
    const where = all(insideConditions(selector, insideIncident))
    const sql = `SELECT i.id FROM json_each(?) c CROSS JOIN wf_incidents i ON i.id = c.value LEFT JOIN wf_job_data d ON d.job_key = i.job_key WHERE ${where.sql}`
    return statement(sql)
      .pluck()
      .all(JSON.stringify(ids), ...where.values) as number[]
  }
  const one = `SELECT ${incidentColumns} FROM wf_incidents i WHERE i.id = ?`
  const view = (id: number): IncidentView[] => {
    const row = statement(one).get(id) as IncidentRow | undefined
    const job = row === undefined ? null : jobs.get(row.jobKey)
    return row === undefined || job === null ? [] : [{ ...incidentFrom(row), job }]
  }
  const list = atOneMoment(db, (selector: Selector, page: Page) => {
    const { cursor } = seek('incidents', page, 'i.id')
    const { shown, last, ...looked } = sift(
      search(selector, page),
      page,
      looksInside(selector) ? fitting(selector) : null,
    )
    return { items: shown.flatMap(({ id }) => view(id)), next: last && cursor(last), ...looked }
  })
  return { list, tally: tallier(statement) }
}

/** Reads no job if the selector is about incidents only. */
function tallier(statement: ReturnType<typeof statements>) {
  return (selector: Selector, page: Omit<Page, 'limit'> = {}): number | null => {
    if (looksInside(selector)) return null
    const { after } = seek('incidents', page, 'i.id')
    const ofJobs = [...jobConditions(selector), ...withDeadLetter(selector, 'j.key')]
    const where = all([
      after,
      ...incidentConditions(selector),
      ...timeConditions(selector, 'i.created_at'),
      ...ofJobs,
    ])
    const from = selector.includeClosed ? 'wf_incidents i' : 'wf_incidents i INDEXED BY wf_incidents_open'
    const join = ofJobs.length > 0 ? 'CROSS JOIN wf_jobs j ON j.key = i.job_key' : ''
    return statement(`SELECT count(*) FROM ${from} ${join} WHERE ${where.sql}`)
      .pluck()
      .get(...where.values) as number
  }
}
