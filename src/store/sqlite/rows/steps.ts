/** wf_worker_idempotency: the steps of jobs that take effect once, their intents and their first results. */
import { WfError } from '../../../errors.ts'
import type { Fence } from '../../../domain/job.ts'
import {
  stepLimits,
  type BegunStep,
  type CompletedStep,
  type ForgetSteps,
  type Step,
} from '../../../domain/step.ts'
import type { Connection } from '../file/connection.ts'
import { historyTable } from './history.ts'
import { textOf } from './job-data.ts'

export interface WorkerIdempotencyTable {
  begin(fence: Fence, step: string, now: number): BegunStep
  complete(fence: Fence, done: { step: string; result: string }, now: number): CompletedStep
  withdraw(fence: Fence, step: string): void
  ofJob(jobKey: number): readonly Step[]
  /** The names of those that were there. */
  remove(jobKey: number, step: string | null): readonly string[]
  forget(forget: ForgetSteps, now: number): readonly string[]
}

type Row = Omit<Step, 'result'> & { result: unknown }

export const stepColumns =
  's.job_key AS jobKey, s.step, s.attempt, s.intent_at AS intentAt, s.completed_at AS completedAt, s.unknowns'

export function workerIdempotencyTable(db: Connection): WorkerIdempotencyTable {
  const rows = `SELECT ${stepColumns}, s.result FROM wf_worker_idempotency s WHERE s.job_key = ?`
  const find = db.prepare<[number, string], Row>(`${rows} AND s.step = ?`)
  const ofJob = db.prepare<[number], Row>(`${rows} ORDER BY s.intent_at, s.step`)
  const remove = db.prepare<[number, string | null, string | null], string>(
    'DELETE FROM wf_worker_idempotency WHERE job_key = ? AND (? IS NULL OR step = ?) RETURNING step',
  )
  const history = historyTable(db)
  const removed = (jobKey: number, step: string | null) => remove.pluck().all(jobKey, step, step).sort()
  return {
    ...attemptSteps(db, (jobKey, step) => find.get(jobKey, step)),
    ofJob: (jobKey) => ofJob.all(jobKey).map(stepFrom),
    remove: removed,
    forget({ jobKey, step, who, reason }, now) {
      const steps = removed(jobKey, step)
      if (steps.length > 0)
        history.add({
          jobKey,
          at: now,
          event: 'steps_forgotten',
          who,
          reason,
          detail: JSON.stringify({ steps }),
        })
      return steps
    },
  }
}

type AttemptSteps = Pick<WorkerIdempotencyTable, 'begin' | 'complete' | 'withdraw'>

/** What an attempt does, as long as the job is its own. */
function attemptSteps(db: Connection, find: (jobKey: number, step: string) => Row | undefined): AttemptSteps {
  const holds = db.prepare<[number, number, string], number>(
    "SELECT 1 FROM wf_jobs WHERE key = ? AND state = 'running' AND attempt = ? AND worker_id = ?",
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
      const found = find(jobKey, step)
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
      const found = find(fence.jobKey, step)
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

function stepFrom({ result, ...step }: Row): Step {
  return { ...step, result: result === null ? null : textOf(result) }
}
