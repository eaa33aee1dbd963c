import { describe, expect, it } from 'vitest'
import type { DeadLetter } from '../../src/domain/dead-letter.ts'
import type { Incident, IncidentKind } from '../../src/domain/incident.ts'
import { type Job, type JobState, jobStates } from '../../src/domain/job.ts'
import type { Resolution, ResolutionVerb } from '../../src/domain/resolution.ts'
import { resolveJob } from '../../src/domain/resolve-job.ts'
import { boom, now, runningJob } from './builders.ts'

const incident = (kind: IncidentKind = 'job_no_retries'): Incident => ({
  id: 1,
  jobKey: 7,
  type: 'charge-payment',
  kind,
  error: boom,
  fingerprint: '0123456789abcdef',
  attempt: 3,
  createdAt: now,
  resolvedAt: null,
  resolvedBy: null,
  resolution: null,
  reason: null,
})

const deadLetter = (reason: DeadLetter['reason'] = 'exhausted'): DeadLetter => ({
  jobKey: 7,
  type: 'charge-payment',
  processInstanceKey: 7,
  reason,
  errorName: 'Error',
  errorCode: null,
  errorMessage: 'boom',
  receivedAt: now,
  count: 1,
  closedAt: null,
  closedBy: null,
  resolution: null,
  closeReason: null,
})

function job(state: JobState, change: Partial<Job> = {}): Job {
  const held = state === 'running' ? {} : { workerId: null, runUntil: null }
  const waitReason = state === 'waiting' ? ('backoff' as const) : null
  return runningJob({
    ...held,
    waitReason,
    state,
    attempt: 3,
    retries: 0,
    failures: 3,
    crashes: 2,
    deferrals: 4,
    deferringSince: now - 5,
    deadlineAt: now + 60_000,
    ...change,
  })
}

interface Case {
  job: Job
  incident?: Incident
  deadLetter?: DeadLetter
  variables?: string
}

function resolve(
  verb: ResolutionVerb,
  { job, incident, deadLetter, variables = '{"amount":30}' }: Case,
  more: Partial<Resolution> = {},
) {
  const resolution: Resolution = { jobKey: 7, verb, who: 'ann', reason: 'fixed', ...more }
  return resolveJob({
    job,
    openIncident: incident ?? null,
    openDeadLetter: deadLetter ?? null,
    variables,
    resolution,
    now,
  })
}

const failed = (change?: Partial<Job>) => ({ job: job('failed', change), incident: incident() })
const dead = () => ({ job: job('dead'), deadLetter: deadLetter() })
const poisoned = () => ({
  job: job('failed'),
  incident: incident('poison_message'),
  deadLetter: deadLetter('poison'),
})

describe('resolve', () => {
  // A11 A19
  it('makes the job available at once, with nothing that was counted before and no deadline', () => {
    expect(resolve('resolve', failed(), { retries: 3 })).toEqual({
      status: 'changed',
      next: {
        state: 'available',
        waitReason: null,
        runAt: now,
        retries: 3,
        priority: 0,
        retriesGiven: true,
        failures: 0,
        crashes: 0,
        deferrals: 0,
        deferringSince: null,
        finishedAt: null,
        deadlineAt: null,
      },
      close: { incident: true, deadLetter: false },
      event: 'resolved',
      detail: {
        from: 'failed',
        retries: { before: 0, after: 3 },
        deadlineAt: { before: now + 60_000, after: null },
        failures: { before: 3, after: 0 },
        crashes: { before: 2, after: 0 },
        deferrals: { before: 4, after: 0 },
      },
    })
  })

  it.each([
    ['what is given', failed({ retries: 2 }), 5, 5],
    ['what is left', failed({ retries: 2 }), undefined, 2],
    // B022
    ['else the number enqueued with', failed({ retries: 0, enqueuedRetries: 4 }), undefined, 4],
    ['never less than 1', failed({ retries: 0, enqueuedRetries: 0 }), undefined, 1],
  ])('gives as many executions as %s', (_, stopped, retries, expected) => {
    expect(resolve('resolve', stopped, retries === undefined ? {} : { retries })).toMatchObject({
      status: 'changed',
      next: { retries: expected },
    })
  })

  // B022
  it.each([0, -1, 1.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY, '3'])(
    'retries %s are refused',
    (retries) => {
      expect(resolve('resolve', failed(), { retries: retries as number })).toMatchObject({
        status: 'failed',
        why: expect.stringMatching(/^retries is .*; a resolution gives 1 to 1000 executions$/),
      })
    },
  )

  // A19 B022
  it('a second time finds nothing to do', () => {
    expect(resolve('resolve', { job: job('available') })).toEqual({
      status: 'skipped',
      why: 'job 7 has no open incident: already resolved (it is available)',
    })
    expect(resolve('resolve', { job: job('completed') })).toMatchObject({
      status: 'skipped',
      why: expect.stringContaining('already resolved'),
    })
  })

  // A13
  it('closes the dead letter of a poisoned job with its incident', () => {
    expect(resolve('resolve', poisoned())).toMatchObject({
      status: 'changed',
      close: { incident: true, deadLetter: true },
    })
  })

  it('points at the dead letter of a dead job', () => {
    expect(resolve('resolve', dead())).toMatchObject({
      status: 'failed',
      why: expect.stringContaining('use dlq retry or dlq discard'),
    })
  })

  it('keeps a deadline that is given, and refuses one that has passed', () => {
    expect(resolve('resolve', failed(), { deadlineAt: now + 5 })).toMatchObject({
      next: { deadlineAt: now + 5 },
    })
    expect(resolve('resolve', failed(), { deadlineAt: now - 1 })).toMatchObject({
      status: 'failed',
      why: expect.stringContaining('has passed'),
    })
    expect(resolve('resolve', failed(), { deadlineAt: Number.NaN })).toMatchObject({
      status: 'failed',
      why: 'the deadline NaN is not an instant',
    })
  })
})

describe('retry', () => {
  it.each<[JobState, string]>([
    ['available', 'skipped'],
    ['running', 'failed'],
    ['completed', 'failed'],
    ['rejected', 'failed'],
    ['cancelled', 'failed'],
    // A23
  ])('of a job that is %s is %s, with the reason', (state, status) => {
    expect(resolve('retry', { job: job(state) })).toEqual({
      status,
      why: expect.stringContaining(`job 7 is ${state}`),
    })
  })

  it('of a stopped job is its resolution', () => {
    expect(resolve('retry', failed())).toMatchObject({
      status: 'changed',
      event: 'retried',
      next: { state: 'available', failures: 0 },
      close: { incident: true },
    })
    expect(resolve('retry', dead())).toMatchObject({
      status: 'changed',
      next: { state: 'available', failures: 0 },
      close: { deadLetter: true },
    })
    expect(resolve('retry', poisoned())).toMatchObject({
      status: 'changed',
      close: { incident: true, deadLetter: true },
    })
  })

  it('of a waiting job ends its wait and nothing else', () => {
    const waiting = job('waiting', { retries: 2 })
    expect(resolve('retry', { job: waiting })).toMatchObject({
      status: 'changed',
      next: {
        state: 'available',
        waitReason: null,
        runAt: now,
        retries: 2,
        retriesGiven: false,
        failures: 3,
        crashes: 2,
        deferrals: 4,
        deadlineAt: now + 60_000,
      },
      close: { incident: false, deadLetter: false },
      detail: { from: 'waiting' },
    })
    expect(resolve('retry', { job: { ...waiting, deadlineAt: now - 1 } })).toMatchObject({
      next: { deadlineAt: null },
    })
    expect(resolve('retry', { job: waiting }, { retries: 9 })).toMatchObject({
      next: { retries: 9, retriesGiven: true },
    })
  })
})

describe('dead letters', () => {
  // A22
  it('dlq retry takes a dead job and a poisoned one back, and closes what is open', () => {
    expect(resolve('dlq_retry', dead(), { retries: 2 })).toMatchObject({
      status: 'changed',
      event: 'dlq_retried',
      next: { state: 'available', retries: 2 },
    })
    expect(resolve('dlq_retry', poisoned())).toMatchObject({
      status: 'changed',
      close: { incident: true, deadLetter: true },
    })
  })

  it('dlq retry of a job without an open dead letter does nothing, and says what would', () => {
    expect(resolve('dlq_retry', { job: job('completed') })).toMatchObject({
      status: 'skipped',
      why: expect.stringContaining('already closed'),
    })
    expect(resolve('dlq_retry', failed())).toMatchObject({
      status: 'failed',
      why: expect.stringContaining('resolve the incident'),
    })
  })

  // A22
  it('discard ends the job for good', () => {
    expect(resolve('discard', dead())).toMatchObject({
      status: 'changed',
      event: 'discarded',
      next: { state: 'cancelled', finishedAt: now },
      close: { deadLetter: true },
    })
    expect(resolve('discard', poisoned())).toMatchObject({
      status: 'changed',
      close: { incident: true, deadLetter: true },
    })
  })

  it('discard needs an open dead letter', () => {
    expect(resolve('discard', failed())).toMatchObject({
      status: 'failed',
      why: expect.stringContaining('has no open dead letter'),
    })
    expect(resolve('discard', { job: job('cancelled') })).toMatchObject({ status: 'skipped' })
  })
})

describe('cancel', () => {
  it.each<[JobState, string]>([
    ['available', 'changed'],
    ['waiting', 'changed'],
    ['running', 'changed'],
    ['failed', 'changed'],
    ['dead', 'changed'],
    ['completed', 'failed'],
    ['rejected', 'failed'],
    ['cancelled', 'skipped'],
  ])('of a job that is %s is %s', (state, status) => {
    expect(resolve('cancel', { job: job(state) }).status).toBe(status)
  })

  // A24
  it('of a running job names the attempt that loses its lease', () => {
    expect(resolve('cancel', { job: job('running') })).toMatchObject({
      next: { state: 'cancelled', waitReason: null, finishedAt: now, failures: 3 },
      detail: { from: 'running', attempt: 3, workerId: 'w#1' },
    })
  })

  it('closes what is open', () => {
    expect(resolve('cancel', poisoned())).toMatchObject({
      event: 'cancelled',
      close: { incident: true, deadLetter: true },
    })
  })

  it.each<Partial<Resolution>>([
    { retries: 3 },
    { deadlineAt: now + 5 },
    { set: [{ path: 'amount', value: 1, add: false }] },
  ])('takes no %j', (more) => {
    expect(resolve('cancel', { job: job('available') }, more).status).toBe('failed')
  })
})

describe('changed variables', () => {
  // A21
  it('are given to the store, and recorded', () => {
    expect(resolve('resolve', failed(), { set: [{ path: 'amount', value: 10, add: false }] })).toMatchObject({
      status: 'changed',
      variables: '{"amount":10}',
      detail: { variables: [{ path: 'amount', before: 30, after: 10 }] },
    })
  })

  // A21
  it('a wrong path leaves the job as it is', () => {
    expect(resolve('resolve', failed(), { set: [{ path: 'amuont', value: 10, add: false }] })).toEqual({
      status: 'failed',
      why: 'the variables have no "amuont"; check the spelling, or give --add to create it',
    })
  })

  it('are not looked at when nothing changes them', () => {
    expect(resolve('resolve', { ...failed(), variables: '{unreadable' })).not.toHaveProperty('variables')
  })
})

it('a final state is final for every verb', () => {
  for (const verb of ['resolve', 'retry', 'dlq_retry', 'cancel', 'discard'] as const) {
    for (const state of ['completed', 'rejected', 'cancelled'] as const)
      expect(resolve(verb, { job: job(state) }).status, `${verb} ${state}`).not.toBe('changed')
  }
})

it('every answer that changes nothing says why in a sentence', () => {
  for (const verb of ['resolve', 'retry', 'dlq_retry', 'cancel', 'discard'] as const) {
    for (const state of jobStates) {
      const answer = resolve(verb, { job: job(state) })
      if (answer.status !== 'changed') expect(answer.why).toMatch(/^job 7 .{10,}/)
    }
  }
})
