/** wf_poison_jobs: dead letters, one row a job, re-opened and counted. */
import type { DeadLetter, StoredLetter } from '../../../domain/dead-letter.ts'
import type { NewDeadLetter } from '../../../domain/outcome.ts'
import { errorFrom } from './attempts.ts'
import type { Connection } from '../file/connection.ts'
import type { Closing } from './incidents.ts'
import { textOf } from './job-data.ts'

export interface PoisonJobsTable {
  open(jobKey: number, letter: NewDeadLetter, now: number): void
  close(jobKey: number, closing: Closing, now: number): void
  get: LetterReader
}

/** Without variables, however large they are. */
export type LetterReader = (jobKey: number) => DeadLetter | null

/** With its variables and the whole of its error. */
export type StoredLetterReader = (jobKey: number) => StoredLetter | null

/** The table is `p`. */
const deadLetterColumns = `p.job_key AS jobKey, p.job_type AS type, p.process_instance_key AS processInstanceKey, p.reason, p.error_code AS errorCode,
  CASE WHEN json_valid(p.error) THEN json_extract(p.error, '$.name') END AS errorName, p.error_message AS errorMessage, p.received_at AS receivedAt, p.count, p.closed_at AS closedAt, p.closed_by AS closedBy, p.resolution,
  p.close_reason AS closeReason`

export function poisonJobsTable(db: Connection): PoisonJobsTable {
  const open =
    db.prepare(`INSERT INTO wf_poison_jobs (job_key, job_type, process_instance_key, reason, error_code, error_message, error, variables, received_at)
    SELECT j.key, j.type, coalesce(j.root_key, j.key), ?, ?, ?, ?, coalesce(d.variables, ''), ?
    FROM wf_jobs j LEFT JOIN wf_job_data d ON d.job_key = j.key WHERE j.key = ?
    ON CONFLICT (job_key) DO UPDATE SET reason = excluded.reason, error_code = excluded.error_code, error_message = excluded.error_message,
    error = excluded.error, variables = excluded.variables, received_at = excluded.received_at, count = count + 1,
    closed_at = NULL, closed_by = NULL, resolution = NULL, close_reason = NULL`)
  const close = db.prepare(
    'UPDATE wf_poison_jobs SET closed_at = ?, closed_by = ?, resolution = ?, close_reason = ? WHERE job_key = ? AND closed_at IS NULL',
  )
  return {
    open(jobKey, { reason, error }, now) {
      open.run(reason, error.code, error.message, JSON.stringify(error), now, jobKey)
    },
    close(jobKey, { who, resolution, reason }, now) {
      close.run(now, who, resolution, reason, jobKey)
    },
    get: letterReader(db),
  }
}

export function letterReader(db: Connection): LetterReader {
  const get = db.prepare<[number], DeadLetter>(
    `SELECT ${deadLetterColumns} FROM wf_poison_jobs p WHERE p.job_key = ?`,
  )
  return (jobKey) => get.get(jobKey) ?? null
}

export function storedLetterReader(db: Connection): StoredLetterReader {
  const get = letterReader(db)
  const rest = db.prepare<[number], { variables: unknown; error: string }>(
    'SELECT variables, error FROM wf_poison_jobs WHERE job_key = ?',
  )
  return (jobKey) => {
    const [letter, more] = [get(jobKey), rest.get(jobKey)]
    return letter && more
      ? { ...letter, variables: textOf(more.variables), error: errorFrom(more.error) }
      : null
  }
}
