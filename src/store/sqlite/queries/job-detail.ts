/** Everything about one job. */
import type { Job } from '../../../domain/job.ts'
import type { AttemptRecord } from '../../../domain/outcome.ts'
import { attemptsTable } from '../rows/attempts.ts'
import type { Connection } from '../file/connection.ts'
import { historyTable } from '../rows/history.ts'
import { idempotencyKeysTable } from '../rows/idempotency-keys.ts'
import { incidentsTable } from '../rows/incidents.ts'
import { jobDataTable } from '../rows/job-data.ts'
import { jobsTable } from '../rows/jobs.ts'
import { letterReader } from '../rows/dead-letters.ts'
import { statsTable } from '../rows/stats.ts'
import { workerIdempotencyTable } from '../rows/steps.ts'
import type { JobDetail } from '../../views.ts'

export function jobDetails(db: Connection): (key: number) => JobDetail | null {
  const jobs = jobsTable(db)
  const data = jobDataTable(db)
  const attempts = attemptsTable(db)
  const incidents = incidentsTable(db)
  const deadLetters = letterReader(db)
  const history = historyTable(db)
  const stats = statsTable(db)
  const keys = idempotencyKeysTable(db)
  const steps = workerIdempotencyTable(db)
  return (key) => {
    const job = jobs.get(key)
    if (job === null) return null
    return {
      job,
      variables: data.variables(key),
      result: data.result(key),
      attempts: [...succeeded(job, jobs.lastWorker(key)), ...attempts.ofJob(key)].sort(
        (a, b) => a.attempt - b.attempt,
      ),
      incidents: incidents.ofJob(key),
      deadLetter: deadLetters(key),
      history: history.ofJob(key),
      progress: stats.progressOf(key),
      idempotencyKey: keys.keyOf(key),
      children: jobs.children(key),
      steps: steps.ofJob(key),
      effectsEpoch: data.effectsEpoch(key),
    }
  }
}

/** The attempt that succeeded has no row: the job's own row tells it. */
function succeeded(
  { key, state, attempt, startedAt, finishedAt }: Job,
  workerId: string | null,
): readonly AttemptRecord[] {
  if (state !== 'completed' || finishedAt === null) return []
  const nothing = {
    error: null,
    failureCategory: null,
    nonRetryable: false,
    backoffMs: null,
    nextRunAt: null,
  }
  return [
    {
      jobKey: key,
      attempt,
      workerId: workerId ?? '',
      startedAt: startedAt ?? finishedAt,
      finishedAt,
      outcome: 'success',
      ...nothing,
    },
  ]
}
