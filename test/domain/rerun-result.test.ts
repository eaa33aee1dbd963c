import { describe, expect, it } from 'vitest'
import { decide } from '../../src/domain/decide.ts'
import { errorRecord } from '../../src/domain/error-record.ts'
import { fingerprint } from '../../src/domain/fingerprint.ts'
import type { Incident } from '../../src/domain/incident.ts'
import type { JobState } from '../../src/domain/job.ts'
import type { AttemptRecord } from '../../src/domain/outcome.ts'
import { verdictOf, type Watched } from '../../src/domain/rerun-result.ts'

const timeout = errorRecord(
  Object.assign(new Error('connect ETIMEDOUT 10.0.0.1:443'), { code: 'ETIMEDOUT', stack: null }),
)
const again = { ...timeout, message: 'connect ETIMEDOUT 10.0.0.99:443' }
const other = errorRecord(Object.assign(new Error('no such order'), { stack: null }))
const watched: Watched = {
  jobKey: 1,
  type: 'mail',
  kind: 'job_no_retries',
  fingerprint: fingerprint('mail', timeout),
  attempt: 3,
}

type Attempt = Pick<AttemptRecord, 'attempt' | 'outcome' | 'error'>
const incident = (error: typeof timeout) =>
  ({ error, fingerprint: fingerprint('mail', error), resolvedAt: null }) as Incident
const facts = (state: JobState, attempts: readonly Attempt[] = [], incidents: readonly Incident[] = []) => ({
  job: { state, type: 'mail' },
  attempts,
  incidents,
})
const failed = (attempt: number, error = again, outcome: Attempt['outcome'] = 'fail'): Attempt => ({
  attempt,
  outcome,
  error,
})

describe('what became of a job that was sent to work again', () => {
  const same = { status: 'failed', isSameCause: true, fingerprint: watched.fingerprint, error: again }
  const table: readonly (readonly [
    words: string,
    facts: Parameters<typeof verdictOf>[1],
    verdict: unknown,
  ])[] = [
    ['completed', facts('completed'), { status: 'completed' }],
    ['completed after it failed once more', facts('completed', [failed(4)]), { status: 'completed' }],
    [
      'refused as its handler declares',
      facts('rejected', [failed(4, other, 'business_error')]),
      { status: 'rejected' },
    ],
    ['cancelled by somebody', facts('cancelled'), { status: 'gone' }],
    ['not kept any more', null, { status: 'gone' }],
    ['still to start; what failed before does not count', facts('available', [failed(3)]), null],
    ['at work', facts('running'), null],
    ['failed with the same cause, and waits to be tried again', facts('waiting', [failed(4)]), same],
    ['failed with the same cause, and runs again already', facts('running', [failed(4)]), same],
    ['failed with another cause, and waits to be tried again', facts('waiting', [failed(4, other)]), null],
    ['put off', facts('waiting', [failed(4, other, 'defer')]), null],
    ['given back by a shutdown', facts('available', [failed(4, other, 'interrupted')]), null],
    ['lost with its worker', facts('available', [failed(4, other, 'lost')]), null],
    ['stopped by the same cause', facts('failed', [failed(4)], [incident(again)]), same],
    [
      'stopped without an attempt',
      facts('failed', [], [incident(other)]),
      { status: 'failed', isSameCause: false },
    ],
    [
      'stopped by another cause',
      facts('failed', [failed(4, other)], [incident(other)]),
      { status: 'failed', isSameCause: false, error: other },
    ],
    [
      'set aside for another cause',
      facts('dead', [failed(4, other)]),
      { status: 'failed', isSameCause: false, error: other },
    ],
    ['set aside, and nobody knows why', facts('dead'), { status: 'failed', isSameCause: false, error: null }],
  ]
  it.each(table)('%s', (_, known, verdict) => {
    const found = verdictOf(watched, known)
    if (verdict === null) expect(found).toBeNull()
    else expect(found).toMatchObject(verdict as object)
  })

  it('is the same cause at the first loss, where it stopped because it was lost again and again', () => {
    const looping = { ...watched, kind: 'crash_loop' as const }
    expect(verdictOf(looping, facts('available', [failed(4, other, 'lost')]))).toMatchObject({
      status: 'failed',
      isSameCause: true,
    })
  })

  it('knows the cause that a settlement gave its incident', () => {
    const job = {
      key: 1,
      type: 'mail',
      attempt: 4,
      workerId: 'w',
      retries: 1,
      failures: 0,
      crashes: 0,
      deadlineAt: null,
      startedAt: 1,
    }
    const settlement = decide({
      job: job as Parameters<typeof decide>[0]['job'],
      outcome: { kind: 'fail', error: again, category: 'error' },
      policy: {
        retries: 1,
        backoff: { strategy: 'fixed', delayMs: 0, maxMs: 0, jitter: 0 },
        onExhausted: 'incident',
      },
      ...{ children: [], now: 5, random: () => 0 },
    })
    expect(settlement.incident?.fingerprint).toBe(watched.fingerprint)
    expect(verdictOf(watched, facts('failed', settlement.attempt ? [settlement.attempt] : []))).toMatchObject(
      same,
    )
  })
})
