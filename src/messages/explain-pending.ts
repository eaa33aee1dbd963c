/** Jobs that will run by themselves: available and waiting. */
import { formatDuration } from '../text/duration.ts'
import type { Advice, Explanation, JobFacts } from '../domain/explain-facts.ts'
import { holdOf, type Hold } from './explain-hold.ts'
import { agoWords, countWords, errorWords, inWords } from './explain-messages.ts'

const cancel = (key: number): Advice => ({ args: ['jobs', 'cancel', String(key)], why: 'it never runs' })

export function explainAvailable(facts: JobFacts): Explanation {
  const { job, now } = facts
  const hold = holdOf(facts)
  return {
    why: [
      `It has been due for ${formatDuration(Math.max(0, now - job.runAt))}.`,
      ...(hold ? [hold.why] : suspicion(facts)),
    ],
    next: [hold?.next ?? firstStart(facts), ...deadline(facts, now)],
    at: hold ? hold.at : now,
    commands: [...(hold?.commands ?? []), cancel(job.key)],
  }
}

export function explainWaiting(facts: JobFacts): Explanation {
  const { job } = facts
  const hold = holdOf(facts)
  return {
    why: [reasonToWait(facts), ...(hold ? [hold.why] : suspicion(facts))],
    next: [startWords(facts, hold), ...deadline(facts, job.runAt)],
    at: startAt(job.runAt, hold),
    commands: [
      ...(hold?.commands ?? []),
      { args: ['jobs', 'retry', String(job.key)], why: 'it is due at once, with fresh counters' },
      cancel(job.key),
    ],
  }
}

/** Null where what holds it has no end of its own. */
function startAt(runAt: number, hold: Hold | null): number | null {
  if (hold === null) return runAt
  return hold.at === null ? null : Math.max(hold.at, runAt)
}

function firstStart({ job }: JobFacts): string {
  return job.crashes >= 2
    ? 'A worker of its own starts it, alone, within seconds.'
    : 'A worker that is idle takes it within moments.'
}

function startWords({ job, now }: JobFacts, hold: Hold | null): string {
  const due = `It is due ${inWords(job.runAt, now)}`
  return hold ? `${due}, but due jobs do not start yet. ${hold.next}` : `${due} and starts then.`
}

/** It was lost twice in a row. */
function suspicion({ job }: JobFacts): readonly string[] {
  if (job.crashes < 2) return []
  return [
    `Its worker process died ${job.crashes} times in a row while it ran, so that it runs alone from now on; once more, and it stops.`,
  ]
}

function reasonToWait({ job, now, lastAttempt }: JobFacts): string {
  if (job.waitReason === 'delay')
    return `Its producer asked for a later start when it was enqueued ${agoWords(job.createdAt, now)}.`
  if (job.waitReason === 'deferred') return deferral(lastAttempt, job.deferrals)
  if (job.crashes > 0)
    return `Attempt ${job.attempt} was lost with its worker, for the ${job.crashes === 1 ? 'first' : 'second'} time in a row.`
  const of = `failure ${job.failures} of ${job.failures + job.retries}`
  const error = lastAttempt?.error ? ` with ${errorWords(lastAttempt.error)}` : ''
  return `Attempt ${job.attempt} failed${error}; that was ${of}, ${countWords(job.retries, 'execution')} left.`
}

function deferral(lastAttempt: JobFacts['lastAttempt'], deferrals: number): string {
  const reason = lastAttempt?.error
    ? `: ${errorWords({ ...lastAttempt.error, code: null, name: 'deferred' }).replace(/^deferred: /, '')}`
    : ''
  return `Its last attempt came to nothing and cost nothing${reason} (${countWords(deferrals, 'deferral')} so far).`
}

/** @param start the earliest instant at which it may start */
function deadline({ job, now }: JobFacts, start: number): readonly string[] {
  if (job.deadlineAt === null) return []
  const late = start > job.deadlineAt ? ' That is too late already' : ' Otherwise it stops'
  return [
    `It must start by its deadline ${inWords(job.deadlineAt, now)}.${late}, with an incident deadline_exceeded.`,
  ]
}
