/** wf_poison_jobs: dead letters, one row a job; opened again, the row is reused and counted. */
import type { DeadLetter, StoredLetter } from '../../../domain/dead-letter.ts'
import type { NewDeadLetter } from '../../../domain/outcome.ts'
import type { Closing } from '../../changes.ts'
import type { Connection } from '../file/connection.ts'
import { errorFrom } from './attempts.ts'
import { textOf } from './job-data.ts'

export interface DeadLettersTable {
  open(jobKey: number, letter: NewDeadLetter, now: number): void
  close(closing: Closing): void
  reopen(jobKey: number): void
  remove(jobKey: number): void
  /** Without variables, which may be large. */
  get(jobKey: number): DeadLetter | null
  /** With variables and the whole error. */
  stored(jobKey: number): StoredLetter | null
}

/** The table is `p`. */
const columns = `p.job_key AS jobKey, p.job_type AS type, p.process_instance_key AS processInstanceKey, p.reason, p.error_code AS errorCode,
  CASE WHEN json_valid(p.error) THEN json_extract(p.error, '$.name') END AS errorName, p.error_message AS errorMessage, p.received_at AS receivedAt, p.count, p.closed_at AS closedAt, p.closed_by AS closedBy, p.resolution,
  p.close_reason AS closeReason`

export function deadLettersTable(db: Connection): DeadLettersTable {
  // Prepared when first used: lists of dead letters read no variables.
  const open = onFirstUse(() =>
    db.prepare(`INSERT INTO wf_poison_jobs (job_key, job_type, process_instance_key, reason, error_code, error_message, error, variables, received_at)
    SELECT j.key, j.type, coalesce(j.root_key, j.key), ?, ?, ?, ?, coalesce(d.variables, ''), ?
    FROM wf_jobs j LEFT JOIN wf_job_data d ON d.job_key = j.key WHERE j.key = ?
    ON CONFLICT (job_key) DO UPDATE SET reason = excluded.reason, error_code = excluded.error_code, error_message = excluded.error_message,
    error = excluded.error, variables = excluded.variables, received_at = excluded.received_at, count = count + 1,
    closed_at = NULL, closed_by = NULL, resolution = NULL, close_reason = NULL`),
  )
  const close = db.prepare(
    'UPDATE wf_poison_jobs SET closed_at = @at, closed_by = @who, resolution = @resolution, close_reason = @reason WHERE job_key = @jobKey AND closed_at IS NULL',
  )
  const reopen = db.prepare(
    'UPDATE wf_poison_jobs SET closed_at = NULL, closed_by = NULL, resolution = NULL, close_reason = NULL WHERE job_key = ?',
  )
  const remove = db.prepare('DELETE FROM wf_poison_jobs WHERE job_key = ?')
  const get = db.prepare<[number], DeadLetter>(`SELECT ${columns} FROM wf_poison_jobs p WHERE p.job_key = ?`)
  const rest = onFirstUse(() =>
    db.prepare<[number], { variables: unknown; error: string }>(
      'SELECT variables, error FROM wf_poison_jobs WHERE job_key = ?',
    ),
  )
  return {
    open(jobKey, { reason, error }, now) {
      open().run(reason, error.code, error.message, JSON.stringify(error), now, jobKey)
    },
    close: (closing) => void close.run(closing),
    reopen: (jobKey) => void reopen.run(jobKey),
    remove: (jobKey) => void remove.run(jobKey),
    get: (jobKey) => get.get(jobKey) ?? null,
    stored(jobKey) {
      const [letter, more] = [get.get(jobKey), rest().get(jobKey)]
      return letter && more
        ? { ...letter, variables: textOf(more.variables), error: errorFrom(more.error) }
        : null
    },
  }
}

function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
