/** wf_operations and wf_operation_targets: what people changed. The counts of an operation are written with its targets. */
import type { NewOperation, Operation, OperationTarget, TargetImage } from '../../../domain/operation.ts'
import type { ChangedRows } from '../../changes.ts'
import type { TargetKey } from '../../facts.ts'
import type { Connection } from '../file/connection.ts'

export interface OperationsTable {
  get(id: number): Operation | null
  target(key: TargetKey): OperationTarget | null
  /** The ids that the next operations get; they grow. */
  nextIds(count: number): readonly number[]
  add(operation: NewOperation & { id: number; at: number }): void
  /** An ended operation stays as it is. */
  end(row: ChangedRows['endedOperations']): void
  setUndone(row: ChangedRows['undoneOperations']): void
  /** A target that exists already and isn't pending stays as it is. */
  addTarget(target: ChangedRows['targets']): void
  markUndone(row: ChangedRows['undoneTargets']): void
  /** Deletes the images of these jobs; and the values that an operation set, with its last image. */
  removeImages(jobKeys: readonly number[]): void
}

export type OperationRow = Omit<Operation, 'flags'> & { flags: string }
export type TargetRow = Omit<OperationTarget, 'image'> & { image: string | null }

/** The table is `o`. */
export const operationColumns = `o.id, o.at, o.verb, o.who, o.selector, o.reason, o.flags, o.matched, o.changed, o.skipped, o.failed,
  o.touched_at AS touchedAt, o.finished_at AS finishedAt, o.undoes, o.undone_by AS undoneBy,
  CASE WHEN o.undone_by IS NULL THEN 0 ELSE (SELECT sum(u.changed) FROM wf_operations u WHERE u.id > o.id AND u.undoes = o.id) END AS undone`
/** The table is `t`. */
export const targetColumns = 't.job_key AS jobKey, t.name, t.status, t.why, t.image, t.undone_by AS undoneBy'

export function operationsTable(db: Connection): OperationsTable {
  const find = db.prepare<[number], OperationRow>(
    `SELECT ${operationColumns} FROM wf_operations o WHERE o.id = ?`,
  )
  const last = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'wf_operations'").pluck()
  const insert =
    db.prepare(`INSERT INTO wf_operations (id, at, verb, who, selector, reason, flags, matched, touched_at, undoes)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const finish = db.prepare(
    'UPDATE wf_operations SET finished_at = @at, touched_at = @at WHERE id = @id AND finished_at IS NULL',
  )
  const undone = db.prepare(
    'UPDATE wf_operations SET undone_by = coalesce(iif(?, ?, NULL), undone_by, ?) WHERE id = ?',
  )
  return {
    get(id) {
      const row = find.get(id)
      return row === undefined ? null : operationFrom(row)
    },
    nextIds(count) {
      const first = (last.get() ?? 0) + 1
      return Array.from({ length: count }, (_, index) => first + index)
    },
    add({ id, at, verb, who, selector, reason, flags, matched, undoes = null }) {
      insert.run(id, at, verb, who, selector, reason, JSON.stringify(flags), matched, at, undoes)
    },
    end: (row) => void finish.run(row),
    setUndone: ({ id, by, hasChanged }) => void undone.run(hasChanged ? 1 : 0, by, by, id),
    ...targets(db),
    removeImages: imageRemover(db),
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
    'UPDATE wf_operation_targets SET undone_by = @by WHERE operation_id = @operation AND job_key = @jobKey AND name = @name',
  )
  return {
    target({ operation, jobKey, name }) {
      const row = one.get(operation, jobKey, name)
      return row === undefined ? null : targetFrom(row)
    },
    addTarget({ operation, jobKey, name, status, why, image, at }) {
      const text = image === null ? null : JSON.stringify(image)
      if (put.run(operation, jobKey, name, status, why, text).changes === 0 || status === 'pending') return
      const is = (...counted: readonly string[]) => (counted.includes(status) ? 1 : 0)
      count.run(is('changed'), is('skipped'), is('failed', 'not_found'), at, operation)
    },
    markUndone: (row) => void mark.run(row),
  }
}

/** Without the values of `--set`; their paths stay. */
const withoutValues = `json_set(flags, '$.set', json((SELECT json_group_array(json_remove(json(s.value), '$.value')) FROM json_each(flags, '$.set') s)))`

function imageRemover(db: Connection): OperationsTable['removeImages'] {
  const images = db
    .prepare<
      [string],
      number
    >(`UPDATE wf_operation_targets INDEXED BY wf_operation_targets_images SET image = NULL
      WHERE image IS NOT NULL AND job_key IN (SELECT value FROM json_each(?)) RETURNING operation_id`)
    .pluck()
  // The youngest job is usually the last to go: checked first, it answers at once.
  const isKept = db.prepare<[number], number>(
    'SELECT 1 FROM wf_operation_targets INDEXED BY wf_operation_targets_one WHERE operation_id = ? AND image IS NOT NULL ORDER BY job_key DESC LIMIT 1',
  )
  const strip = db.prepare(
    `UPDATE wf_operations SET flags = ${withoutValues} WHERE id = ? AND json_type(flags, '$.set') = 'array'`,
  )
  return (jobKeys) => {
    for (const id of new Set(images.all(JSON.stringify(jobKeys))))
      if (isKept.get(id) === undefined) strip.run(id)
  }
}

export function operationFrom({ flags, ...row }: OperationRow): Operation {
  return { ...row, flags: JSON.parse(flags) as Operation['flags'] }
}

export function targetFrom({ image, ...row }: TargetRow): OperationTarget {
  return { ...row, image: image === null ? null : (JSON.parse(image) as TargetImage) }
}
