import { describe, expect, it } from 'vitest'
import { newJob } from '../../../src/domain/new-job.ts'
import type { ChildJob } from '../../../src/domain/job.ts'
import type { Outcome } from '../../../src/domain/outcome.ts'
import { exhaustedToDeadLetter, outcomes } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

const child = (when: ChildJob['when'], now: number, idempotencyKey?: string, variables = {}): ChildJob => ({
  ...newJob({ type: 'child', variables, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }, now),
  when,
})

export function settlementRules(stage: Stage): void {
  describe('a settlement', () => {
    // A07
    it('settling twice with the same attempt changes nothing the second time', async () => {
      const { add, claimOne, settle, clock, expectState } = await stage()
      const key = await add()
      const job = await claimOne()
      expect(await settle(job, outcomes.success({ n: 1 }))).toBe('applied')
      const before = await expectState(key, 'completed')
      await clock.advance(5)
      expect(await settle(job, outcomes.success({ n: 2 }))).toBe('stale')
      expect(await settle(job, outcomes.fail())).toBe('stale')
      const after = await expectState(key, 'completed')
      expect({ ...after, attempts: [] }).toEqual({ ...before, attempts: [] })
      expect(after.attempts.map(({ outcome }) => outcome)).toEqual(['success', 'stale'])
    })

    // A07
    it('applies one of two settlements of one attempt in the same exchange', async () => {
      const { add, claimOne, settlement, store, now, expectState } = await stage()
      const key = await add()
      const job = await claimOne()
      const hand = { settlements: [settlement(job, outcomes.fail(0)), settlement(job, outcomes.success())] }
      expect((await store.exchange(hand, now())).settled).toEqual(['applied', 'stale'])
      expect((await expectState(key, 'available')).job).toMatchObject({ failures: 1, retries: 2 })
    })

    it('is stale for another worker, another attempt, a job that is not there', async () => {
      const { add, claimOne, settle, expectState } = await stage()
      const key = await add()
      const job = await claimOne()
      for (const wrong of [{ workerId: 'w#2' }, { attempt: 0 }, { key: 999 }])
        expect(await settle({ ...job, ...wrong }, outcomes.success())).toBe('stale')
      await expectState(key, 'running')
    })

    const ends: readonly [string, () => Outcome, Record<string, unknown>][] = [
      ['success', outcomes.success, { state: 'completed' }],
      [
        'failure',
        () => outcomes.fail(50),
        { state: 'waiting', waitReason: 'backoff', failures: 1, retries: 2 },
      ],
      ['interruption', outcomes.interrupted, { state: 'available', failures: 0, retries: 3 }],
      ['raised incident', outcomes.raised, { state: 'failed', retries: 3 }],
      ['poison', () => outcomes.poison(), { state: 'failed', retries: 3 }],
      ['declared business error', () => outcomes.business(true), { state: 'rejected' }],
      ['undeclared business error', () => outcomes.business(false), { state: 'failed' }],
      ['result that cannot be stored', outcomes.badResult, { state: 'failed' }],
      ['loss', outcomes.lost, { state: 'available', crashes: 1 }],
    ]
    it.each(ends)(
      'applies a %s as it was decided, and every rule still holds',
      async (_name, outcome, expected) => {
        const { add, claimOne, settle, detail, faults, now } = await stage()
        const key = await add()
        expect(await settle(await claimOne(), outcome())).toBe('applied')
        const { job } = await detail(key)
        expect(job).toMatchObject({ ...expected, attempt: 1, workerId: null, runUntil: null })
        expect(job.finishedAt).toBe(['completed', 'rejected'].includes(job.state) ? now() : null)
        expect(faults()).toEqual([])
      },
    )

    it('keeps one row for an attempt that did not succeed, with its error, and shows the one that did', async () => {
      const { add, claimOne, settle, clock, detail, now } = await stage()
      const key = await add()
      const startedAt = now()
      const first = await claimOne()
      await clock.advance(7)
      await settle(first, outcomes.fail(20))
      await clock.advance(20)
      await settle(await claimOne({ workerId: 'w#2' }), outcomes.success('done'))
      const { attempts, result } = await detail(key)
      expect(attempts).toMatchObject([
        {
          attempt: 1,
          outcome: 'fail',
          workerId: 'w#1',
          startedAt,
          finishedAt: startedAt + 7,
          backoffMs: 20,
          nextRunAt: startedAt + 27,
          failureCategory: 'error',
        },
        { attempt: 2, outcome: 'success', workerId: 'w#2', error: null },
      ])
      expect(attempts[0]?.error).toMatchObject({ name: 'Error', message: 'boom' })
      expect(result).toBe('"done"')
    })

    // A13
    it('opens one incident and one dead letter for poison, and re-opens and counts the letter the next time', async () => {
      const { add, claimOne, settle, resolve, expectState, clock, now, store } = await stage()
      const key = await add({ variables: { bad: true } })
      await settle(await claimOne(), outcomes.poison('first'))
      const poisoned = await expectState(key, 'failed')
      expect(poisoned.incidents).toMatchObject([{ kind: 'poison_message', resolvedAt: null }])
      expect(poisoned.deadLetter).toMatchObject({
        reason: 'poison',
        count: 1,
        closedAt: null,
        errorMessage: 'first',
        processInstanceKey: key,
      })
      await resolve(key, 'resolve')
      const resolved = await expectState(key, 'available')
      expect(resolved.deadLetter).toMatchObject({ closedAt: now(), closedBy: 'ada', resolution: 'resolve' })
      await clock.advance(5)
      await settle(await claimOne(), outcomes.poison('second'))
      const again = await expectState(key, 'failed')
      expect(again.deadLetter).toMatchObject({
        count: 2,
        closedAt: null,
        resolution: null,
        errorMessage: 'second',
        receivedAt: now(),
      })
      expect(again.incidents).toHaveLength(2)
      expect(await store.deadLetter(key)).toMatchObject({ jobKey: key, variables: '{"bad":true}' })
    })

    // A15
    it('leaves a dead letter `exhausted` and no incident where the handler wants that', async () => {
      const { add, claimOne, settle, expectState } = await stage()
      const key = await add({ retries: 1 })
      await settle(await claimOne(), outcomes.fail(), { policy: exhaustedToDeadLetter })
      const { deadLetter, incidents } = await expectState(key, 'dead')
      expect(deadLetter).toMatchObject({ reason: 'exhausted', count: 1, closedAt: null })
      expect(incidents).toEqual([])
    })

    // A18
    it('creates the children of an attempt with its end or not at all', async () => {
      const { enqueue, claim, settle, detail, now, store } = await stage()
      await enqueue({}, {}, {})
      const [done, failed, raised] = await claim()
      if (!done || !failed || !raised) throw new Error('not claimed')
      const children = [child('success', now()), child('stopped', now())]
      await settle(done, outcomes.success(), { children })
      await settle(failed, outcomes.fail(0), { children })
      await settle(raised, outcomes.raised(), { children })
      await settle(done, outcomes.success(), { children })
      const counts = await Promise.all(
        [done, failed, raised].map(async ({ key }) => (await detail(key)).children.length),
      )
      expect(counts).toEqual([1, 0, 1])
      expect(
        (await store.jobs({ types: ['child'] }, { limit: 10 })).items.map(({ parentKey }) => parentKey),
      ).toEqual([raised.key, done.key])
    })

    // A18
    it('refuses the whole settlement when a child cannot be created, and a person hears of it', async () => {
      const { add, claimOne, settle, enqueue, now, expectState, store } = await stage()
      const key = await add()
      const job = await claimOne()
      await enqueue({ type: 'child', idempotencyKey: 'k', variables: { other: true } })
      expect(
        await settle(job, outcomes.success('r'), {
          children: [child('success', now()), child('success', now(), 'k')],
        }),
      ).toBe('refused')
      const { incidents, result, children } = await expectState(key, 'failed')
      expect(incidents).toMatchObject([{ kind: 'settlement_refused', attempt: 1 }])
      expect(incidents[0]?.error.message).toContain('idempotency key')
      expect([result, children]).toEqual([null, []])
      expect((await store.jobs({ types: ['child'] }, { limit: 10 })).items).toHaveLength(1)
    })

    it('takes the root of a line of jobs for the process instance of a dead letter', async () => {
      const { add, claimOne, settle, store, now } = await stage()
      const root = await add()
      await settle(await claimOne(), outcomes.success(), { children: [child('success', now())] })
      await settle(await claimOne({ type: 'child' }), outcomes.success(), {
        children: [child('success', now())],
      })
      const grandchild = await claimOne({ type: 'child' })
      await settle(grandchild, outcomes.poison())
      expect(await store.deadLetter(grandchild.key)).toMatchObject({ processInstanceKey: root })
    })

    // A34
    it('refuses the one settlement that the database will not take, stops its job, and keeps the others', async () => {
      const { enqueue, claim, settlement, store, now, detail, faults } = await stage()
      await enqueue({}, {}, {}, {})
      const jobs = await claim({ limit: 3 })
      const [good, bad, other] = jobs.map((job) => settlement(job, outcomes.success()))
      if (!good || !bad || !other) throw new Error('not claimed')
      const broken = { ...bad, result: 'no JSON' }
      const claim1 = {
        workerId: 'w#1',
        limit: 1,
        suspects: false,
        types: [{ type: 't', limit: 1, timeoutMs: 1, retries: 3 }],
      }
      const { settled, claimed } = await store.exchange(
        { settlements: [good, broken, other], claim: claim1 },
        now(),
      )
      expect(settled).toEqual(['applied', 'refused', 'applied'])
      expect(claimed).toHaveLength(1)
      const { job, incidents } = await detail(jobs[1]?.key ?? 0)
      expect(job.state).toBe('failed')
      expect(incidents).toMatchObject([{ kind: 'settlement_refused', resolvedAt: null }])
      expect(faults()).toEqual([])
    })

    // A34
    it('stops the job of a refused settlement with what its row had, whatever was wrong with the new values', async () => {
      const { add, claimOne, settlement, store, now, expectState } = await stage()
      const key = await add({ retries: 2 })
      const failed = settlement(await claimOne(), outcomes.fail())
      const broken = { ...failed, next: { ...failed.next, retries: -1, runAt: Number.NaN } }
      expect((await store.exchange({ settlements: [broken] }, now())).settled).toEqual(['refused'])
      const { job, incidents } = await expectState(key, 'failed')
      expect(job).toMatchObject({ retries: 2, failures: 0, runAt: now() })
      expect(incidents).toMatchObject([{ kind: 'settlement_refused' }])
    })

    // B025
    it('counts deferrals without end and without cost', async () => {
      const { add, claimOne, settle, clock, now, expectState } = await stage()
      const key = await add()
      for (let round = 0; round < 40; round++) {
        await settle(await claimOne(), outcomes.defer(now() + 1_000))
        await clock.advance(1_000)
      }
      const { job } = await expectState(key, 'waiting')
      expect(job).toMatchObject({
        deferrals: 40,
        retries: 3,
        failures: 0,
        attempt: 40,
        waitReason: 'deferred',
      })
    })
  })
}
