/** What a resolution makes of a job: the roads out of a stop, one function behind every verb. Pure; the store applies it. */
import { finalStates, limits, type Job } from './job.ts'
import type {
  Resolution,
  ResolutionVerb,
  Resolved,
  ResolvedJob,
  Stopped,
  ResolutionEvent,
} from './resolution.ts'
import { setVariables } from './set-variable.ts'
import { WfError } from '../errors.ts'
import { preview } from '../text/preview.ts'
import { updateJob } from './update-job.ts'

export function resolveJob(stopped: Stopped): Resolved {
  const { resolution } = stopped
  if (resolution.verb === 'update') return updateJob(stopped)
  const refusal = refusedValues(resolution)
  if (refusal) return { status: 'failed', why: refusal }
  const standing = standingOf(stopped)
  if (standing) return standing
  return resolution.verb === 'cancel' || resolution.verb === 'discard'
    ? ended(stopped)
    : startedAgain(stopped)
}

const events = {
  resolve: 'resolved',
  retry: 'retried',
  dlq_retry: 'dlq_retried',
  cancel: 'cancelled',
  discard: 'discarded',
  update: 'updated',
} as const satisfies Record<ResolutionVerb, ResolutionEvent>

/** Values that no state makes right; callers check them too, this is the last door. */
function refusedValues({
  verb,
  retries,
  deadlineAt,
  set,
  newEffects = false,
  priority,
  runAt,
}: Resolution): string | null {
  if (priority !== undefined || runAt !== undefined)
    return `${verb} leaves priority and time of the start as they are; update changes them`
  if (
    (verb === 'cancel' || verb === 'discard') &&
    (retries !== undefined || deadlineAt !== undefined || set !== undefined || newEffects)
  ) {
    return `${verb} ends the job: retries, deadline, variables and new effects cannot be set with it`
  }
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 1 && retries <= limits.retries)) {
    return `retries is ${preview(retries, 40)}; a resolution gives 1 to ${limits.retries} executions`
  }
  if (deadlineAt !== undefined && !Number.isSafeInteger(deadlineAt))
    return `the deadline ${preview(deadlineAt, 40)} is not an instant`
  return null
}

type Standing = Extract<Resolved, { status: 'skipped' | 'failed' }>

const skipped = (why: string): Standing => ({ status: 'skipped', why })
const failed = (why: string): Standing => ({ status: 'failed', why })

/** Why a verb does nothing here; null when it does something. */
function standingOf(stopped: Stopped): Standing | null {
  const { job, openIncident, openDeadLetter, resolution } = stopped
  switch (resolution.verb) {
    case 'resolve':
      return openIncident ? null : withoutIncident(job, openDeadLetter)
    case 'retry':
      return retryStanding(job)
    case 'dlq_retry':
      return openDeadLetter ? null : withoutDeadLetter(job)
    case 'cancel':
      return cancelStanding(job)
    case 'discard':
      return openDeadLetter ? null : discardStanding(job)
    case 'update':
      return null
  }
}

function withoutIncident(job: Job, openDeadLetter: Stopped['openDeadLetter']): Standing {
  if (job.state === 'dead' && openDeadLetter)
    return failed(`job ${job.key} is a dead letter and has no open incident; use dlq retry or dlq discard`)
  return skipped(`job ${job.key} has no open incident: already resolved (it is ${job.state})`)
}

function retryStanding(job: Job): Standing | null {
  if (job.state === 'available')
    return skipped(`job ${job.key} is available: it starts as soon as a worker is free`)
  if (job.state === 'running') return failed(`job ${job.key} is running; wait for its end, or cancel it`)
  if (finalStates.includes(job.state))
    return failed(`job ${job.key} is ${job.state}, which is final; enqueue a new job`)
  return null
}

function withoutDeadLetter(job: Job): Standing {
  if (job.state === 'failed')
    return failed(`job ${job.key} has an open incident but no open dead letter; resolve the incident`)
  return skipped(`job ${job.key} has no open dead letter: already closed (it is ${job.state})`)
}

function discardStanding(job: Job): Standing {
  if (job.state === 'cancelled') return skipped(`job ${job.key} is cancelled already`)
  return failed(
    `job ${job.key} is ${job.state} and has no open dead letter; discard is for dead letters, cancel for other jobs`,
  )
}

function cancelStanding(job: Job): Standing | null {
  if (job.state === 'cancelled') return skipped(`job ${job.key} is cancelled already`)
  return finalStates.includes(job.state) ? failed(`job ${job.key} is ${job.state}, which is final`) : null
}

function ended(stopped: Stopped): Resolved {
  const { job, resolution, now } = stopped
  const next: ResolvedJob = { ...kept(job), state: 'cancelled', waitReason: null, finishedAt: now }
  return {
    status: 'changed',
    next,
    close: closing(stopped),
    event: events[resolution.verb],
    detail: { from: job.state, ...attemptTaken(job) },
  }
}

/** The late report of a running attempt is stale from here on; the history says which attempt lost its lease. */
function attemptTaken(job: Job): Record<string, unknown> {
  return job.state === 'running' ? { attempt: job.attempt, workerId: job.workerId } : {}
}

function startedAgain(stopped: Stopped): Resolved {
  const { job, resolution, now } = stopped
  if (resolution.deadlineAt !== undefined && resolution.deadlineAt < now) {
    return failed(
      `the deadline ${new Date(resolution.deadlineAt).toISOString()} has passed: no attempt could start`,
    )
  }
  const changed = resolution.set?.length ? changedVariables(stopped.variables, resolution) : null
  if (changed && 'why' in changed) return failed(changed.why)
  const next = job.state === 'waiting' ? dueNow(stopped) : freshStart(stopped)
  return {
    status: 'changed',
    next,
    ...(changed ? { variables: changed.text } : {}),
    close: closing(stopped),
    event: events[resolution.verb],
    detail: { from: job.state, ...difference(job, next), ...(changed ? { variables: changed.changes } : {}) },
  }
}

/** Out of a stop: the job starts over with its executions, and nothing that was counted before weighs on it. */
function freshStart({ job, resolution, now }: Stopped): ResolvedJob {
  const retries = resolution.retries ?? Math.max(1, job.retries || job.enqueuedRetries)
  const deadlineAt = resolution.deadlineAt ?? null
  const counts = { failures: 0, crashes: 0, deferrals: 0, deferringSince: null }
  const { priority } = job
  return {
    state: 'available',
    waitReason: null,
    priority,
    runAt: now,
    retries,
    retriesGiven: true,
    ...counts,
    finishedAt: null,
    deadlineAt,
  }
}

/** A waiting job has not stopped: only its wait ends. What was counted stays (a suspect stays one); a passed deadline goes. */
function dueNow({ job, resolution, now }: Stopped): ResolvedJob {
  const retries = resolution.retries ?? Math.max(1, job.retries)
  const retriesGiven = job.retriesGiven || resolution.retries !== undefined
  const standing = job.deadlineAt !== null && job.deadlineAt < now ? null : job.deadlineAt
  const deadlineAt = resolution.deadlineAt ?? standing
  return {
    ...kept(job),
    state: 'available',
    waitReason: null,
    runAt: now,
    finishedAt: null,
    retries,
    retriesGiven,
    deadlineAt,
  }
}

function changedVariables(
  variables: string,
  { set = [], variablesBytes }: Resolution,
): ReturnType<typeof setVariables> | { why: string } {
  try {
    return setVariables(variables, set, variablesBytes)
  } catch (error) {
    if (error instanceof WfError)
      return { why: error.hint ? `${error.message}; ${error.hint}` : error.message }
    throw error
  }
}

/** For the history row: before and after of what a person may ask about. */
function difference(job: Job, next: ResolvedJob): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const field of ['retries', 'deadlineAt', 'failures', 'crashes', 'deferrals'] as const) {
    if (job[field] !== next[field]) changes[field] = { before: job[field], after: next[field] }
  }
  return changes
}

function closing({ openIncident, openDeadLetter }: Stopped): { incident: boolean; deadLetter: boolean } {
  return { incident: openIncident !== null, deadLetter: openDeadLetter !== null }
}

function kept(job: Job): Omit<ResolvedJob, 'state' | 'waitReason' | 'finishedAt'> {
  const { priority, runAt, retries, retriesGiven, failures, crashes, deferrals, deferringSince, deadlineAt } =
    job
  return { priority, runAt, retries, retriesGiven, failures, crashes, deferrals, deferringSince, deadlineAt }
}
