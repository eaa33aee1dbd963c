/** Jobs, outcomes and stops for the tests of the domain. */
import { decide } from '../../src/domain/decide.ts'
import { errorRecord } from '../../src/domain/error-record.ts'
import type { ChildJob, Job } from '../../src/domain/job.ts'
import type { Outcome, Policy, Settlement } from '../../src/domain/outcome.ts'

export const now = Date.UTC(2026, 0, 15, 12)

export const boom = errorRecord(Object.assign(new Error('boom'), { code: 'EBOOM' }))

/** A running job of 3 retries in its first attempt. */
export function runningJob(change: Partial<Job> = {}): Job {
  return {
    key: 7,
    type: 'charge-payment',
    state: 'running',
    waitReason: null,
    priority: 0,
    runAt: now - 5_000,
    retries: 3,
    retriesGiven: false,
    enqueuedRetries: 3,
    attempt: 1,
    failures: 0,
    crashes: 0,
    deferrals: 0,
    deferringSince: null,
    workerId: 'w#1',
    startedAt: now - 1_000,
    runUntil: now + 360_000,
    deadlineAt: null,
    createdAt: now - 10_000,
    finishedAt: null,
    parentKey: null,
    ...change,
  }
}

export const steady: Policy = {
  retries: 3,
  backoff: { strategy: 'exponential', baseMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0 },
  onExhausted: 'incident',
}

export const fail: Outcome = { kind: 'fail', error: boom, category: 'error' }
export const lost: Outcome = {
  kind: 'lost',
  reason: 'worker_died',
  detail: 'worker w#1 (pid 4711) ended with SIGKILL',
}

export function judge(
  job: Job,
  outcome: Outcome,
  more: { policy?: Policy; children?: readonly ChildJob[]; at?: number; random?: () => number } = {},
) {
  const { policy = steady, children = [], at = now, random = () => 0.5 } = more
  return decide({ job, outcome, policy, children, now: at, random })
}

/** The row that a store would hold after a settlement. */
export function settled(job: Job, { next }: Settlement): Job {
  return { ...job, ...next, workerId: null, runUntil: null }
}

/** The row that a store would hold after the next claim. */
export function claimed(job: Job, at: number): Job {
  return {
    ...job,
    state: 'running',
    waitReason: null,
    attempt: job.attempt + 1,
    workerId: 'w#1',
    startedAt: at,
    runUntil: at + 360_000,
  }
}

export function child(when: 'success' | 'stopped', type = when): ChildJob {
  return {
    type,
    variables: '{}',
    priority: 0,
    runAt: now,
    retries: 3,
    retriesGiven: false,
    deadlineAt: null,
    parentKey: 7,
    idempotency: null,
    when,
  }
}
