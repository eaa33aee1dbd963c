/** wf_worker_idempotency: the steps of jobs, their intents and first results. */
import type { Step } from '../../../domain/step.ts'
import type { Connection } from '../file/connection.ts'
import { textOf } from './job-data.ts'

export interface StepsTable {
  ofJob(jobKey: number): readonly Step[]
  names(jobKey: number): readonly string[]
  /** One step, or all of a job (null). */
  remove(jobKey: number, step: string | null): void
}

type Row = Omit<Step, 'result'> & { result: unknown }

/** The table is `s`. */
export const stepColumns =
  's.job_key AS jobKey, s.step, s.attempt, s.intent_at AS intentAt, s.completed_at AS completedAt, s.unknowns'

export function stepsTable(db: Connection): StepsTable {
  const ofJob = db.prepare<[number], Row>(
    `SELECT ${stepColumns}, s.result FROM wf_worker_idempotency s WHERE s.job_key = ? ORDER BY s.intent_at, s.step`,
  )
  const names = db
    .prepare<[number], string>('SELECT step FROM wf_worker_idempotency WHERE job_key = ?')
    .pluck()
  const remove = db.prepare('DELETE FROM wf_worker_idempotency WHERE job_key = ? AND (? IS NULL OR step = ?)')
  return {
    ofJob: (jobKey) => ofJob.all(jobKey).map(stepFrom),
    names: (jobKey) => names.all(jobKey),
    remove: (jobKey, step) => void remove.run(jobKey, step, step),
  }
}

function stepFrom({ result, ...step }: Row): Step {
  return { ...step, result: result === null ? null : textOf(result) }
}
