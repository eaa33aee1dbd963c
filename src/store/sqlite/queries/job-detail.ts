/** Everything about one job. */
import type { Job } from '../../../domain/job.ts'
import type { AttemptRecord } from '../../../domain/outcome.ts'
import type { JobDetail } from '../../views.ts'
import type { Rows } from '../rows/rows.ts'

export function jobDetails(rows: Rows): (key: number) => JobDetail | null {
  const { attempts, data, deadLetters, history, idempotencyKeys, incidents, jobs, stats, steps } = rows
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
      deadLetter: deadLetters.get(key),
      history: history.ofJob(key),
      progress: stats.progressOf(key),
      idempotencyKey: idempotencyKeys.keyOf(key),
      children: jobs.children(key),
      steps: steps.ofJob(key),
      effectsEpoch: data.effectsEpoch(key),
    }
  }
}

/** A successful attempt has no row of its own; the job's row has its values. */
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
