/** wf_jobs. Rows are read as arrays in the order of `jobColumns`, at half the cost of rows with names. */
import type { Job, JobState, WaitReason } from '../../../domain/job.ts'
import type { ChangedRows } from '../../changes.ts'
import type { Connection } from '../file/connection.ts'

export type JobRow = readonly [
  key: number,
  type: string,
  state: JobState,
  waitReason: WaitReason | null,
  priority: number,
  runAt: number,
  retries: number,
  retriesGiven: number,
  enqueuedRetries: number,
  attempt: number,
  failures: number,
  crashes: number,
  deferrals: number,
  deferringSince: number | null,
  workerId: string | null,
  startedAt: number | null,
  runUntil: number | null,
  deadlineAt: number | null,
  createdAt: number,
  finishedAt: number | null,
  parentKey: number | null,
]

/** The select list that `jobFrom` reads; the table is `j`. */
export const jobColumns = `j.key, j.type, j.state, j.wait_reason, j.priority, j.run_at, j.retries, j.retries_given, j.enqueued_retries, j.attempt,
  j.failures, j.crashes, j.deferrals, j.deferring_since, j.worker_id, j.started_at, j.run_until, j.deadline_at, j.created_at, j.finished_at, j.parent_key`

export const jobColumnCount = 21

export function jobFrom(row: JobRow): Job {
  const running = row[2] === 'running'
  return {
    key: row[0],
    type: row[1],
    state: row[2],
    waitReason: row[3],
    priority: row[4],
    runAt: row[5],
    retries: row[6],
    retriesGiven: row[7] === 1,
    enqueuedRetries: row[8],
    attempt: row[9],
    failures: row[10],
    crashes: row[11],
    deferrals: row[12],
    deferringSince: row[13],
    workerId: running ? row[14] : null,
    startedAt: row[15],
    runUntil: row[16],
    deadlineAt: row[17],
    createdAt: row[18],
    finishedAt: row[19],
    parentKey: row[20],
  }
}

export interface JobsTable {
  get(key: number): Job | null
  /** The worker of the last claim, even if the job no longer runs. */
  lastWorker(key: number): string | null
  children(key: number): readonly number[]
  /** Ends the claim of a running job. */
  update(job: ChangedRows['jobs']): void
  /** Available and waiting jobs whose deadline is before `now`, the oldest deadline first. */
  overdue(now: number, limit: number): readonly Job[]
}

export function jobsTable(db: Connection): JobsTable {
  const get = db.prepare<[number], JobRow>(`SELECT ${jobColumns} FROM wf_jobs j WHERE j.key = ?`).raw()
  const lastWorker = db
    .prepare<[number], string | null>('SELECT worker_id FROM wf_jobs WHERE key = ?')
    .pluck()
  const children = db
    .prepare<[number], number>('SELECT key FROM wf_jobs WHERE parent_key = ? ORDER BY key')
    .pluck()
  const update =
    db.prepare(`UPDATE wf_jobs SET state = ?, wait_reason = ?, priority = ?, run_at = ?, retries = ?, retries_given = ?, failures = ?,
    crashes = ?, deferrals = ?, deferring_since = ?, deadline_at = ?, finished_at = ?, run_until = NULL WHERE key = ?`)
  const overdue = db
    .prepare<[number, number], JobRow>(`SELECT ${jobColumns} FROM wf_jobs j INDEXED BY wf_jobs_deadline
      WHERE j.deadline_at IS NOT NULL AND j.state IN ('available', 'waiting') AND j.deadline_at < ? ORDER BY j.deadline_at LIMIT ?`)
    .raw()
  return {
    get(key) {
      const row = get.get(key)
      return row === undefined ? null : jobFrom(row)
    },
    lastWorker: (key) => lastWorker.get(key) ?? null,
    children: (key) => children.all(key),
    update({ key, state, waitReason, priority, runAt, retries, retriesGiven, ...job }) {
      const { failures, crashes, deferrals, deferringSince, deadlineAt, finishedAt } = job
      update.run(
        ...[state, waitReason, priority, runAt, retries, retriesGiven ? 1 : 0],
        ...[failures, crashes, deferrals, deferringSince, deadlineAt, finishedAt, key],
      )
    },
    overdue: (now, limit) => overdue.all(now, limit).map(jobFrom),
  }
}
