/**
 * Retention, one small batch a call. No index finds old completed jobs, so it walks the table upwards by
 * key, remembers its position, and ends at the first job that is too young.
 */
import type { RetentionPolicy } from '../../../domain/retention.ts'
import type { StoreWriter } from '../../port.ts'
import type { Connection } from '../file/connection.ts'
import type { Rows } from '../rows/rows.ts'

/** Maximum number of rows of each kind that one call deletes: a few ms of the write lock. */
const batchRows = 500
/** Maximum number of keys that one call walks over. */
const walkedKeys = 5_000
/** Free pages are reused by new rows; only a large excess is returned to the file system, in small parts. */
const keptFreePages = 2_000
const vacuumPages = 200
/** How long a dead worker stays in lists. A worker with leased jobs stays longer. */
const deadWorkersMs = 24 * 3_600_000

type Pruned = Awaited<ReturnType<StoreWriter['prune']>>

export type Pruner = (policy: RetentionPolicy, now: number) => Pruned

export function pruner(rows: Rows): Pruner {
  const { db, idempotencyKeys: keys } = rows
  const remove = jobDeleter(rows)
  const jobs = jobPruner(db, remove)
  const deadLetters = deadLetterPruner(db, remove)
  const stats = db.prepare(`DELETE FROM wf_stats WHERE (minute, type, outcome, bucket) IN
    (SELECT minute, type, outcome, bucket FROM wf_stats WHERE minute < ? ORDER BY minute LIMIT ?)`)
  const typeHistory = db.prepare(
    'DELETE FROM wf_history WHERE id IN (SELECT id FROM wf_history WHERE job_key IS NULL AND at < ? LIMIT ?)',
  )
  const operations = operationPruner(db)
  const deadWorkers = db.prepare(`DELETE FROM wf_workers WHERE lease_until < ?
    AND NOT EXISTS (SELECT 1 FROM wf_jobs j WHERE j.state = 'running' AND j.worker_id = wf_workers.id)`)
  return (policy, now) => {
    const before = (ageMs: number | null) => (ageMs === null ? null : now - ageMs)
    const jobsBefore = before(policy.finishedMs)
    const lettersBefore = before(policy.deadLettersMs)
    const keysBefore = before(policy.idempotencyKeysMs)
    const statsBefore = before(policy.statsMs)
    const walked = jobsBefore === null ? { deleted: 0, more: false } : jobs(jobsBefore)
    const letters = lettersBefore === null ? 0 : deadLetters(lettersBefore)
    const keysGone = keysBefore === null ? 0 : keys.prune(keysBefore, batchRows)
    const historyGone =
      statsBefore === null ? 0 : typeHistory.run(statsBefore, batchRows).changes + operations(statsBefore)
    const statsGone = statsBefore === null ? 0 : stats.run(statsBefore, batchRows).changes + historyGone
    deadWorkers.run(now - deadWorkersMs)
    giveBackPages(db)
    const more = walked.more || letters >= batchRows || keysGone >= batchRows || statsGone >= batchRows
    return { jobs: walked.deleted, deadLetters: letters, idempotencyKeys: keysGone, stats: statsGone, more }
  }
}

/** Deletes targets first, a batch at a time, so that an operation of 100,000 jobs blocks no one; then the operation. */
function operationPruner(db: Connection): (before: number) => number {
  const oldest = db
    .prepare<[number], number>(
      'SELECT id FROM wf_operations INDEXED BY wf_operations_at WHERE at < ? ORDER BY at, id LIMIT 1',
    )
    .pluck()
  const targets = db.prepare(`DELETE FROM wf_operation_targets WHERE rowid IN
    (SELECT rowid FROM wf_operation_targets WHERE operation_id = ? LIMIT ?)`)
  const remove = db.prepare('DELETE FROM wf_operations WHERE id = ?')
  return (before) => {
    let gone = 0
    for (let id = oldest.get(before); id !== undefined && gone < batchRows; id = oldest.get(before)) {
      const left = batchRows - gone
      const taken = targets.run(id, left).changes
      gone += taken
      if (taken < left) gone += remove.run(id).changes
    }
    return gone
  }
}

/** Tables whose rows are deleted with their job. Dead letters and idempotency keys have retention times of their own. */
const belongings = [
  'wf_job_data',
  'wf_results',
  'wf_progress',
  'wf_attempts',
  'wf_incidents',
  'wf_history',
  'wf_worker_idempotency',
]

type DeleteJobs = (keys: readonly number[]) => void

function jobDeleter({ db, operations }: Rows): DeleteJobs {
  const list = 'IN (SELECT value FROM json_each(?))'
  const deletes = [
    ...belongings.map((table) => db.prepare(`DELETE FROM ${table} WHERE job_key ${list}`)),
    db.prepare(`DELETE FROM wf_jobs WHERE key ${list}`),
  ]
  return (keys) => {
    if (keys.length === 0) return
    const json = JSON.stringify(keys)
    operations.removeImages(keys)
    for (const statement of deletes) statement.run(json)
  }
}

function jobPruner(
  db: Connection,
  remove: DeleteJobs,
): (before: number) => { deleted: number; more: boolean } {
  const first = db.prepare<[number], { key: number; createdAt: number }>(
    'SELECT key, created_at AS createdAt FROM wf_jobs NOT INDEXED WHERE key > ? ORDER BY key LIMIT 1',
  )
  const ended = db
    .prepare<
      [number, number, number, number],
      number
    >(`SELECT key FROM wf_jobs NOT INDEXED WHERE key >= ? AND key < ?
      AND state IN ('completed', 'rejected', 'cancelled') AND finished_at < ? ORDER BY key LIMIT ?`)
    .pluck()
  let reached = 0
  return (before) => {
    const next = first.get(reached)
    if (next === undefined || next.createdAt >= before) {
      reached = 0
      return { deleted: 0, more: false }
    }
    const keys = ended.all(next.key, next.key + walkedKeys, before, batchRows)
    reached = keys.length === batchRows ? (keys.at(-1) ?? 0) : next.key + walkedKeys - 1
    remove(keys)
    return { deleted: keys.length, more: true }
  }
}

/** Deletes a dead job with its letter. A letter of a job with an open incident stays. */
function deadLetterPruner(db: Connection, remove: DeleteJobs): (before: number) => number {
  const old = db.prepare<
    [number, number],
    { key: number; dead: number }
  >(`SELECT p.job_key AS key, j.state IS 'dead' AS dead
    FROM wf_poison_jobs p INDEXED BY wf_poison_jobs_received LEFT JOIN wf_jobs j ON j.key = p.job_key
    WHERE p.received_at < ? AND NOT (p.closed_at IS NULL AND j.state IS 'failed') ORDER BY p.received_at, p.job_key LIMIT ?`)
  const letters = db.prepare('DELETE FROM wf_poison_jobs WHERE job_key IN (SELECT value FROM json_each(?))')
  return (before) => {
    const rows = old.all(before, batchRows)
    remove(rows.flatMap(({ key, dead }) => (dead === 1 ? [key] : [])))
    letters.run(JSON.stringify(rows.map(({ key }) => key)))
    return rows.length
  }
}

function giveBackPages(db: Connection): void {
  const free = db.pragma('freelist_count', { simple: true }) as number
  if (free > keptFreePages) db.pragma(`incremental_vacuum(${Math.min(vacuumPages, free - keptFreePages)})`)
}
