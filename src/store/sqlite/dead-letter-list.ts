/** Pages of dead letters, the one received last first unless told. A letter may outlive its job. */
import type { DeadLetter } from '../../domain/dead-letter.ts'
import type { Page, Paged, Selector } from '../store.ts'
import type { Connection } from './connection.ts'
import { atOneMoment } from './one-moment.ts'
import { insideConditions, insideDeadLetter, looksInside, prepareInside } from './inside.ts'
import { seek, type Entry, type Order } from './order.ts'
import { letterReader } from './poison-jobs.ts'
import { all, deadLetterConditions, jobConditions, statements, timeConditions, withIncident, type Condition } from './selection.ts'
import { sift, wanted } from './sift.ts'

export function deadLetterLister(db: Connection): (selector: Selector, page: Page) => Paged<DeadLetter> {
  prepareInside(db)
  const statement = statements(db)
  const letters = letterReader(db)
  const search = (selector: Selector, page: Page): Entry[] => {
    const { order, after, by } = seek('dlq', page, 'p.job_key')
    const own = [...deadLetterConditions(selector), ...timeConditions(selector, 'p.received_at')]
    const where = all([after, ...conditions(selector), ...own, ...withIncident(selector, 'p.job_key')])
    const sql = `SELECT p.job_key AS id, ${order.column} AS value FROM wf_poison_jobs p ${indexed(order, selector)} LEFT JOIN wf_jobs j ON j.key = p.job_key
      WHERE ${where.sql} ORDER BY ${by} LIMIT ?`
    return statement(sql).all(...where.values, wanted(page, looksInside(selector))) as Entry[]
  }
  const fitting = (selector: Selector) => (keys: readonly number[]) => {
    const where = all(insideConditions(selector, insideDeadLetter))
    const sql = `SELECT p.job_key FROM json_each(?) c CROSS JOIN wf_poison_jobs p ON p.job_key = c.value WHERE ${where.sql}`
    return statement(sql)
      .pluck()
      .all(JSON.stringify(keys), ...where.values) as number[]
  }
  return atOneMoment(db, (selector: Selector, page: Page) => {
    const { cursor } = seek('dlq', page, 'p.job_key')
    const { shown, last, ...looked } = sift(search(selector, page), page, looksInside(selector) ? fitting(selector) : null)
    return { items: shown.flatMap(({ id }) => letters(id) ?? []), next: last && cursor(last), ...looked }
  })
}

function indexed({ column }: Order, { includeClosed, keys }: Selector): string {
  if (keys !== undefined) return ''
  if (!includeClosed) return 'INDEXED BY wf_poison_jobs_open'
  return column === 'p.received_at' ? 'INDEXED BY wf_poison_jobs_received' : ''
}

/** Key and type are the letter's own: its job may be gone. */
function conditions({ keys, types, ...rest }: Selector): readonly Condition[] {
  const own = jobConditions({ ...(keys ? { keys } : {}), ...(types ? { types } : {}) })
  return [
    ...own.map(({ sql, values }) => ({ sql: sql.replace('j.key', 'p.job_key').replace('j.type', 'p.job_type'), values })),
    ...jobConditions(rest),
  ]
}
