/** Pages of steps, those of the newest jobs first. */
import { isUnknown, type ListedStep, type StepFilter } from '../../../domain/step.ts'
import type { JobState } from '../../../domain/job.ts'
import type { Connection } from '../file/connection.ts'
import { all, jobConditions, statements, type Condition } from './where-clause.ts'
import { stepColumns } from '../rows/steps.ts'
import { namedCursor, namedEntryOf, pageSize, type Page, type Paged } from '../../page.ts'

type Row = Omit<ListedStep, 'unknown'> & { jobAttempt: number }

const openIndex = 'wf_worker_idempotency s INDEXED BY wf_worker_idempotency_open'
const isOpen: Condition = {
  sql: "s.completed_at IS NULL AND NOT (j.state = 'running' AND j.attempt = s.attempt)",
  values: [],
}

export function stepLister(db: Connection): (filter: StepFilter, page: Page) => Paged<ListedStep> {
  const statement = statements(db)
  return ({ jobKeys, types, unknown = false }, page) => {
    const limit = pageSize(page)
    const selected = jobConditions({ ...(jobKeys ? { keys: jobKeys } : {}), ...(types ? { types } : {}) })
    const where = all([...selected, ...(unknown ? [isOpen] : [])])
    const sql = `SELECT ${stepColumns}, j.type, j.state AS jobState, j.attempt AS jobAttempt FROM ${unknown ? openIndex : 'wf_worker_idempotency s'}
      CROSS JOIN wf_jobs j ON j.key = s.job_key WHERE (s.job_key, s.step) < (?, ?) AND ${where.sql} ORDER BY s.job_key DESC, s.step DESC LIMIT ?`
    const rows = statement(sql).all(...startOf(page), ...where.values, limit + 1) as Row[]
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      items: rows.slice(0, limit).map(listed),
      next: last === undefined ? null : namedCursor(last.jobKey, last.step),
    }
  }
}

function listed({ jobAttempt, ...row }: Row): ListedStep {
  return { ...row, unknown: isUnknown(row, { state: row.jobState as JobState, attempt: jobAttempt }) }
}

/** Every step sorts before (2^53, ''). */
function startOf({ cursor }: Page): readonly [number, string] {
  return cursor === undefined ? [Number.MAX_SAFE_INTEGER, ''] : namedEntryOf(cursor)
}
