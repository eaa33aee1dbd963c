/**
 * wf_operations and wf_operation_targets: what people changed. A target is written by whoever changes it, inside the
 * transaction of the change, and the operation's counts go with it; so both are exact at every moment.
 */
import { WfError } from '../../../errors.ts'
import {
  isUndone,
  undoableVerbs,
  type NewOperation,
  type NewTarget,
  type Operation,
  type OperationFilter,
  type OperationTarget,
  type TargetImage,
  type TargetName,
} from '../../../domain/operation.ts'
import type { Connection } from '../file/connection.ts'
import { all, badCursor, pageSize, statements, type Condition } from '../queries/where-clause.ts'
import type { Page, Paged } from '../../page.ts'

export interface OperationsTable {
  begin(operation: NewOperation, now: number): number
  end(id: number, now: number): Operation
  get(id: number): Operation | null
  /** One that is there already stays, unless it was pending. */
  addTarget(id: number, target: NewTarget, now: number): void
  target(id: number, name: TargetName): OperationTarget | null
  /** By the undo `by`. */
  markUndone(id: number, name: TargetName, by: number): void
}

type Row = Omit<Operation, 'flags'> & { flags: string }
type TargetRow = Omit<OperationTarget, 'image'> & { image: string | null }

const columns = `o.id, o.at, o.verb, o.who, o.selector, o.reason, o.flags, o.matched, o.changed, o.skipped, o.failed,
  o.touched_at AS touchedAt, o.finished_at AS finishedAt, o.undoes, o.undone_by AS undoneBy,
  CASE WHEN o.undone_by IS NULL THEN 0 ELSE (SELECT sum(u.changed) FROM wf_operations u WHERE u.id > o.id AND u.undoes = o.id) END AS undone`
const targetColumns = 't.job_key AS jobKey, t.name, t.status, t.why, t.image, t.undone_by AS undoneBy'

export function operationsTable(db: Connection): OperationsTable {
  const insert =
    db.prepare(`INSERT INTO wf_operations (at, verb, who, selector, reason, flags, matched, touched_at, undoes)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const find = db.prepare<[number], Row>(`SELECT ${columns} FROM wf_operations o WHERE o.id = ?`)
  const finish = db.prepare(
    'UPDATE wf_operations SET finished_at = ?, touched_at = ? WHERE id = ? AND finished_at IS NULL',
  )
  const undone = db.prepare(
    'UPDATE wf_operations SET undone_by = coalesce(iif(? > 0, ?, NULL), undone_by, ?) WHERE id = ?',
  )
  const get = (id: number) => {
    const row = find.get(id)
    return row === undefined ? null : operationFrom(row)
  }
  return {
    get,
    begin({ verb, who, selector, reason, flags, matched, undoes }, now) {
      if (undoes !== undefined) refuseUndone(get(undoes), undoes)
      const { lastInsertRowid } = insert.run(
        now,
        verb,
        who,
        selector,
        reason,
        JSON.stringify(flags),
        matched,
        now,
        undoes ?? null,
      )
      return Number(lastInsertRowid)
    },
    end(id, now) {
      finish.run(now, now, id)
      const operation = get(id)
      if (operation === null) throw missing(id)
      const { matched, changed, skipped, failed, undoes } = operation
      if (undoes !== null && matched === changed + skipped + failed) undone.run(changed, id, id, undoes)
      return operation
    },
    ...targets(db),
  }
}

function targets(db: Connection): Pick<OperationsTable, 'addTarget' | 'target' | 'markUndone'> {
  const put =
    db.prepare(`INSERT INTO wf_operation_targets (operation_id, job_key, name, status, why, image) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (operation_id, job_key, name) DO UPDATE SET status = excluded.status, why = excluded.why, image = excluded.image WHERE status = 'pending'`)
  const count = db.prepare(
    'UPDATE wf_operations SET changed = changed + ?, skipped = skipped + ?, failed = failed + ?, touched_at = max(touched_at, ?) WHERE id = ?',
  )
  const one = db.prepare<[number, number, string], TargetRow>(
    `SELECT ${targetColumns} FROM wf_operation_targets t WHERE t.operation_id = ? AND t.job_key = ? AND t.name = ?`,
  )
  const mark = db.prepare(
    'UPDATE wf_operation_targets SET undone_by = ? WHERE operation_id = ? AND job_key = ? AND name = ?',
  )
  return {
    addTarget(id, { jobKey, name, status, why, image }, now) {
      if (put.run(id, jobKey, name, status, why, image === null ? null : JSON.stringify(image)).changes === 0)
        return
      if (status === 'pending') return
      const is = (...wanted: readonly NewTarget['status'][]) => (wanted.includes(status) ? 1 : 0)
      if (count.run(is('changed'), is('skipped'), is('failed', 'not_found'), now, id).changes === 0)
        throw missing(id)
    },
    target(id, { jobKey, name }) {
      const row = one.get(id, jobKey, name)
      return row === undefined ? null : targetFrom(row)
    },
    markUndone(id, { jobKey, name }, by) {
      mark.run(by, id, jobKey, name)
    },
  }
}

function refuseUndone(operation: Operation | null, id: number): void {
  if (operation === null) throw missing(id)
  if (!isUndone(operation)) return
  throw new WfError('conflict', `operation ${id} was undone already, by operation ${operation.undoneBy}`, {
    hint: `wf audit show ${operation.undoneBy}`,
  })
}

function missing(id: number): WfError {
  return new WfError('not_found', `there is no operation ${id}`, {
    hint: 'old ones are pruned; wf audit list shows what there is',
  })
}

function operationFrom({ flags, ...row }: Row): Operation {
  return { ...row, flags: JSON.parse(flags) as Operation['flags'] }
}

function targetFrom({ image, ...row }: TargetRow): OperationTarget {
  return { ...row, image: image === null ? null : (JSON.parse(image) as TargetImage) }
}

export interface OperationLister {
  operations(filter: OperationFilter, page: Page): Paged<Operation>
  targets(id: number, page: Page, undoable: boolean): Paged<OperationTarget>
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
      const sql = `SELECT ${columns} FROM wf_operations o WHERE ${where.sql} ORDER BY o.id DESC LIMIT ?`
      const rows = prepared(sql).all(...where.values, size + 1) as Row[]
      const items = rows.slice(0, size).map(operationFrom)
      return { items, next: rows.length > size ? String(items.at(-1)?.id) : null }
    },
    targets(id, page, undoable) {
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
        next: rows.length > size && last ? `${last.jobKey}.${encodeURIComponent(last.name)}` : null,
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

/** Behind every target of an operation stands one with a key of 0 or more. */
function targetCursor({ cursor }: Page): readonly [number, string] {
  if (cursor === undefined) return [-1, '']
  const [, key = '', name = ''] = /^(\d{1,16})\.(.*)$/s.exec(cursor) ?? []
  if (key === '') throw badCursor(cursor)
  try {
    return [Number(key), decodeURIComponent(name)]
  } catch {
    throw badCursor(cursor)
  }
}
