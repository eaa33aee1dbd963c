/** The roads out of a stop, written: the job's row, the closing of what was open, and the history, inside an open transaction. */
import type { JobState } from '../../domain/job.ts'
import type { JobChangeImage } from '../../domain/operation.ts'
import { resolveJob, type Resolved, type Stopped } from '../../domain/resolve-job.ts'
import type { Applied, Resolution } from '../../domain/resolution.ts'
import { jobImage, variablesHash } from '../../domain/undo.ts'
import type { Connection } from './file/connection.ts'
import { historyTable } from './rows/history.ts'
import { incidentsTable } from './rows/incidents.ts'
import { jobDataTable } from './rows/job-data.ts'
import { jobsTable } from './rows/jobs.ts'
import { operationsTable } from './rows/operations.ts'
import { poisonJobsTable } from './rows/dead-letters.ts'
import { workerIdempotencyTable } from './rows/steps.ts'

export type Resolver = (resolution: Resolution, now: number) => Applied

export function resolver(db: Connection): Resolver {
  const stopped = stoppedJobs(db)
  const apply = applier(db)
  const record = targetRecorder(db)
  return (resolution, now) => {
    const { jobKey } = resolution
    const found = stopped(resolution)
    if (found === null) {
      const missing: Applied = {
        jobKey,
        status: 'not_found',
        from: null,
        to: null,
        why: `there is no job ${jobKey}`,
      }
      record(resolution, missing, { image: null, now })
      return missing
    }
    const { job } = found
    const resolved = resolveJob({ ...found, resolution, now })
    if (resolved.status !== 'changed') {
      const same = unchanged(jobKey, job.state, resolved)
      record(resolution, same, { image: null, now })
      return same
    }
    const { effects } = apply(resolution, resolved, now)
    const applied: Applied = { jobKey, status: 'changed', from: job.state, to: resolved.next.state, why: '' }
    record(resolution, applied, { image: imageOf(found, resolved, effects), now })
    return applied
  }
}

function stoppedJobs(db: Connection): (resolution: Resolution) => Omit<Stopped, 'resolution' | 'now'> | null {
  const jobs = jobsTable(db)
  const data = jobDataTable(db)
  const incidents = incidentsTable(db)
  const deadLetters = poisonJobsTable(db)
  return ({ jobKey, set }) => {
    const job = jobs.get(jobKey)
    if (job === null) return null
    const deadLetter = deadLetters.get(jobKey)
    return {
      job,
      openIncident: incidents.ofJob(jobKey).find(({ resolvedAt }) => resolvedAt === null) ?? null,
      openDeadLetter: deadLetter?.closedAt === null ? deadLetter : null,
      variables: set === undefined ? '' : data.variables(jobKey),
    }
  }
}

/** Writes what became of a job as a target of the operation that it belongs to, if it belongs to one. */
export function targetRecorder(db: Connection) {
  const operations = operationsTable(db)
  return (
    { operation }: Pick<Resolution, 'operation'>,
    { jobKey, status, why }: Applied,
    { image, now }: { image: JobChangeImage | null; now: number },
  ) => {
    if (operation !== undefined)
      operations.addTarget(operation, { jobKey, name: '', status, why, image }, now)
  }
}

type Changed = Extract<Resolved, { status: 'changed' }>

function imageOf(
  { job, openIncident, openDeadLetter, variables }: Omit<Stopped, 'resolution' | 'now'>,
  { next, ...resolved }: Changed,
  effects: JobChangeImage['newEffects'],
): JobChangeImage {
  return {
    of: 'job',
    attempt: job.attempt,
    before: jobImage(job),
    after: jobImage({ ...job, ...next }),
    ...(resolved.variables === undefined
      ? {}
      : { variables: { before: variables, afterHash: variablesHash(resolved.variables) } }),
    incident: openIncident?.id ?? null,
    deadLetterAt: openDeadLetter?.receivedAt ?? null,
    ...(effects === undefined ? {} : { newEffects: effects }),
  }
}

function unchanged(
  jobKey: number,
  state: JobState,
  { status, why }: Exclude<Resolved, { status: 'changed' }>,
): Applied {
  return { jobKey, status, from: state, to: state, why }
}

function applier(db: Connection) {
  const update =
    db.prepare(`UPDATE wf_jobs SET state = ?, wait_reason = ?, priority = ?, run_at = ?, retries = ?, retries_given = ?, failures = ?, crashes = ?, deferrals = ?,
    deferring_since = ?, deadline_at = ?, finished_at = ?, run_until = NULL WHERE key = ?`)
  const data = jobDataTable(db)
  const incidents = incidentsTable(db)
  const deadLetters = poisonJobsTable(db)
  const history = historyTable(db)
  const steps = workerIdempotencyTable(db)
  return ({ jobKey, verb, who, reason, newEffects = false }: Resolution, resolved: Changed, now: number) => {
    const {
      state,
      waitReason,
      priority,
      runAt,
      retries,
      retriesGiven,
      failures,
      crashes,
      deferrals,
      deferringSince,
      deadlineAt,
      finishedAt,
    } = resolved.next
    update.run(
      ...[state, waitReason, priority, runAt, retries, retriesGiven ? 1 : 0, failures, crashes, deferrals],
      ...[deferringSince, deadlineAt, finishedAt, jobKey],
    )
    if (resolved.variables !== undefined) data.setVariables(jobKey, resolved.variables)
    const closing = { who, resolution: verb, reason }
    if (resolved.close.incident) incidents.close(jobKey, closing, now)
    if (resolved.close.deadLetter) deadLetters.close(jobKey, closing, now)
    const epoch = newEffects ? data.raiseEffectsEpoch(jobKey) : 0
    const forgotten = newEffects ? steps.remove(jobKey, null) : []
    const anew = newEffects ? { effectsEpoch: epoch, forgotten } : {}
    history.add({
      jobKey,
      at: now,
      event: resolved.event,
      who,
      reason,
      detail: JSON.stringify({ ...resolved.detail, ...anew }),
    })
    return newEffects ? { effects: { forgotten, epoch: epoch - 1 } } : { effects: undefined }
  }
}
