/** wf_job_data and wf_results: variables and results, kept apart from the row that every state change rewrites. */
import type { Connection } from '../file/connection.ts'

/** Reads a TEXT column that another program may have written to: bytes as UTF-8, null as ''. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value)
}

export interface JobDataTable {
  variables(jobKey: number): string
  setVariables(jobKey: number, variables: string): void
  result(jobKey: number): string | null
  /** How often a person asked for the effects of the job to be made anew. */
  effectsEpoch(jobKey: number): number
  setEffectsEpoch(jobKey: number, epoch: number): void
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
  const setEpoch = db.prepare<[number, number]>('UPDATE wf_job_data SET effects_epoch = ? WHERE job_key = ?')
  return {
    effectsEpoch: (jobKey) => epoch.get(jobKey) ?? 0,
    setEffectsEpoch: (jobKey, value) => void setEpoch.run(value, jobKey),
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
