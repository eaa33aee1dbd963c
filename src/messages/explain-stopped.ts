/** Jobs that wait for a person, and those that are over. */
import type { Incident, IncidentKind } from '../domain/incident.ts'
import { guardedBecause } from './incident-messages.ts'
import type { Explanation, JobFacts } from '../domain/explain-facts.ts'
import { agoWords, countWords, errorWords } from './explain-messages.ts'

const untilPerson = 'Nothing happens until a person acts.'

export function explainFailed({ job, now, openIncident, unknownSteps }: JobFacts): Explanation {
  if (openIncident === null)
    return {
      why: ['It stopped, and its incident is not there: wf doctor checks the store.'],
      next: [untilPerson],
      at: null,
      commands: [],
    }
  const { kind, createdAt } = openIncident
  const mending = kind === 'poison_message' ? ['--set', 'PATH=VALUE'] : []
  return {
    why: [
      `${stopWords(openIncident, job.failures)} That was ${agoWords(createdAt, now)}.`,
      ...unknownWords(unknownSteps),
    ],
    next: [untilPerson],
    at: null,
    commands: [
      { args: ['jobs', 'show', String(job.key)], why: 'its variables, attempts and the error in full' },
      { args: ['incidents', 'resolve', String(job.key), ...mending], why: resolveWords(kind) },
      { args: sameCause(openIncident), why: 'all that stopped for the same cause' },
      { args: ['jobs', 'cancel', String(job.key)], why: 'it never runs again' },
    ],
  }
}

/** What a bulk resolution passes by unless it is named must be named. */
function sameCause({ kind, fingerprint }: Incident): readonly string[] {
  const named = guardedBecause[kind] === undefined ? [] : ['--kind', kind]
  return ['incidents', 'resolve', ...named, '--fingerprint', fingerprint, '--dry-run']
}

/** How each kind of incident comes about. */
const stops: Readonly<Record<IncidentKind, (error: string, failures: number) => string>> = {
  job_no_retries: (error, failures) =>
    `It failed ${countWords(failures, 'time')} and has no executions left, the last time with ${error}.`,
  raised: (error) => `Its handler stopped it for a person to look at, with ${error}.`,
  non_retryable: (error) => `Its handler said that trying again cannot help, with ${error}.`,
  poison_message: (error) => `Its variables can never succeed as they are: ${error}.`,
  unhandled_business_error: (error) =>
    `Its handler refused it with a code that it does not declare: ${error}.`,
  deferred_too_long: (error) => `It was put off for a day without a break: ${error}.`,
  crash_loop: (error) => `Its worker process died three times in a row while it ran: ${error}.`,
  result_invalid: (error) =>
    `Its handler finished, so that its effect has happened, but what it returned could not be kept: ${error}.`,
  deadline_exceeded: (error) => `Its deadline passed before it could start: ${error}.`,
  settlement_refused: (error) =>
    `Its attempt ended, and the store refused what it wanted to write: ${error}.`,
}

function stopWords({ kind, error }: Incident, failures: number): string {
  return stops[kind](errorWords(error).replace(/\.$/, ''), failures)
}

function resolveWords(kind: IncidentKind): string {
  const harm = guardedBecause[kind]
  return harm === undefined
    ? 'it runs again, with as many executions as it had at first; --retries gives another number'
    : `it runs again, but ${harm}`
}

function unknownWords(steps: readonly string[]): readonly string[] {
  if (steps.length === 0) return []
  return [
    `Nobody knows whether ${steps.length === 1 ? 'the step' : 'the steps'} ${steps.join(', ')} took effect: check that before it runs again.`,
  ]
}

export function explainDead({ job, now, openDeadLetter, unknownSteps }: JobFacts): Explanation {
  const error =
    openDeadLetter &&
    errorWords({
      name: openDeadLetter.errorName ?? 'Error',
      code: openDeadLetter.errorCode,
      message: openDeadLetter.errorMessage,
    })
  const cause = error === null ? '' : `, the last time with ${error.replace(/\.$/, '')}`
  const when = openDeadLetter === null ? '' : ` ${agoWords(openDeadLetter.receivedAt, now)}`
  return {
    why: [
      `It failed ${countWords(job.failures, 'time')}${cause}, and its handler sets such jobs aside: it became a dead letter${when}.`,
      ...unknownWords(unknownSteps),
    ],
    next: [untilPerson],
    at: null,
    commands: [
      { args: ['dlq', 'show', String(job.key)], why: 'the error, and its variables as they were' },
      { args: ['dlq', 'retry', String(job.key)], why: 'it runs again as it is' },
      { args: ['dlq', 'discard', String(job.key)], why: 'it never runs again' },
    ],
  }
}

export function explainEnded({ job, now, lastAttempt }: JobFacts): Explanation {
  const when = job.finishedAt === null ? '' : ` ${agoWords(job.finishedAt, now)}`
  const refusal =
    lastAttempt?.outcome === 'business_error' && lastAttempt.error
      ? `: ${errorWords(lastAttempt.error).replace(/\.$/, '')}`
      : ''
  const why = {
    completed: `It was completed${when} by attempt ${job.attempt}.`,
    rejected: `Its handler refused it${when}${refusal}; that is an answer, not a failure.`,
    cancelled: `It was cancelled${when}.`,
  }[job.state as 'completed' | 'rejected' | 'cancelled']
  return {
    why: [why],
    next: ['It is over: nothing happens any more.'],
    at: null,
    commands: [{ args: ['jobs', 'show', String(job.key)], why: 'all that is known about it' }],
  }
}
