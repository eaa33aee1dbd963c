/** Whether jobs run, are due, or come back by themselves. One statement, so that a job that changes state is not missed. */
import type { Connection } from '../file/connection.ts'

const jobs = (index: string, where: string) =>
  `EXISTS (SELECT 1 FROM wf_jobs INDEXED BY wf_jobs_${index} WHERE type = t.value AND ${where})`

/** Reads indexes only, and ends at the first job found. Jobs that are only delayed cost one index entry each, if nothing else is found. */
export function pendingLook(db: Connection): (types: readonly string[], now: number) => boolean {
  const look = db
    .prepare<
      [string, number, number],
      number
    >(`SELECT EXISTS (SELECT 1 FROM json_each(?) t WHERE ${jobs('running', "state = 'running'")}
      OR (NOT EXISTS (SELECT 1 FROM wf_types p WHERE p.type = t.value AND p.paused_at IS NOT NULL
        AND (p.paused_until IS NULL OR p.paused_until > ?)) AND (
        ${jobs('available', "state = 'available' AND crashes < 2")} OR ${jobs('suspect', "state = 'available' AND crashes >= 2")}
        OR ${jobs('waiting', "state = 'waiting' AND run_at <= ?")} OR ${jobs('waiting', "state = 'waiting' AND wait_reason <> 'delay'")})))`)
    .pluck()
  return (types, now) => look.get(JSON.stringify(types), now, now) === 1
}
