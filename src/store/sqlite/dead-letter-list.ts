/** Pages of dead letters, the one received last first. A letter may outlive its job. */
import type { DeadLetter } from '../../domain/dead-letter.ts'
import type { Page, Paged, Selector } from '../store.ts'
import type { Connection } from './connection.ts'
import { deadLetterColumns } from './poison-jobs.ts'
import {
  all,
  cursorParts,
  deadLetterConditions,
  jobConditions,
  pageSize,
  statements,
  timeConditions,
  withIncident,
  type Condition,
} from './selection.ts'

export function deadLetterLister(db: Connection): (selector: Selector, page: Page) => Paged<DeadLetter> {
  const statement = statements(db)
  return (selector, page) => {
    const limit = pageSize(page)
    const where = all([
      ...[...conditions(selector), ...deadLetterConditions(selector), ...timeConditions(selector, 'p.received_at')],
      ...withIncident(selector, 'p.job_key'),
    ])
    const [receivedAt = Number.MAX_SAFE_INTEGER, jobKey = Number.MAX_SAFE_INTEGER] = cursorParts(page, 2) ?? []
    const index = selector.includeClosed ? 'wf_poison_jobs_received' : 'wf_poison_jobs_open'
    const sql = `SELECT ${deadLetterColumns} FROM wf_poison_jobs p INDEXED BY ${index} LEFT JOIN wf_jobs j ON j.key = p.job_key
      WHERE (p.received_at, p.job_key) < (?, ?) AND ${where.sql} ORDER BY p.received_at DESC, p.job_key DESC LIMIT ?`
    const rows = statement(sql).all(receivedAt, jobKey, ...where.values, limit + 1) as DeadLetter[]
    const items = rows.slice(0, limit)
    const last = items.at(-1)
    return { items, next: rows.length > limit && last !== undefined ? `${last.receivedAt}.${last.jobKey}` : null }
  }
}

/** Key and type are the letter's own: its job may be gone. */
function conditions({ keys, types, ...rest }: Selector): readonly Condition[] {
  const own = jobConditions({ ...(keys ? { keys } : {}), ...(types ? { types } : {}) })
  return [
    ...own.map(({ sql, values }) => ({ sql: sql.replace('j.key', 'p.job_key').replace('j.type', 'p.job_type'), values })),
    ...jobConditions(rest),
  ]
}
