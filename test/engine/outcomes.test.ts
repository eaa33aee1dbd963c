import { describe, expect, it } from 'vitest'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { newJob } from '../../src/domain/new-job.ts'
import type { Policy } from '../../src/domain/outcome.ts'
import { outcomes, plainPolicy, testEngine, type TestEngine } from '../support/test-engine.ts'

const hour = 3_600_000

async function only(jobs: Promise<readonly ClaimedJob[]>): Promise<ClaimedJob> {
  const [job, ...others] = await jobs
  expect(others).toEqual([])
  if (!job) throw new Error('nothing was claimed')
  return job
}

/** Lets the job fail as often as it starts and answers the ms that it waited before each start. */
async function waitsOf(t: TestEngine, key: number, policy: Policy): Promise<number[]> {
  const waits: number[] = []
  for (let guard = 0; guard < 50; guard++) {
    const { job } = await t.detail(key)
    if (job.state !== 'available' && job.state !== 'waiting') return waits
    waits.push(job.runAt - t.clock.now())
    if (job.runAt > t.clock.now()) {
      await t.clock.advance(job.runAt - t.clock.now() - 1)
      expect(await t.claim()).toEqual([])
      await t.clock.advance(1)
    }
    await t.settle(await only(t.claim()), outcomes.fail(), { policy })
  }
  throw new Error('the job never stopped')
}

const withBackoff = (backoff: Policy['backoff']): Policy => ({ ...plainPolicy, backoff })

describe('what becomes of a job', () => {
  // A09
  it('with 3 retries and a doubling second it waits 1 s and 2 s, then stops as an incident', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 3 })
    expect(await waitsOf(t, key, plainPolicy)).toEqual([0, 1_000, 2_000])
    const { job, incidents } = await t.detail(key)
    expect(job).toMatchObject({ state: 'failed', retries: 0, attempt: 3, failures: 3 })
    expect(incidents).toMatchObject([{ kind: 'job_no_retries', attempt: 3, resolvedAt: null }])
  })

  // A10
  it('quadratic seconds, a list whose last value repeats, and a delay of 0 that is due at once', async () => {
    const t = await testEngine()
    const quadratic = withBackoff({ strategy: 'quadratic', baseMs: 1_000, maxMs: 300_000, jitter: 0 })
    expect(await waitsOf(t, await t.add({ retries: 3 }), quadratic)).toEqual([0, 1_000, 4_000])
    const list = withBackoff({ strategy: 'list', delaysMs: [5_000, 30_000], maxMs: 300_000, jitter: 0 })
    expect(await waitsOf(t, await t.add({ retries: 4 }), list)).toEqual([0, 5_000, 30_000, 30_000])
    const none = withBackoff({ strategy: 'fixed', delayMs: 0, maxMs: 0, jitter: 0 })
    const key = await t.add({ retries: 2 })
    await t.settle(await only(t.claim()), outcomes.fail(), { policy: none })
    expect((await t.detail(key)).job).toMatchObject({ state: 'available', waitReason: null })
  })

  // A11
  it('after a resolution every counter starts at 0 and the deadline is gone', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 2, deadline: '1h' })
    await t.settle(await only(t.claim()), outcomes.defer(t.clock.now() + 1_000))
    await t.clock.advance(1_000)
    await t.settle(await only(t.claim()), outcomes.lost())
    await t.settle(await only(t.claim()), outcomes.fail())
    await t.clock.advance(1_000)
    await t.settle(await only(t.claim()), outcomes.fail())
    expect((await t.detail(key)).job).toMatchObject({ state: 'failed', failures: 2, deferrals: 1 })
    await t.engine.resolve([{ jobKey: key, verb: 'resolve', who: 'ann', reason: null }])
    expect((await t.detail(key)).job).toMatchObject({
      state: 'available',
      failures: 0,
      crashes: 0,
      deferrals: 0,
      deadlineAt: null,
      retries: 2,
    })
  })

  // A11
  it('two seeds spread the same failures differently, each within a fifth', async () => {
    const waits = await Promise.all(
      [1, 2].map(async (seed) => {
        const t = await testEngine({ seed })
        const spread = withBackoff({ strategy: 'fixed', delayMs: 10_000, maxMs: 300_000, jitter: 0.2 })
        return waitsOf(t, await t.add({ retries: 8 }), spread)
      }),
    )
    for (const wait of waits.flatMap(([, ...rest]) => rest))
      expect(Math.abs(wait - 10_000)).toBeLessThanOrEqual(2_000)
    expect(waits[0]).not.toEqual(waits[1])
  })

  // A12
  it('deferring ten times costs no retry; 24 hours of it in a row stop the job', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 3 })
    for (let round = 0; round < 10; round++) {
      await t.settle(await only(t.claim()), outcomes.defer(t.clock.now() + 2.5 * hour))
      await t.clock.advance(2.5 * hour)
      if (round === 8)
        expect((await t.detail(key)).job).toMatchObject({ state: 'waiting', retries: 3, deferrals: 9 })
    }
    expect((await t.detail(key)).job).toMatchObject({ retries: 3, deferrals: 10 })
    await t.settle(await only(t.claim()), outcomes.defer(t.clock.now() + 1))
    const { job, incidents } = await t.detail(key)
    expect(job).toMatchObject({ state: 'failed', retries: 3 })
    expect(incidents).toMatchObject([{ kind: 'deferred_too_long' }])
  })

  // A12
  it('a job that would come back after its deadline stops at once', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 3, deadline: '500ms' })
    await t.settle(await only(t.claim()), outcomes.fail())
    const { job, incidents } = await t.detail(key)
    expect(job).toMatchObject({ state: 'failed', retries: 2 })
    expect(incidents).toMatchObject([{ kind: 'deadline_exceeded' }])
  })

  // A15
  it('a type that sets exhausted jobs aside gets a dead letter and no incident', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 1 })
    await t.settle(await only(t.claim()), outcomes.fail('gone'), {
      policy: { ...plainPolicy, onExhausted: 'dead-letter' },
    })
    const { job, incidents, deadLetter } = await t.detail(key)
    expect(job.state).toBe('dead')
    expect(incidents).toEqual([])
    expect(deadLetter).toMatchObject({ reason: 'exhausted', errorMessage: 'gone', count: 1, closedAt: null })
  })

  // A18
  it('children exist with the settlement that they are meant for, or not at all', async () => {
    const t = await testEngine()
    const child = (type: string, when: 'success' | 'stopped') => ({
      ...newJob({ type }, t.clock.now()),
      when,
    })
    const children = [child('thank', 'success'), child('undo', 'stopped')]
    const childrenAfter = async (outcome: Parameters<TestEngine['settle']>[1], retries = 3) => {
      const key = await t.add({ retries })
      await t.settle(await only(t.claim()), outcome, { children })
      const detail = await t.detail(key)
      return Promise.all(detail.children.map(async (childKey) => (await t.detail(childKey)).job.type))
    }
    expect(await childrenAfter(outcomes.success())).toEqual(['thank'])
    expect(await childrenAfter(outcomes.raised())).toEqual(['undo'])
    expect(await childrenAfter(outcomes.business('NO'))).toEqual(['undo'])
    expect(await childrenAfter(outcomes.fail(), 1)).toEqual(['undo'])
    expect(await childrenAfter(outcomes.defer(t.clock.now() + hour))).toEqual([])
    expect(await childrenAfter(outcomes.fail())).toEqual([])
  })

  // A18
  it('a stale report brings no child', async () => {
    const t = await testEngine()
    await t.add()
    const job = await only(t.claim())
    await t.settle(job, outcomes.lost())
    expect(
      await t.settle(job, outcomes.success(), {
        children: [{ ...newJob({ type: 'thank' }, t.clock.now()), when: 'success' }],
      }),
    ).toBe('stale')
    expect((await t.detail(job.key)).children).toEqual([])
  })

  // B025
  it('a job deferred 2,000 times by a breaker keeps its retries and then still fails three times', async () => {
    const t = await testEngine()
    const key = await t.add({ retries: 3 })
    for (let round = 0; round < 2_000; round++) {
      const job = await only(t.claim())
      await t.settle(job, { kind: 'defer', until: t.clock.now() + 60_000, reason: 'open', by: 'breaker' })
      t.clock.block(60_000)
    }
    expect((await t.detail(key)).job).toMatchObject({ retries: 3, deferrals: 2_000, attempt: 2_000 })
    expect(await waitsOf(t, key, plainPolicy)).toEqual([0, 1_000, 2_000])
  })
})
