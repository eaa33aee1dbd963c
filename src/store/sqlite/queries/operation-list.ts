/** Pages of operations, newest first, and of the targets of one. */
import {
  undoableVerbs,
  type Operation,
  type OperationFilter,
  type OperationTarget,
} from '../../../domain/operation.ts'
import { badCursor, namedCursor, namedEntryOf, pageSize, type Page, type Paged } from '../../page.ts'
import type { Connection } from '../file/connection.ts'
import {
  operationColumns,
  operationFrom,
  targetColumns,
  targetFrom,
  type OperationRow,
  type TargetRow,
} from '../rows/operations.ts'
import { all, statements, type Condition } from './where-clause.ts'

export interface OperationLister {
  operations(filter: OperationFilter, page: Page): Paged<Operation>
  targets(id: number, page: Page, undoable?: boolean): Paged<OperationTarget>
}

export function operationLister(db: Connection): OperationLister {
  const prepared = statements(db)
  return {
    operations(filter, page) {
      const before = operationCursor(page)
      const where = all([
        ...filterConditions(filter),
        ...(before === undefined ? [] : [{ sql: 'o.id < ?', values: [before] }]),
      ])
      const size = pageSize(page)
      const sql = `SELECT ${operationColumns} FROM wf_operations o WHERE ${where.sql} ORDER BY o.id DESC LIMIT ?`
      const rows = prepared(sql).all(...where.values, size + 1) as OperationRow[]
      const items = rows.slice(0, size).map(operationFrom)
      return { items, next: rows.length > size ? String(items.at(-1)?.id) : null }
    },
    targets(id, page, undoable = false) {
      const [jobKey, name] = targetCursor(page)
      const more = undoable
        ? "AND t.status = 'changed' AND (t.image IS NOT NULL OR t.job_key > 0) AND t.undone_by IS NULL"
        : ''
      const sql = `SELECT ${targetColumns} FROM wf_operation_targets t WHERE t.operation_id = ? AND (t.job_key, t.name) > (?, ?) ${more}
        ORDER BY t.job_key, t.name LIMIT ?`
      const size = pageSize(page)
      const rows = prepared(sql).all(id, jobKey, name, size + 1) as TargetRow[]
      const items = rows.slice(0, size).map(targetFrom)
      const last = items.at(-1)
      return {
        items,
        next: rows.length > size && last ? namedCursor(last.jobKey, last.name) : null,
      }
    },
  }
}

function filterConditions({ who, verbs, since, undoable }: OperationFilter): Condition[] {
  const list = (of: readonly string[]): Condition => ({
    sql: 'o.verb IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(of)],
  })
  return [
    ...(who === undefined ? [] : [{ sql: 'instr(lower(o.who), lower(?)) > 0', values: [who] }]),
    ...(verbs === undefined ? [] : [list(verbs)]),
    ...(since === undefined ? [] : [{ sql: 'o.at >= ?', values: [since] }]),
    ...(undoable ? [list(undoableVerbs), { sql: 'o.undone_by IS NULL AND o.changed > 0', values: [] }] : []),
  ]
}

function operationCursor({ cursor }: Page): number | undefined {
  if (cursor === undefined || /^\d{1,15}$/.test(cursor)) return cursor === undefined ? cursor : Number(cursor)
  throw badCursor(cursor)
}

/** Every target sorts after (-1, ''). */
function targetCursor({ cursor }: Page): readonly [number, string] {
  return cursor === undefined ? [-1, ''] : namedEntryOf(cursor)
}
