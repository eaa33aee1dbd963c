/** What a worker says about itself and its attempts, beside the one line an attempt (job-words.ts). */
import { errorRecord } from '../domain/error-record.ts'
import type { Job } from '../domain/job.ts'
import type { Ended } from '../domain/outcome.ts'
import type { Logger } from '../logger.ts'
import type { AbortKind } from './runner/abort-reason.ts'
import { jobName } from './job-messages.ts'

const mostNames = 10

function fieldsOf({ key, type, attempt }: Job) {
  return { job: key, type, attempt }
}

export function logGone(log: Logger, job: Job, kind: AbortKind): void {
  if (kind === 'cancelled')
    log.info(`${jobName(job)} was cancelled: its handler is told to stop`, fieldsOf(job))
  else
    log.warn(
      `${jobName(job)} attempt ${job.attempt} lost its lease: its handler is told to stop`,
      fieldsOf(job),
    )
}

export function logStale(
  log: Logger,
  { ended: { job, outcome }, times }: { ended: Pick<Ended, 'job' | 'outcome'>; times: number },
): void {
  const why =
    times > 1
      ? 'it had been stored before, or the lease was lost meanwhile'
      : "the attempt was no longer this worker's"
  log.warn(
    `${jobName(job)} attempt ${job.attempt}: its outcome (${outcome.kind}) changed nothing: ${why}`,
    fieldsOf(job),
  )
}

export function logPanic(
  log: Logger,
  error: unknown,
  { running, ended }: { running: readonly Job[]; ended: readonly Job[] },
): void {
  const { name, message, stack } = errorRecord(error)
  const near =
    running.length > 0
      ? `running: ${namesOf(running)}`
      : `no handler was running; the last that ended: ${namesOf(ended)}`
  const what = `an error that no handler caught (${near}): ${name}: ${message}; the worker takes no more jobs and ends`
  log.error(what, { running: running.slice(0, mostNames).map(({ key }) => key), stack })
}

function namesOf(jobs: readonly Job[]): string {
  return jobs.length === 0 ? 'none' : jobs.slice(0, mostNames).map(jobName).join(', ')
}

export function logAbandoned(log: Logger, count: number, isolated: boolean): void {
  const effect = isolated
    ? 'this process is replaced'
    : 'they hold on to memory and connections until this process ends'
  log.warn(
    `${count} ${count === 1 ? 'handler' : 'handlers'} ran beyond the timeout and never ended: ${effect}`,
  )
}

export function logUnstored(log: Logger, count: number): void {
  log.error(
    `the store did not take ${count} ${count === 1 ? 'outcome' : 'outcomes'} before the worker's end: what is not stored runs again`,
  )
}
