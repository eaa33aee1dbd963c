import { describe, expect, it } from 'vitest'
import type { Job } from '../../src/domain/job.ts'
import type { JobChangeImage, PauseImage } from '../../src/domain/operation.ts'
import { operationState, type Operation } from '../../src/domain/operation.ts'
import {
  jobImage,
  undoBreaker,
  undoJob,
  undoPause,
  variablesHash,
  type JobNow,
} from '../../src/domain/undo.ts'
import { runningJob } from './builders.ts'

const before = runningJob({
  key: 7,
  state: 'failed',
  attempt: 3,
  retries: 0,
  failures: 3,
  crashes: 1,
  workerId: null,
  runUntil: null,
  priority: 0,
})
const after: Job = {
  ...before,
  state: 'available',
  retries: 3,
  retriesGiven: true,
  failures: 0,
  crashes: 0,
  runAt: 500,
}

const image: JobChangeImage = {
  ...{
    of: 'job',
    attempt: 3,
    before: jobImage(before),
    after: jobImage(after),
    incident: 41,
    deadLetterAt: 90,
  },
  variables: { before: '{"a":1}', afterHash: variablesHash('{"a":2}') },
}

const now: JobNow = { job: after, variables: '{"a":2}', incidentThere: true, deadLetterThere: true }

const changed = (job: Partial<Job>): Partial<JobNow> => ({ job: { ...after, ...job } })

const refusals: readonly [string, Partial<JobNow>, string][] = [
  [
    'an attempt runs',
    changed({ state: 'running', attempt: 4 }),
    'attempt 4 of job 7 has started since (it is running)',
  ],
  [
    'an attempt has completed it',
    changed({ state: 'completed', attempt: 4 }),
    'attempt 4 of job 7 has started since (it is completed)',
  ],
  [
    'an attempt has failed and it stopped again',
    changed({ state: 'failed', attempt: 4 }),
    'attempt 4 of job 7 has started since (it is failed)',
  ],
  [
    'somebody has cancelled it',
    changed({ state: 'cancelled' }),
    'job 7 was left available, and is cancelled now',
  ],
  ['its deadline stopped it', changed({ state: 'failed' }), 'job 7 was left available, and is failed now'],
  [
    'somebody has given it other retries',
    changed({ retries: 9 }),
    'job 7 was changed since: its retries is 9, and was left 3',
  ],
  [
    'somebody has given it another priority',
    changed({ priority: 5 }),
    'job 7 was changed since: its priority is 5, and was left 0',
  ],
  ['its variables are others', { variables: '{"a":3}' }, 'the variables of job 7 were changed since'],
  ['its incident is gone', { incidentThere: false }, 'the incident of job 7 is not kept any more'],
  ['its dead letter is gone', { deadLetterThere: false }, 'the dead letter of job 7 is not kept any more'],
]

describe('undoing a change of a job', () => {
  it('restores all that the change touched', () => {
    expect(undoJob(7, image, now)).toEqual({
      ...{ status: 'changed', next: jobImage(before), variables: '{"a":1}', why: '', partly: false },
      reopen: { incident: 41, deadLetter: true },
    })
  })

  it('leaves variables, incident and dead letter alone where the change did', () => {
    const { variables: _, ...plain } = { ...image, incident: null, deadLetterAt: null }
    const restored = undoJob(7, plain, {
      job: after,
      variables: '',
      incidentThere: false,
      deadLetterThere: false,
    })
    expect(restored).toEqual({
      status: 'changed',
      next: jobImage(before),
      why: '',
      partly: false,
      reopen: { incident: null, deadLetter: false },
    })
  })

  it('names the steps that stay forgotten, and puts the effects back in their epoch', () => {
    const restored = undoJob(7, { ...image, newEffects: { forgotten: ['charge', 'mail'], epoch: 0 } }, now)
    expect(restored).toMatchObject({ status: 'changed', effectsEpoch: 0, partly: true })
    expect(restored.why).toBe('job 7 is as it was, but its forgotten steps do not come back: charge, mail')
  })

  it.each(refusals)('refuses when %s', (_, over, why) => {
    expect(undoJob(7, image, { ...now, ...over })).toEqual({ status: 'failed', why })
  })

  it('takes no notice of a job that became due meanwhile', () => {
    const waiting: Job = { ...after, state: 'waiting', waitReason: 'delay', priority: 9 }
    const { variables: _, ...updated } = {
      ...image,
      after: jobImage(waiting),
      incident: null,
      deadLetterAt: null,
    }
    const due: Job = { ...waiting, state: 'available', waitReason: null }
    expect(undoJob(7, updated, { ...now, job: due })).toMatchObject({
      status: 'changed',
      next: jobImage(before),
    })
    expect(undoJob(7, updated, { ...now, job: { ...due, runAt: 9 } })).toMatchObject({ status: 'failed' })
  })

  it('knows no job that was pruned', () => {
    expect(undoJob(7, image, { ...now, job: null })).toMatchObject({
      status: 'not_found',
      why: 'job 7 is not kept any more',
    })
  })
})

describe('undoing a pause', () => {
  const none: PauseImage = {
    pausedAt: null,
    pausedBy: null,
    pauseReason: null,
    pausedUntil: null,
    badStreak: 0,
  }
  const paused: PauseImage = { ...none, pausedAt: 10, pausedBy: 'ada', pauseReason: 'down' }

  it('restores what was there, in both directions', () => {
    expect(undoPause('mail', { of: 'type', before: none, after: paused }, paused)).toEqual({
      status: 'changed',
      next: none,
    })
    expect(
      undoPause('mail', { of: 'type', before: { ...paused, badStreak: 20 }, after: none }, none),
    ).toMatchObject({ next: { badStreak: 20 } })
  })

  it('goes on where only the row of stops has grown since', () => {
    expect(
      undoPause('mail', { of: 'type', before: paused, after: none }, { ...none, badStreak: 3 }),
    ).toMatchObject({ status: 'changed' })
  })

  it.each([
    ['resumed', none, 'the type mail was changed since: it is not paused now'],
    [
      'paused by another',
      { ...paused, pausedBy: 'wf' },
      'the type mail was changed since: it is paused by wf now',
    ],
    [
      'paused to another end',
      { ...paused, pausedUntil: 99 },
      'the type mail was changed since: it is paused by ada now',
    ],
  ])('refuses when it was %s since', (_, state, why) => {
    expect(undoPause('mail', { of: 'type', before: none, after: paused }, state)).toEqual({
      status: 'failed',
      why,
    })
  })

  it('knows no type that is gone', () => {
    expect(undoPause('mail', { of: 'type', before: none, after: paused }, null)).toMatchObject({
      status: 'not_found',
    })
  })
})

describe('undoing a change of a breaker', () => {
  const image = { of: 'breaker' as const, before: null, generation: 4 }
  it.each([
    [4, null],
    [5, { status: 'failed', why: 'the breaker stripe has turned since' }],
    [null, { status: 'not_found', why: 'there is no breaker stripe any more' }],
  ])('at generation %s answers %o', (generation, expected) => {
    expect(undoBreaker('stripe', image, generation)).toEqual(expected)
  })
})

describe('the state of an operation', () => {
  const operation: Operation = {
    ...{
      id: 1,
      verb: 'resolve',
      who: 'ada',
      selector: '',
      reason: null,
      flags: {},
      at: 0,
      undoes: null,
      undoneBy: null,
      undone: 0,
    },
    ...{ matched: 3, changed: 1, skipped: 1, failed: 0, touchedAt: 1_000, finishedAt: null },
  }
  it.each([
    ['at work', {}, 60_999],
    ['interrupted', {}, 61_000],
    ['interrupted', { finishedAt: 1_000 }, 1_000],
    ['done', { finishedAt: 1_000, failed: 1 }, 1_000],
  ] as const)('is %s with %o at %i', (state, over, at) => {
    expect(operationState({ ...operation, ...over }, at)).toBe(state)
  })
})
