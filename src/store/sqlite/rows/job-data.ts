/** wf_job_data and wf_results: the JSON that goes in and comes out, apart from the row that changes. */
import type { Connection } from '../file/connection.ts'

/** What a TEXT column may hold once somebody has written past wf: never a reason to stop. Bytes are read as UTF-8, nothing as ''. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value)
}

export interface JobDataTable {
  variables(jobKey: number): string
  setVariables(jobKey: number, variables: string): void
  result(jobKey: number): string | null
  /** How often its effects were to be made anew. */
  effectsEpoch(jobKey: number): number
  /** Answers the new one. */
  raiseEffectsEpoch(jobKey: number): number
}

export function jobDataTable(db: Connection): JobDataTable {
  const variables = db
    .prepare<[number], unknown>('SELECT variables FROM wf_job_data WHERE job_key = ?')
    .pluck()
  const setVariables = db.prepare<[string, number]>('UPDATE wf_job_data SET variables = ? WHERE job_key = ?')
  const result = db.prepare<[number], unknown>('SELECT result FROM wf_results WHERE job_key = ?').pluck()
  const epoch = db
    .prepare<[number], number>('SELECT effects_epoch FROM wf_job_data WHERE job_key = ?')
    .pluck()
  const raise = db
    .prepare<[number], number>(
      'UPDATE wf_job_data SET effects_epoch = effects_epoch + 1 WHERE job_key = ? RETURNING effects_epoch',
    )
    .pluck()
  return {
    effectsEpoch: (jobKey) => epoch.get(jobKey) ?? 0,
    raiseEffectsEpoch: (jobKey) => raise.get(jobKey) ?? 0,
    variables: (jobKey) => textOf(variables.get(jobKey)),
    setVariables(jobKey, text) {
      setVariables.run(text, jobKey)
    },
    result(jobKey) {
      const found = result.get(jobKey)
      return found === undefined ? null : textOf(found)
    },
  }
}
