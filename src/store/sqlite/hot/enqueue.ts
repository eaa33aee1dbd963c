/** Puts jobs into the store: idempotency key, backlog limit, then the rows. Runs inside an open transaction. */
import type { NewJob } from '../../../domain/job.ts'
import type { Enqueued } from '../../port.ts'
import type { Rows } from '../rows/rows.ts'

export interface Enqueuer {
  /** Throws SQLite's error for a row that it refuses. */
  enqueue(job: NewJob, now: number): Enqueued
  /** For a job that an attempt enqueues. Ignores the backlog limit, so that a full backlog can't undo the attempt. */
  enqueueChild(job: NewJob, now: number): Enqueued
}

export function enqueuer({ db, idempotencyKeys: keys, types }: Rows): Enqueuer {
  const insertJob = db.prepare(`INSERT INTO wf_jobs
    (type, state, wait_reason, priority, run_at, retries, retries_given, enqueued_retries, deadline_at, created_at, parent_key, root_key)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertData = db.prepare<[number | bigint, string]>(
    'INSERT INTO wf_job_data (job_key, variables) VALUES (?, ?)',
  )
  const rootOf = db
    .prepare<[number], number>('SELECT coalesce(root_key, key) FROM wf_jobs WHERE key = ?')
    .pluck()

  function insert(job: NewJob, now: number): number {
    const waits = job.runAt > now
    const root = job.parentKey === null ? null : (rootOf.get(job.parentKey) ?? job.parentKey)
    const { lastInsertRowid } = insertJob.run(
      job.type,
      waits ? 'waiting' : 'available',
      waits ? 'delay' : null,
      job.priority,
      job.runAt,
      job.retries,
      job.retriesGiven ? 1 : 0,
      job.retries,
      job.deadlineAt,
      now,
      job.parentKey,
      root,
    )
    insertData.run(lastInsertRowid, job.variables)
    return Number(lastInsertRowid)
  }

  function add(job: NewJob, now: number, limited: boolean): Enqueued {
    if (job.idempotency !== null) {
      const first = keys.find(job.type, job.idempotency.key)
      if (first !== null) {
        return first.hash === job.idempotency.hash
          ? { status: 'duplicate', key: first.jobKey }
          : { status: 'refused', reason: 'idempotency_conflict', key: first.jobKey }
      }
    }
    if (limited) {
      const full = types.backlogFull(job.type)
      if (full !== null) return { status: 'refused', reason: 'backlog_full', ...full }
    }
    const key = insert(job, now)
    if (job.idempotency !== null) keys.add({ type: job.type, ...job.idempotency, jobKey: key }, now)
    return { status: 'created', key }
  }

  return {
    enqueue: (job, now) => add(job, now, true),
    enqueueChild: (job, now) => add(job, now, false),
  }
}
