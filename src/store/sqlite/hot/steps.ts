/** Steps of running attempts: statements with a fence, because a handler waits for each. */
import { WfError } from '../../../errors.ts'
import type { Fence } from '../../../domain/job.ts'
import { stepLimits, type BegunStep, type CompletedStep } from '../../../domain/step.ts'
import type { Connection } from '../file/connection.ts'
import { textOf } from '../rows/job-data.ts'

export interface AttemptSteps {
  /** States the intent. Throws WfError `refused` for one step too many. */
  begin(fence: Fence, step: string, now: number): BegunStep
  /** The first result wins. */
  complete(fence: Fence, done: { step: string; result: string }, now: number): CompletedStep
  /** Only an intent that this attempt stated anew. */
  withdraw(fence: Fence, step: string): void
}

export function attemptSteps(db: Connection): AttemptSteps {
  const holds = db.prepare<[number, number, string], number>(
    "SELECT 1 FROM wf_jobs WHERE key = ? AND state = 'running' AND attempt = ? AND worker_id = ?",
  )
  const find = db.prepare<[number, string], { completedAt: number | null; result: unknown }>(
    'SELECT completed_at AS completedAt, result FROM wf_worker_idempotency WHERE job_key = ? AND step = ?',
  )
  const count = db
    .prepare<[number], number>('SELECT count(*) FROM wf_worker_idempotency WHERE job_key = ?')
    .pluck()
  const add = db.prepare(
    'INSERT INTO wf_worker_idempotency (job_key, step, attempt, intent_at) VALUES (?, ?, ?, ?)',
  )
  const again = db.prepare(
    'UPDATE wf_worker_idempotency SET attempt = ?, unknowns = unknowns + 1 WHERE job_key = ? AND step = ?',
  )
  const complete =
    db.prepare(`INSERT INTO wf_worker_idempotency (job_key, step, attempt, intent_at, completed_at, result) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (job_key, step) DO UPDATE SET attempt = excluded.attempt, completed_at = excluded.completed_at, result = excluded.result`)
  const withdraw = db.prepare(
    'DELETE FROM wf_worker_idempotency WHERE job_key = ? AND step = ? AND attempt = ? AND completed_at IS NULL AND unknowns = 0',
  )
  const isStale = ({ jobKey, attempt, workerId }: Fence) => holds.get(jobKey, attempt, workerId) === undefined
  return {
    begin(fence, step, now) {
      const { jobKey, attempt } = fence
      if (isStale(fence)) return { intent: 'stale' }
      const found = find.get(jobKey, step)
      if (found === undefined) {
        if ((count.get(jobKey) ?? 0) >= stepLimits.perJob) throw tooMany(jobKey)
        add.run(jobKey, step, attempt, now)
        return { intent: 'new' }
      }
      if (found.completedAt !== null) return { result: textOf(found.result) }
      again.run(attempt, jobKey, step)
      return { intent: 'unknown' }
    },
    withdraw(fence, step) {
      if (!isStale(fence)) withdraw.run(fence.jobKey, step, fence.attempt)
    },
    complete(fence, { step, result }, now) {
      if (isStale(fence)) return { intent: 'stale' }
      const found = find.get(fence.jobKey, step)
      if (found !== undefined && found.completedAt !== null) return { result: textOf(found.result) }
      complete.run(fence.jobKey, step, fence.attempt, now, now, result)
      return { result }
    },
  }
}

function tooMany(jobKey: number): WfError {
  return new WfError('refused', `job ${jobKey} has ${stepLimits.perJob} steps already`, {
    hint: 'enqueue a job for each part of the work',
  })
}
