/** Pages of incidents, newest first, each with its job. */
import type { IncidentView, Page, Paged, Selector } from '../store.ts'
import type { Connection } from './connection.ts'
import { incidentColumns, incidentFrom, type IncidentRow } from './incidents.ts'
import { jobsTable } from './jobs.ts'
import { all, cursorParts, incidentConditions, jobConditions, pageSize, statements, timeConditions, withDeadLetter } from './selection.ts'

export function incidentLister(db: Connection): (selector: Selector, page: Page) => Paged<IncidentView> {
  const statement = statements(db)
  const jobs = jobsTable(db)
  return (selector, page) => {
    const limit = pageSize(page)
    const [below = Number.MAX_SAFE_INTEGER] = cursorParts(page, 1) ?? []
    const where = all([
      ...[...jobConditions(selector), ...incidentConditions(selector), ...timeConditions(selector, 'i.created_at')],
      ...withDeadLetter(selector, 'j.key'),
    ])
    const from = selector.includeClosed ? 'wf_incidents i' : 'wf_incidents i INDEXED BY wf_incidents_open'
    const sql = `SELECT ${incidentColumns} FROM ${from} CROSS JOIN wf_jobs j ON j.key = i.job_key WHERE i.id < ? AND ${where.sql} ORDER BY i.id DESC LIMIT ?`
    const rows = statement(sql).all(below, ...where.values, limit + 1) as IncidentRow[]
    const shown = rows.slice(0, limit)
    const items = shown.flatMap((row) => {
      const job = jobs.get(row.jobKey)
      return job === null ? [] : [{ ...incidentFrom(row), job }]
    })
    return { items, next: rows.length > limit ? String(shown.at(-1)?.id) : null }
  }
}
