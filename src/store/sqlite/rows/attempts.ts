/** wf_attempts: failed attempts only; the successful one is stored on the job itself. */
import type { ErrorRecord } from '../../../domain/error-record.ts'
import type { AttemptRecord } from '../../../domain/outcome.ts'
import type { Connection } from '../file/connection.ts'

export interface AttemptsTable {
  /** Ignores a row that exists already, and one of a job that is gone. */
  add(row: AttemptRecord): void
  ofJob(jobKey: number): readonly AttemptRecord[]
}

type Row = Omit<AttemptRecord, 'error' | 'nonRetryable'> & { error: string | null; nonRetryable: number }

export function attemptsTable(db: Connection): AttemptsTable {
  const add = db.prepare(`INSERT OR IGNORE INTO wf_attempts
    (job_key, attempt, outcome, worker_id, started_at, finished_at, error, failure_category, non_retryable, backoff_ms, next_run_at)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM wf_jobs WHERE key = ?)`)
  const ofJob = db.prepare<
    [number],
    Row
  >(`SELECT job_key AS jobKey, attempt, outcome, worker_id AS workerId, started_at AS startedAt, finished_at AS finishedAt,
    error, failure_category AS failureCategory, non_retryable AS nonRetryable, backoff_ms AS backoffMs, next_run_at AS nextRunAt
    FROM wf_attempts WHERE job_key = ? ORDER BY attempt, finished_at`)
  return {
    add(row) {
      const error = row.error === null ? null : JSON.stringify(row.error)
      const {
        jobKey,
        attempt,
        outcome,
        workerId,
        startedAt,
        finishedAt,
        failureCategory,
        nonRetryable,
        backoffMs,
        nextRunAt,
      } = row
      add.run(
        jobKey,
        attempt,
        outcome,
        workerId,
        startedAt,
        finishedAt,
        error,
        failureCategory,
        nonRetryable ? 1 : 0,
        backoffMs,
        nextRunAt,
        jobKey,
      )
    },
    ofJob: (jobKey) =>
      ofJob.all(jobKey).map((row) => ({
        ...row,
        error: row.error === null ? null : errorFrom(row.error),
        nonRetryable: row.nonRetryable === 1,
      })),
  }
}

/** Parses a stored record; damaged JSON becomes the message of an error. */
export function errorFrom(text: string): ErrorRecord {
  try {
    return JSON.parse(text) as ErrorRecord
  } catch {
    return { name: 'Error', message: text, code: null, stack: null, causes: [], truncated: false }
  }
}
