import { pauseTypes, reportBreakers, retireWorkers, setWorkerState } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { leaseMs, outcomes, plainPolicy } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

export function leaseRules(stage: Stage): void {
  describe('a lease', () => {
    // A03
    it('accepts a late success once, as long as nobody has swept', async () => {
      const { join, add, claimOne, clock, settle, store, now, expectState } = await stage()
      await join()
      const key = await add()
      const job = await claimOne()
      await clock.advance(leaseMs + 1)
      expect(
        (await store.expiredLeases(now(), 10)).map((expired) => [expired.job.key, expired.reason]),
      ).toEqual([[key, 'lease_expired']])
      expect(await settle(job, outcomes.success())).toBe('applied')
      expect(await settle(job, outcomes.success())).toBe('stale')
      await expectState(key, 'completed')
    })

    // B044
    it("keeps how a worker's own breakers stand in its row, and loses it with the row", async () => {
      const { join, store, now } = await stage()
      await join('w#1')
      const bank = {
        name: 'bank',
        mode: 'open',
        generation: 2,
        changedAt: now(),
        expiresAt: now() + 30_000,
        types: ['t'],
      } as const
      expect((await store.workers(now()))[0]).not.toHaveProperty('breakers')
      await reportBreakers(store, 'w#1', [bank])
      await reportBreakers(store, 'nobody', [bank])
      expect((await store.workers(now())).map(({ id, breakers }) => [id, breakers])).toEqual([
        ['w#1', [bank]],
      ])
      await reportBreakers(store, 'w#1', [])
      expect((await store.workers(now()))[0]?.breakers).toEqual([])
      await retireWorkers(store, ['w#1'], now())
      expect(await store.workers(now())).toEqual([])
    })

    // A04
    it('calls every report of an attempt stale once it was swept and another worker has the job', async () => {
      const { join, add, claimOne, clock, settle, store, now, expectState } = await stage()
      await join('w#1')
      const key = await add()
      const first = await claimOne()
      await clock.advance(leaseMs + 1)
      expect(await settle(first, outcomes.lost(), { onlyIfExpiredAt: now() })).toBe('applied')
      await join('w#2')
      const second = await claimOne({ workerId: 'w#2' })
      expect(second).toMatchObject({ key, attempt: 2, retries: first.retries, failures: 0, crashes: 1 })
      for (const outcome of [outcomes.success(), outcomes.fail(), outcomes.interrupted()])
        expect(await settle(first, outcome)).toBe('stale')
      expect((await store.renew(['w#1'], now() + leaseMs, now())).held).toEqual([])
      expect((await store.held('w#2')).map(({ attempt }) => attempt)).toEqual([2])
      const { job, attempts } = await expectState(key, 'running')
      expect(job).toMatchObject({ attempt: 2, workerId: 'w#2' })
      expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
        [1, 'lost'],
        [1, 'stale'],
      ])
    })

    // B001
    it('keeps the result of the attempt that holds the job, and the late one only as stale', async () => {
      const { join, add, claimOne, clock, settle, now, expectState } = await stage()
      await join('w#1')
      const key = await add()
      const a = await claimOne()
      await clock.advance(leaseMs + 1)
      await settle(a, outcomes.lost(), { onlyIfExpiredAt: now() })
      await join('w#2')
      const b = await claimOne({ workerId: 'w#2' })
      expect(await settle(b, outcomes.success({ by: 'B' }))).toBe('applied')
      expect(await settle(a, outcomes.success({ by: 'A' }))).toBe('stale')
      const { result, attempts } = await expectState(key, 'completed')
      expect(result).toBe('{"by":"B"}')
      expect(attempts.filter(({ outcome }) => outcome === 'success')).toMatchObject([
        { attempt: 2, workerId: 'w#2' },
      ])
    })

    // A05
    it('stops a job at its third loss in a row, waiting nothing after the first and 1 s after the second', async () => {
      const { join, add, claim, claimOne, clock, settle, now, expectState } = await stage()
      await join()
      const key = await add()
      await settle(await claimOne(), outcomes.lost())
      await settle(await claimOne(), outcomes.lost())
      await expectState(key, 'waiting')
      await clock.advance(1_000)
      expect(await claim(), 'a suspect is for the quarantine').toEqual([])
      const suspect = await claimOne({ suspects: true })
      expect(suspect).toMatchObject({
        key,
        attempt: 3,
        retries: 3,
        failures: 0,
        crashes: 2,
        startedAt: now(),
      })
      await settle(suspect, outcomes.lost())
      const { incidents } = await expectState(key, 'failed')
      expect(incidents).toMatchObject([{ kind: 'crash_loop', attempt: 3 }])
    })

    // A05
    it('counts losses in a row only: loss, failure, loss, loss is not yet a crash loop', async () => {
      const { join, add, claimOne, clock, settle, expectState } = await stage()
      await join()
      const key = await add()
      for (const outcome of [outcomes.lost(), outcomes.fail(0), outcomes.lost(), outcomes.lost()])
        await settle(await claimOne(), outcome)
      const { job } = await expectState(key, 'waiting')
      expect(job).toMatchObject({ crashes: 2, failures: 1, retries: plainPolicy.retries - 1 })
      await clock.advance(1_000)
      expect(await claimOne({ suspects: true })).toMatchObject({ key })
    })

    // B002
    it('lets a sweep that was overtaken change nothing: after completion, after another sweep, after a renewal', async () => {
      const { join, add, claimOne, clock, settle, settlement, store, now, expectState } = await stage()
      await join()
      const keys = [await add(), await add(), await add()]
      const [done, swept, renewed] = [await claimOne(), await claimOne(), await claimOne()]
      await clock.advance(leaseMs + 1)
      const sweep = [done, swept, renewed].map((job) =>
        settlement(job, outcomes.lost(), { onlyIfExpiredAt: now() }),
      )
      await settle(done, outcomes.success())
      await settle(swept, outcomes.lost(), { onlyIfExpiredAt: now() })
      await join('w#2')
      await claimOne({ workerId: 'w#2' })
      await store.renew(['w#1'], now() + leaseMs, now())
      expect((await store.exchange({ settlements: sweep }, now())).settled).toEqual([
        'stale',
        'stale',
        'stale',
      ])
      await expectState(keys[0] ?? 0, 'completed')
      expect((await expectState(keys[1] ?? 0, 'running')).job).toMatchObject({
        attempt: 2,
        workerId: 'w#2',
        crashes: 1,
      })
      expect((await expectState(keys[2] ?? 0, 'running')).job).toMatchObject({
        attempt: 1,
        workerId: 'w#1',
        crashes: 0,
      })
      for (const key of keys)
        expect((await store.job(key))?.attempts.some(({ outcome }) => outcome === 'stale')).toBe(false)
    })

    it('ends a claim at its own runUntil although its worker lives', async () => {
      const { join, add, claimOne, clock, settle, store, now, expectState } = await stage()
      await join()
      const key = await add()
      const job = await claimOne()
      await clock.advance((job.runUntil ?? 0) - now() - 1)
      await store.renew(['w#1'], now() + leaseMs, now())
      expect(await store.expiredLeases(now(), 10)).toEqual([])
      await clock.advance(1)
      expect((await store.expiredLeases(now(), 10)).map(({ reason }) => reason)).toEqual(['run_until_passed'])
      expect(await settle(job, outcomes.lost(), { onlyIfExpiredAt: now() })).toBe('applied')
      await expectState(key, 'available')
    })

    it('renews only registered workers, and answers what each still holds', async () => {
      const { join, enqueue, claim, claimOne, store, settle, now } = await stage()
      await join('w#1')
      await enqueue({}, {}, {})
      const [first] = await claim({ limit: 2 })
      await claimOne({ workerId: 'ghost' })
      if (first === undefined) throw new Error('nothing claimed')
      await settle(first, outcomes.success())
      expect(await store.renew(['w#1', 'ghost'], now() + 99, now())).toEqual({
        held: [{ jobKey: 2, attempt: 1, workerId: 'w#1' }],
        states: new Map([['w#1', 'running']]),
      })
      expect(
        (await store.workers(now())).map(({ id, leaseUntil, running }) => [id, leaseUntil, running]),
      ).toEqual([['w#1', now() + 99, 1]])
      expect((await store.expiredLeases(now(), 10)).map(({ job }) => job.workerId)).toEqual(['ghost'])
    })

    // B006
    it('expires what a retired worker holds at once', async () => {
      const { join, add, claimOne, store, now } = await stage()
      await join('w#1')
      await join('w#2', { state: 'draining', quarantine: true, types: ['t', 'u'] })
      const key = await add()
      await claimOne()
      await setWorkerState(store, ['w#1'], { state: 'draining' }, now())
      expect(
        (await store.workers(now())).map(({ id, state, quarantine, types }) => [
          id,
          state,
          quarantine,
          types,
        ]),
      ).toEqual([
        ['w#1', 'draining', false, ['t']],
        ['w#2', 'draining', true, ['t', 'u']],
      ])
      await retireWorkers(store, ['w#1'], now())
      expect((await store.expiredLeases(now(), 10)).map(({ job }) => job.key)).toEqual([key])
      expect((await store.running('w#1')).map((job) => job.key)).toEqual([key])
      expect(await store.history(10), 'a worker that leaves is no deed of a person').toEqual([])
    })

    // B006
    it('keeps who released a worker and why, whether its row was there or not, newest first among what concerns no job', async () => {
      const { join, add, claimOne, store, now, clock, resolve } = await stage()
      await join('w#1', { label: 'web', pid: 7, host: 'box' })
      await join('w#2')
      const key = await add()
      await claimOne()
      await retireWorkers(store, ['w#1', 'ghost'], now(), { who: 'ada', reason: 'it burns', forced: false })
      await clock.advance(1)
      await pauseTypes(store, ['t'], { paused: true, reason: null, who: 'bob' }, now())
      await resolve(key, 'cancel')
      expect((await store.workers(now())).map(({ id }) => id)).toEqual(['w#2'])
      const rows = await store.history(10)
      expect(rows.map(({ jobKey, event, who, reason }) => [jobKey, event, who, reason])).toEqual([
        [null, 'type_paused', 'bob', null],
        [null, 'worker_released', 'ada', 'it burns'],
        [null, 'worker_released', 'ada', 'it burns'],
      ])
      expect(rows.slice(1).map(({ at, detail }) => [at, JSON.parse(detail ?? '')])).toEqual([
        [now() - 1, { worker: 'ghost', forced: false }],
        [
          now() - 1,
          {
            worker: 'w#1',
            label: 'web',
            pid: 7,
            host: 'box',
            leaseUntil: now() - 1 + leaseMs,
            forced: false,
          },
        ],
      ])
      expect(await store.history(1)).toHaveLength(1)
    })
  })
}
