import { describe, expect, it } from 'vitest'
import type { Job, JobState } from '../../src/domain/job.ts'
import { resolveJob } from '../../src/domain/resolve-job.ts'
import type { Resolution } from '../../src/domain/resolution.ts'

const now = 1_800_000_000_000
const waiting: Job = {
  ...{
    key: 17,
    type: 'mail',
    state: 'waiting',
    waitReason: 'backoff',
    priority: 0,
    runAt: now + 60_000,
    retries: 2,
    retriesGiven: false,
  },
  ...{
    enqueuedRetries: 3,
    attempt: 1,
    failures: 1,
    crashes: 0,
    deferrals: 2,
    deferringSince: null,
    workerId: null,
    startedAt: now - 5_000,
  },
  ...{ runUntil: null, deadlineAt: null, createdAt: now - 60_000, finishedAt: null, parentKey: null },
}
const due: Job = { ...waiting, state: 'available', waitReason: null, runAt: now - 30_000 }

function update(job: Job, change: Partial<Resolution>) {
  const resolution: Resolution = { jobKey: 17, verb: 'update', who: 'ann', reason: null, ...change }
  return resolveJob({ job, openIncident: null, openDeadLetter: null, variables: '', resolution, now })
}

describe('an update of a job that waits', () => {
  it('changes executions, rank and time, closes nothing, and keeps what was counted', () => {
    expect(update(waiting, { retries: 9, priority: 5, runAt: now + 1_000 })).toEqual({
      status: 'changed',
      close: { incident: false, deadLetter: false },
      event: 'updated',
      next: {
        ...{
          state: 'waiting',
          waitReason: 'backoff',
          priority: 5,
          runAt: now + 1_000,
          retries: 9,
          retriesGiven: true,
        },
        ...{
          failures: 1,
          crashes: 0,
          deferrals: 2,
          deferringSince: null,
          deadlineAt: null,
          finishedAt: null,
        },
      },
      detail: {
        from: 'waiting',
        retries: { before: 2, after: 9 },
        priority: { before: 0, after: 5 },
        runAt: { before: now + 60_000, after: now + 1_000 },
      },
    })
  })

  it.each<[string, Job, number, object]>([
    [
      'a time to come makes a due job wait',
      due,
      now + 1,
      { state: 'waiting', waitReason: 'delay', runAt: now + 1 },
    ],
    [
      'a time that has come makes a waiting job due',
      waiting,
      now,
      { state: 'available', waitReason: null, runAt: now },
    ],
    [
      'a time that has passed does not let it jump the queue',
      waiting,
      now - 1e9,
      { state: 'available', waitReason: null, runAt: now },
    ],
    [
      'what waits keeps the reason for it',
      waiting,
      now + 1,
      { state: 'waiting', waitReason: 'backoff', runAt: now + 1 },
    ],
  ])('%s', (_, job, runAt, next) => {
    expect(update(job, { runAt })).toMatchObject({ status: 'changed', next })
  })

  it('leaves the time alone where none was given', () => {
    expect(update(due, { priority: 1 })).toMatchObject({
      status: 'changed',
      next: { state: 'available', runAt: due.runAt, retries: 2, retriesGiven: false },
    })
  })

  it.each<[string, Job, Partial<Resolution>]>([
    ['the same values', waiting, { retries: 2, priority: 0, runAt: waiting.runAt }],
    ['due now what is due', due, { runAt: now }],
  ])('is nothing to do for %s', (_, job, change) => {
    expect(update(job, change)).toEqual({ status: 'skipped', why: 'job 17 is like that already' })
  })
})

describe('an update that is refused', () => {
  it.each<[JobState, string]>([
    ['running', 'the end of its attempt decides'],
    ['failed', 'incidents resolve runs it again'],
    ['dead', 'dlq retry runs it again'],
    ['completed', 'which is final'],
    ['rejected', 'which is final'],
    ['cancelled', 'which is final'],
  ])('says so of a job that is %s', (state, why) => {
    expect(update({ ...waiting, state }, { retries: 5 })).toEqual({
      status: 'failed',
      why: expect.stringContaining(why),
    })
  })

  it.each<[string, Partial<Resolution>, string]>([
    ['nothing', {}, 'nothing to change was given'],
    ['no executions', { retries: 0 }, 'retries is 0'],
    ['too many', { retries: 1_001 }, 'retries is 1001'],
    ['half a rank', { priority: 0.5 }, 'the priority is 0.5'],
    ['a rank beyond all', { priority: 1_000_001 }, 'the priority is 1000001'],
    ['no instant', { runAt: Number.NaN }, 'the time NaN'],
    ['variables', { set: [] }, 'a retry changes the rest'],
    ['new effects', { newEffects: true, retries: 1 }, 'a retry changes the rest'],
  ])('names what is wrong with %s', (_, change, why) => {
    expect(update(waiting, change)).toEqual({ status: 'failed', why: expect.stringContaining(why) })
  })

  it('does not put the start behind the deadline', () => {
    const job = { ...waiting, deadlineAt: now + 90_000 }
    expect(update(job, { runAt: now + 90_001 })).toEqual({
      status: 'failed',
      why: expect.stringContaining('comes before that time'),
    })
    expect(update(job, { runAt: now + 90_000 })).toMatchObject({ status: 'changed' })
  })

  it('is the only verb that takes a rank or a time', () => {
    for (const verb of ['resolve', 'retry', 'dlq_retry', 'cancel', 'discard'] as const)
      expect(update(waiting, { verb, priority: 1 })).toEqual({
        status: 'failed',
        why: expect.stringContaining('update changes them'),
      })
  })
})
