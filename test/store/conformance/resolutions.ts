import { resolveJobs, stopJobs } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { exhaustedToDeadLetter, outcomes } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

export function resolutionRules(stage: Stage): void {
  describe('a resolution', () => {
    // A19
    it('makes a stopped job available with the retries given, and records who and why; twice is skipped, an unknown key not found', async () => {
      const { add, claimOne, settle, resolve, clock, now, expectState } = await stage()
      const key = await add({ retries: 1 })
      await settle(await claimOne(), outcomes.fail())
      await clock.advance(10)
      expect(await resolve(key, 'resolve', { retries: 3, reason: 'fixed' })).toMatchObject({
        status: 'changed',
        from: 'failed',
        to: 'available',
      })
      const { job, incidents, history } = await expectState(key, 'available')
      expect(job).toMatchObject({ retries: 3, retriesGiven: true, failures: 0, attempt: 1, runAt: now() })
      expect(incidents).toMatchObject([
        {
          kind: 'job_no_retries',
          resolvedAt: now(),
          resolvedBy: 'ada',
          resolution: 'resolve',
          reason: 'fixed',
        },
      ])
      expect(history).toMatchObject([
        { jobKey: key, at: now(), event: 'resolved', who: 'ada', reason: 'fixed' },
      ])
      const again = await resolve(key, 'resolve', { retries: 3 })
      expect(again.status).toBe('skipped')
      expect(again.why).toContain('already resolved')
      expect(await resolve(999, 'resolve')).toMatchObject({ status: 'not_found' })
      expect(await claimOne()).toMatchObject({ attempt: 2, retries: 3 })
    })

    // B022
    it('resolves once when two ask at once', async () => {
      const { add, claimOne, settle, store, now, expectState } = await stage()
      const key = await add()
      await settle(await claimOne(), outcomes.raised())
      const ask = (who: string) =>
        resolveJobs(store, [{ jobKey: key, verb: 'resolve', who, reason: null }], now())
      const answers = (await Promise.all([ask('ada'), ask('bob')])).flat().map(({ status }) => status)
      expect(answers).toEqual(['changed', 'skipped'])
      expect((await expectState(key, 'available')).history).toHaveLength(1)
    })

    // A21
    it('changes variables with before, after and who, and the job runs with them', async () => {
      const { add, claimOne, settle, resolve, detail } = await stage()
      const key = await add({ variables: { amount: -1, to: 'x' } })
      await settle(await claimOne(), outcomes.poison())
      await resolve(key, 'resolve', { set: [{ path: 'amount', value: 10, add: false }] })
      const [row] = (await detail(key)).history
      expect(row?.who).toBe('ada')
      const variables = (JSON.parse(row?.detail ?? '{}') as { variables: unknown }).variables
      expect(JSON.stringify(variables)).toContain('-1')
      expect(JSON.stringify(variables)).toContain('10')
      expect(JSON.parse((await claimOne()).variables)).toEqual({ amount: 10, to: 'x' })
    })

    // A21
    it('changes nothing at all when one of the changes is not possible', async () => {
      const { add, claimOne, settle, resolve, expectState } = await stage()
      const key = await add({ variables: { amount: 1 } })
      await settle(await claimOne(), outcomes.raised())
      const set = [
        { path: 'amount', value: 2, add: false },
        { path: 'nowhere.deep', value: 2, add: false },
      ]
      expect(await resolve(key, 'resolve', { set })).toMatchObject({ status: 'failed' })
      const { variables, history, incidents } = await expectState(key, 'failed')
      expect([variables, history.length, incidents[0]?.resolvedAt]).toEqual(['{"amount":1}', 0, null])
    })

    // A22
    it('gives a dead letter back as the same job with its history, and closes its incident', async () => {
      const { enqueue, claim, settle, resolve, expectState, now } = await stage()
      await enqueue({}, { retries: 1 })
      const [poisoned, exhausted] = await claim()
      if (!poisoned || !exhausted) throw new Error('not claimed')
      await settle(poisoned, outcomes.poison())
      await settle(exhausted, outcomes.fail(), { policy: exhaustedToDeadLetter })
      for (const { key } of [poisoned, exhausted]) {
        expect(await resolve(key, 'dlq_retry')).toMatchObject({ status: 'changed', to: 'available' })
        const { attempts, deadLetter } = await expectState(key, 'available')
        expect(attempts).toHaveLength(1)
        expect(deadLetter).toMatchObject({ closedAt: now(), closedBy: 'ada', resolution: 'dlq_retry' })
        expect(await resolve(key, 'dlq_retry')).toMatchObject({ status: 'skipped' })
      }
    })

    // A22
    it('discards a dead letter for good: cancelled, never run', async () => {
      const { add, claim, claimOne, settle, resolve, expectState, now } = await stage()
      const key = await add()
      await settle(await claimOne(), outcomes.poison())
      expect(await resolve(key, 'discard', { reason: 'spam' })).toMatchObject({
        status: 'changed',
        from: 'failed',
        to: 'cancelled',
      })
      const { job, incidents, deadLetter } = await expectState(key, 'cancelled')
      expect(job.finishedAt).toBe(now())
      expect([incidents[0]?.resolution, deadLetter?.resolution, deadLetter?.closeReason]).toEqual([
        'discard',
        'discard',
        'spam',
      ])
      expect(await claim()).toEqual([])
      expect(await resolve(key, 'discard')).toMatchObject({ status: 'skipped' })
    })

    // A23
    it('refuses to retry a running and a completed job, and changes nothing', async () => {
      const { add, claimOne, settle, resolve, expectState } = await stage()
      const key = await add()
      const job = await claimOne()
      const running = await resolve(key, 'retry')
      expect([running.status, running.from, running.to]).toEqual(['failed', 'running', 'running'])
      expect(running.why).not.toBe('')
      await expectState(key, 'running')
      await settle(job, outcomes.success())
      expect(await resolve(key, 'retry')).toMatchObject({ status: 'failed', from: 'completed' })
      expect((await expectState(key, 'completed')).history).toEqual([])
    })

    // A24
    it('takes the lease of a running job that is cancelled: its report is stale', async () => {
      const { join, add, claimOne, settle, resolve, store, now, expectState } = await stage()
      await join()
      const key = await add()
      const job = await claimOne()
      await resolve(key, 'cancel')
      expect((await store.renew(['w#1'], now() + 1, now())).held).toEqual([])
      expect(await settle(job, outcomes.success())).toBe('stale')
      const { history, attempts } = await expectState(key, 'cancelled')
      expect(history).toMatchObject([{ event: 'cancelled', who: 'ada' }])
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['stale'])
    })

    // B024
    it('keeps a job with an open incident from every claim and every late report', async () => {
      const { add, claim, claimOne, settle, resolve, expectState } = await stage()
      const key = await add()
      const job = await claimOne()
      await settle(job, outcomes.raised())
      expect(await claim()).toEqual([])
      expect(await claim({ suspects: true })).toEqual([])
      expect(await settle(job, outcomes.success())).toBe('stale')
      expect((await expectState(key, 'failed')).incidents).toHaveLength(1)
      await resolve(key, 'retry')
      expect((await expectState(key, 'available')).incidents).toMatchObject([{ resolution: 'retry' }])
    })

    it('makes a waiting job due now, and skips one that is available', async () => {
      const { add, resolve, claimOne } = await stage()
      const key = await add({ delay: '1h' })
      expect(await resolve(key, 'retry')).toMatchObject({
        status: 'changed',
        from: 'waiting',
        to: 'available',
      })
      expect(await resolve(key, 'retry')).toMatchObject({ status: 'skipped' })
      expect(await claimOne()).toMatchObject({ key })
    })

    it('resolves a batch in one transaction, each row for itself', async () => {
      const { enqueue, claim, settle, store, now, faults } = await stage()
      await enqueue({}, {}, {})
      for (const job of await claim({ limit: 2 })) await settle(job, outcomes.raised())
      const batch = [1, 2, 3, 4].map((jobKey) => ({
        jobKey,
        verb: 'resolve' as const,
        who: 'ada',
        reason: null,
      }))
      expect((await resolveJobs(store, batch, now())).map(({ status }) => status)).toEqual([
        'changed',
        'changed',
        'skipped',
        'not_found',
      ])
      expect(faults()).toEqual([])
    })
  })

  describe('a stop at the deadline', () => {
    // A12
    it('turns a job whose deadline passed while it waited into an incident, once', async () => {
      const { add, clock, store, now, settlement, claimOne, expectState } = await stage()
      const late = await add({ deadline: '1s' })
      const started = await add({ deadline: '1h', priority: 9 })
      const early = await add({ deadline: '1h' })
      const running = await claimOne()
      expect(running.key).toBe(started)
      await clock.advance(1_001)
      const { incident } = settlement(running, outcomes.raised())
      if (incident === null) throw new Error('no incident')
      const stops = [late, late, started, early].map((jobKey) => ({
        jobKey,
        incident: { ...incident, kind: 'deadline_exceeded' as const },
      }))
      expect(await stopJobs(store, stops, now())).toEqual([true, false, false, false])
      expect((await expectState(late, 'failed')).incidents).toMatchObject([
        { kind: 'deadline_exceeded', attempt: 0 },
      ])
      await expectState(started, 'running')
      expect(await store.overdue(now(), 10)).toEqual([])
    })
  })
}
