/** What a person changes of a job that waits to run: its executions, its rank, its time. It has not stopped, so nothing is closed. */
import { finalStates, limits, type Job } from './job.ts'
import { preview } from '../text/preview.ts'
import type { Resolved, ResolvedJob, Stopped, Resolution } from './resolution.ts'

export function updateJob({ job, resolution, now }: Stopped): Resolved {
  const why = refusedValues(resolution) ?? refusedState(job) ?? tooLate(job, resolution)
  if (why !== null) return { status: 'failed', why }
  const next = updated(job, resolution, now)
  const changes = differences(job, next)
  if (Object.keys(changes).length === 0)
    return { status: 'skipped', why: `job ${job.key} is like that already` }
  return {
    status: 'changed',
    next,
    close: { incident: false, deadLetter: false },
    event: 'updated',
    detail: { from: job.state, ...changes },
  }
}

function refusedValues({
  retries,
  priority,
  runAt,
  deadlineAt,
  set,
  newEffects = false,
}: Resolution): string | null {
  if (deadlineAt !== undefined || set !== undefined || newEffects)
    return 'update changes retries, priority and the time of the start; a retry changes the rest'
  if (retries === undefined && priority === undefined && runAt === undefined)
    return 'nothing to change was given: neither retries nor priority nor a time'
  if (retries !== undefined && !within(retries, 1, limits.retries))
    return `retries is ${preview(retries, 40)}; 1 to ${limits.retries} are possible`
  if (priority !== undefined && !within(priority, -limits.priority, limits.priority)) {
    return `the priority is ${preview(priority, 40)}; −${limits.priority} to ${limits.priority} are possible`
  }
  return runAt === undefined || Number.isSafeInteger(runAt)
    ? null
    : `the time ${preview(runAt, 40)} is not an instant`
}

const within = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most

function refusedState({ key, state }: Job): string | null {
  if (state === 'available' || state === 'waiting') return null
  if (state === 'running')
    return `job ${key} is running, and the end of its attempt decides what becomes of it; wait for that`
  if (finalStates.includes(state)) return `job ${key} is ${state}, which is final`
  return `job ${key} is ${state} and waits for a person; ${state === 'dead' ? 'dlq retry' : 'incidents resolve'} runs it again, with other retries if they are given`
}

function tooLate({ key, deadlineAt }: Job, { runAt }: Resolution): string | null {
  if (deadlineAt === null || runAt === undefined || runAt <= deadlineAt) return null
  return `job ${key} must start by its deadline ${new Date(deadlineAt).toISOString()}, which comes before that time`
}

function updated(job: Job, { retries, priority, runAt }: Resolution, now: number): ResolvedJob {
  const { failures, crashes, deferrals, deferringSince, deadlineAt } = job
  const given = {
    retries: retries ?? job.retries,
    retriesGiven: job.retriesGiven || retries !== undefined,
    priority: priority ?? job.priority,
  }
  return {
    ...startOf(job, runAt, now),
    ...given,
    failures,
    crashes,
    deferrals,
    deferringSince,
    deadlineAt,
    finishedAt: null,
  }
}

/** What waits keeps the reason for it; what was due has none, and waits because a person said so. */
function startOf(
  job: Job,
  runAt: number | undefined,
  now: number,
): Pick<ResolvedJob, 'state' | 'waitReason' | 'runAt'> {
  if (runAt === undefined)
    return {
      state: job.state === 'waiting' ? 'waiting' : 'available',
      waitReason: job.waitReason,
      runAt: job.runAt,
    }
  // Due is due: it does not jump the queue, and has not been waiting for longer than it has.
  if (runAt <= now)
    return { state: 'available', waitReason: null, runAt: job.state === 'available' ? job.runAt : now }
  return { state: 'waiting', waitReason: job.waitReason ?? 'delay', runAt }
}

/** For the history row: before and after. */
function differences(job: Job, next: ResolvedJob): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const field of ['retries', 'priority', 'runAt'] as const) {
    if (job[field] !== next[field]) changes[field] = { before: job[field], after: next[field] }
  }
  return changes
}
