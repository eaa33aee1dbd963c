/** The roads out of a stop, written: the job's row, the closing of what was open, and the history, inside an open transaction. */
import type { JobState } from '../../domain/job.ts'
import { resolveJob, type Resolved } from '../../domain/resolve-job.ts'
import type { Applied, Resolution } from '../../domain/resolution.ts'
import type { Connection } from './connection.ts'
import { historyTable } from './history.ts'
import { incidentsTable } from './incidents.ts'
import { jobDataTable } from './job-data.ts'
import { jobsTable } from './jobs.ts'
import { poisonJobsTable } from './poison-jobs.ts'
import { workerIdempotencyTable } from './worker-idempotency.ts'

export type Resolver = (resolution: Resolution, now: number) => Applied

export function resolver(db: Connection): Resolver {
  const jobs = jobsTable(db)
  const data = jobDataTable(db)
  const incidents = incidentsTable(db)
  const deadLetters = poisonJobsTable(db)
  const apply = applier(db)
  return (resolution, now) => {
    const { jobKey } = resolution
    const job = jobs.get(jobKey)
    if (job === null) return { jobKey, status: 'not_found', from: null, to: null, why: `there is no job ${jobKey}` }
    const deadLetter = deadLetters.get(jobKey)
    const resolved = resolveJob({
      job,
      openIncident: incidents.ofJob(jobKey).find(({ resolvedAt }) => resolvedAt === null) ?? null,
      openDeadLetter: deadLetter?.closedAt === null ? deadLetter : null,
      variables: resolution.set === undefined ? '' : data.variables(jobKey),
      resolution,
      now,
    })
    if (resolved.status !== 'changed') return unchanged(jobKey, job.state, resolved)
    apply(resolution, resolved, now)
    return { jobKey, status: 'changed', from: job.state, to: resolved.next.state, why: '' }
  }
}

function unchanged(jobKey: number, state: JobState, { status, why }: Exclude<Resolved, { status: 'changed' }>): Applied {
  return { jobKey, status, from: state, to: state, why }
}

function applier(db: Connection) {
  const update =
    db.prepare(`UPDATE wf_jobs SET state = ?, wait_reason = ?, run_at = ?, retries = ?, retries_given = ?, failures = ?, crashes = ?, deferrals = ?,
    deferring_since = ?, deadline_at = ?, finished_at = ?, run_until = NULL WHERE key = ?`)
  const data = jobDataTable(db)
  const incidents = incidentsTable(db)
  const deadLetters = poisonJobsTable(db)
  const history = historyTable(db)
  const steps = workerIdempotencyTable(db)
  return ({ jobKey, verb, who, reason, newEffects = false }: Resolution, resolved: Extract<Resolved, { status: 'changed' }>, now: number): void => {
    const { state, waitReason, runAt, retries, retriesGiven, failures, crashes, deferrals, deferringSince, deadlineAt, finishedAt } = resolved.next
    update.run(
      ...[state, waitReason, runAt, retries, retriesGiven ? 1 : 0, failures, crashes, deferrals],
      ...[deferringSince, deadlineAt, finishedAt, jobKey],
    )
    if (resolved.variables !== undefined) data.setVariables(jobKey, resolved.variables)
    const closing = { who, resolution: verb, reason }
    if (resolved.close.incident) incidents.close(jobKey, closing, now)
    if (resolved.close.deadLetter) deadLetters.close(jobKey, closing, now)
    const anew = newEffects ? { effectsEpoch: data.raiseEffectsEpoch(jobKey), forgotten: steps.remove(jobKey, null) } : {}
    history.add({ jobKey, at: now, event: resolved.event, who, reason, detail: JSON.stringify({ ...resolved.detail, ...anew }) })
  }
}
