/** Properties of a job's life, whatever happens to it: random outcomes and resolutions, in any order. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/domain/outcome.ts'
import { finalStates, type Job } from '../../src/domain/job.ts'
import type { Resolution } from '../../src/domain/resolution.ts'
import { resolveJob } from '../../src/domain/resolve-job.ts'
import type { Incident } from '../../src/domain/incident.ts'
import type { DeadLetter } from '../../src/domain/dead-letter.ts'
import { boom, child, claimed, fail, judge, now, runningJob, settled, steady } from './builders.ts'

const anyNumber = fc.oneof(
  fc.integer({ min: now - 1e6, max: now + 1e6 }),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, 0, 1e300),
)

const outcomes = fc.oneof<fc.Arbitrary<Outcome>[]>(
  fc.constant({ kind: 'success', result: '1' }),
  fc.record({
    kind: fc.constant('fail' as const),
    error: fc.constant(boom),
    category: fc.constantFrom('error' as const, 'timeout' as const, 'hung' as const),
  }),
  fc.record({
    kind: fc.constant('fail' as const),
    error: fc.constant(boom),
    category: fc.constant('error' as const),
    delayMs: anyNumber,
  }),
  fc.record({
    kind: fc.constant('defer' as const),
    until: anyNumber,
    reason: fc.string(),
    by: fc.constantFrom('handler' as const, 'breaker' as const, 'bulkhead' as const, 'pause' as const),
  }),
  fc.record({
    kind: fc.constant('incident' as const),
    incident: fc.constantFrom('raised' as const, 'non_retryable' as const),
    error: fc.constant(boom),
  }),
  fc.constant({ kind: 'poison', error: boom }),
  fc.record({
    kind: fc.constant('business_error' as const),
    code: fc.string(),
    message: fc.string(),
    declared: fc.boolean(),
    error: fc.constant(boom),
  }),
  fc.constant({ kind: 'interrupted', reason: 'shutdown' }),
  fc.record({
    kind: fc.constant('lost' as const),
    reason: fc.constantFrom('lease_expired' as const, 'worker_died' as const),
    detail: fc.string(),
  }),
  fc.constant({ kind: 'result_invalid', error: boom }),
)

const policies = fc
  .record({ onExhausted: fc.constantFrom('incident' as const, 'dead-letter' as const) })
  .map((change) => ({ ...steady, ...change }))
const jobs = fc
  .record({
    retries: fc.integer({ min: 0, max: 5 }),
    failures: fc.nat(5),
    crashes: fc.nat(3),
    deferrals: fc.nat(50_000),
    deferringSince: fc.option(fc.integer({ min: now - 2e8, max: now })),
    deadlineAt: fc.option(fc.integer({ min: now - 5_000, max: now + 5_000 })),
    attempt: fc.integer({ min: 1, max: 1_000 }),
  })
  .map(runningJob)

describe('one outcome', () => {
  it('leaves the job in exactly one state, with what belongs to it and nothing else', () => {
    fc.assert(
      fc.property(
        jobs,
        outcomes,
        policies,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (job, outcome, policy, r) => {
          const { next, incident, deadLetter, attempt, result, fence } = judge(job, outcome, {
            policy,
            random: () => r,
          })
          expect(next.state === 'failed').toBe(incident !== null)
          expect(next.state === 'dead').toBe(deadLetter !== null && incident === null)
          expect(deadLetter?.reason === 'poison').toBe(incident?.kind === 'poison_message')
          expect(next.state === 'waiting').toBe(next.waitReason !== null)
          expect(next.finishedAt !== null).toBe(next.state === 'completed' || next.state === 'rejected')
          expect(attempt === null).toBe(outcome.kind === 'success')
          expect(result === null).toBe(next.state !== 'completed')
          expect(fence.attempt).toBe(job.attempt)
          for (const value of [next.runAt, next.retries, next.failures, next.crashes, next.deferrals])
            expect(Number.isSafeInteger(value)).toBe(true)
          if (next.state === 'waiting') expect(next.runAt).toBeGreaterThan(now)
          if (next.state === 'available') expect(next.runAt).toBe(now)
          if (job.deadlineAt !== null && (next.state === 'waiting' || next.state === 'available'))
            expect(next.runAt).toBeLessThanOrEqual(job.deadlineAt)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('never makes retries negative, and only a failure spends one', () => {
    fc.assert(
      fc.property(jobs, outcomes, policies, (job, outcome, policy) => {
        const { next } = judge(job, outcome, { policy })
        expect(next.retries).toBe(outcome.kind === 'fail' ? Math.max(0, job.retries - 1) : job.retries)
        expect(next.failures).toBe(job.failures + (outcome.kind === 'fail' ? 1 : 0))
      }),
      { numRuns: 1_000 },
    )
  })

  it('gives each child to at most one kind of end', () => {
    fc.assert(
      fc.property(jobs, outcomes, policies, (job, outcome, policy) => {
        const { children, next } = judge(job, outcome, {
          policy,
          children: [child('success'), child('stopped')],
        })
        const created = children.map(({ type }) => type)
        if (next.state === 'completed') expect(created).toEqual(['success'])
        else expect(created).toEqual(['failed', 'dead', 'rejected'].includes(next.state) ? ['stopped'] : [])
      }),
    )
  })

  it('is decided the same way every time', () => {
    fc.assert(
      fc.property(jobs, outcomes, policies, (job, outcome, policy) => {
        expect(judge(Object.freeze(job), outcome, { policy })).toEqual(judge(job, outcome, { policy }))
      }),
    )
  })
})

interface Life {
  job: Job
  incident: Incident | null
  deadLetter: DeadLetter | null
}

type Step =
  | { does: 'attempt'; outcome: Outcome }
  | { does: 'resolve'; verb: Resolution['verb']; retries: number | undefined }

/** Mostly failures: a life that completes at once teaches little. */
const attempts: fc.Arbitrary<Step> = fc
  .oneof({ weight: 4, arbitrary: fc.constant(fail) }, { weight: 3, arbitrary: outcomes })
  .map((outcome) => ({ does: 'attempt', outcome }))
const resolutions: fc.Arbitrary<Step> = fc.record({
  does: fc.constant('resolve' as const),
  verb: fc.constantFrom<Resolution['verb'][]>('resolve', 'retry', 'dlq_retry', 'cancel', 'discard'),
  retries: fc.option(fc.integer({ min: -1, max: 5 }), { nil: undefined }),
})
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: attempts }, { weight: 1, arbitrary: resolutions }), {
  maxLength: 40,
})

function attempted(life: Life, outcome: Outcome, onExhausted: 'incident' | 'dead-letter'): Life {
  if (life.job.state !== 'available' && life.job.state !== 'waiting') return life
  const running = claimed(life.job, now)
  const settlement = judge(running, outcome, { policy: { ...steady, onExhausted } })
  return {
    job: settled(running, settlement),
    incident: settlement.incident && ({ ...settlement.incident, jobKey: running.key } as Incident),
    deadLetter:
      settlement.deadLetter && ({ ...settlement.deadLetter, jobKey: running.key } as unknown as DeadLetter),
  }
}

function resolved(life: Life, { verb, retries }: Extract<Step, { does: 'resolve' }>): Life {
  const resolution: Resolution = {
    jobKey: life.job.key,
    verb,
    who: 'x',
    reason: null,
    ...(retries === undefined ? {} : { retries }),
  }
  const answer = resolveJob({
    job: life.job,
    openIncident: life.incident,
    openDeadLetter: life.deadLetter,
    variables: '{}',
    resolution,
    now,
  })
  if (answer.status !== 'changed') return life
  return {
    job: { ...life.job, ...answer.next, workerId: null, runUntil: null },
    incident: answer.close.incident ? null : life.incident,
    deadLetter: answer.close.deadLetter ? null : life.deadLetter,
  }
}

describe('a whole life', () => {
  it('failed has one open incident, dead an open dead letter; retries never below 0; attempt never shrinks; an end is an end', () => {
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('incident' as const, 'dead-letter' as const),
        (taken, onExhausted) => {
          let life: Life = {
            job: runningJob({ state: 'available', workerId: null, runUntil: null, attempt: 0 }),
            incident: null,
            deadLetter: null,
          }
          for (const step of taken) {
            const before = life
            life = step.does === 'attempt' ? attempted(life, step.outcome, onExhausted) : resolved(life, step)
            expect(life.job.state === 'failed').toBe(life.incident !== null)
            if (life.job.state === 'dead') expect(life.deadLetter).not.toBeNull()
            if (life.deadLetter) expect(['failed', 'dead']).toContain(life.job.state)
            expect(life.job.retries).toBeGreaterThanOrEqual(0)
            expect(life.job.attempt).toBeGreaterThanOrEqual(before.job.attempt)
            if (life.job.state === 'available') expect(life.job.retries).toBeGreaterThan(0)
            if (finalStates.includes(before.job.state)) expect(life).toBe(before)
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
