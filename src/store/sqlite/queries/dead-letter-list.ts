/** Pages of dead letters (default order: newest first). A letter may outlive its job. */
import type { DeadLetter } from '../../../domain/dead-letter.ts'
import { atOneMoment } from './read-snapshot.ts'
import { insideConditions, insideDeadLetter, looksInside, prepareInside } from './json-predicates.ts'
import { seek, type Entry, type Order } from './keyset.ts'
import type { Rows } from '../rows/rows.ts'
import {
  all,
  deadLetterConditions,
  jobConditions,
  statements,
  timeConditions,
  withIncident,
  type Condition,
} from './where-clause.ts'
import { sift, wanted } from './filtered-page.ts'
import type { Page, Paged } from '../../page.ts'
import type { Selector } from '../../../domain/selector.ts'

export interface DeadLetterLister {
  list(selector: Selector, page: Page): Paged<DeadLetter>
  /** Null if each row had to be parsed. */
  tally(selector: Selector, page?: Omit<Page, 'limit'>): number | null
}

export function deadLetterLister(rows: Rows): DeadLetterLister {
  const { db } = rows
  prepareInside(db)
  const statement = statements(db)
  const search = (selector: Selector, page: Page): Entry[] => {
    const { order, by } = seek('dlq', page, 'p.job_key')
    const { from, where } = meant(selector, page)
    const sql = `SELECT p.job_key AS id, ${order.column} AS value FROM ${from} WHERE ${where.sql} ORDER BY ${by} LIMIT ?`
    return statement(sql).all(...where.values, wanted(page, looksInside(selector))) as Entry[]
  }
  const fitting = (selector: Selector) => (keys: readonly number[]) => {
    const where = all(insideConditions(selector, insideDeadLetter))
    const sql = `SELECT p.job_key FROM json_each(?) c CROSS JOIN wf_poison_jobs p ON p.job_key = c.value WHERE ${where.sql}`
    return statement(sql)
      .pluck()
      .all(JSON.stringify(keys), ...where.values) as number[]
  }
  const tally = (selector: Selector, page: Omit<Page, 'limit'> = {}): number | null => {
    if (looksInside(selector)) return null
    const { from, where } = meant(selector, page)
    return statement(`SELECT count(*) FROM ${from} WHERE ${where.sql}`)
      .pluck()
      .get(...where.values) as number
  }
  const list = atOneMoment(db, (selector: Selector, page: Page) => {
    const { cursor } = seek('dlq', page, 'p.job_key')
    const { shown, last, ...looked } = sift(
      search(selector, page),
      page,
      looksInside(selector) ? fitting(selector) : null,
    )
    return {
      items: shown.flatMap(({ id }) => rows.deadLetters.get(id) ?? []),
      next: last && cursor(last),
      ...looked,
    }
  })
  return { list, tally }
}

/** Rows behind the cursor that match the conditions on columns. */
function meant(selector: Selector, page: Omit<Page, 'limit'>): { from: string; where: Condition } {
  const { order, after } = seek('dlq', page, 'p.job_key')
  const own = [...deadLetterConditions(selector), ...timeConditions(selector, 'p.received_at')]
  const where = all([after, ...conditions(selector), ...own, ...withIncident(selector, 'p.job_key')])
  return {
    from: `wf_poison_jobs p ${indexed(order, selector)} LEFT JOIN wf_jobs j ON j.key = p.job_key`,
    where,
  }
}

function indexed({ column }: Order, { includeClosed, keys }: Selector): string {
  if (keys !== undefined) return ''
  if (!includeClosed) return 'INDEXED BY wf_poison_jobs_open'
  return column === 'p.received_at' ? 'INDEXED BY wf_poison_jobs_received' : ''
}

/** Uses the letter's own key and type, because its job may be gone. */
function conditions({ keys, types, ...rest }: Selector): readonly Condition[] {
  const own = jobConditions({ ...(keys ? { keys } : {}), ...(types ? { types } : {}) })
  return [
    ...own.map(({ sql, values }) => ({
      sql: sql.replace('j.key', 'p.job_key').replace('j.type', 'p.job_type'),
      values,
    })),
    ...jobConditions(rest),
  ]
}
