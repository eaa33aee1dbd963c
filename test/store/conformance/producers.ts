import { declareTypes } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { newJob } from '../../../src/domain/new-job.ts'
import { outcomes } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

const retentionOf = (finishedMs: number) => ({
  finishedMs,
  deadLettersMs: null,
  idempotencyKeysMs: 90 * 86_400_000,
  statsMs: null,
})

export function producerRules(stage: Stage): void {
  describe('enqueue', () => {
    it('stores what it was given, and answers keys that grow', async () => {
      const { enqueue, detail, now } = await stage()
      const [a, b] = await enqueue(
        { priority: 4, retries: 7, deadline: '1h', variables: { x: [1] } },
        { delay: '5s', idempotencyKey: 'k' },
      )
      expect([a, b]).toEqual([
        { status: 'created', key: 1 },
        { status: 'created', key: 2 },
      ])
      const first = await detail(1)
      expect(first.job).toEqual({
        ...{
          key: 1,
          type: 't',
          state: 'available',
          waitReason: null,
          priority: 4,
          runAt: now(),
          createdAt: now(),
        },
        ...{
          retries: 7,
          retriesGiven: true,
          enqueuedRetries: 7,
          attempt: 0,
          failures: 0,
          crashes: 0,
          deferrals: 0,
          deferringSince: null,
        },
        ...{
          workerId: null,
          startedAt: null,
          runUntil: null,
          deadlineAt: now() + 3_600_000,
          finishedAt: null,
          parentKey: null,
        },
      })
      expect(first).toMatchObject({
        variables: '{"x":[1]}',
        result: null,
        attempts: [],
        incidents: [],
        deadLetter: null,
        history: [],
        children: [],
        progress: null,
      })
      expect(await detail(2)).toMatchObject({
        job: { state: 'waiting', waitReason: 'delay', runAt: now() + 5_000 },
        idempotencyKey: 'k',
      })
    })

    // A32
    it('answers the first job for the same key and variables, in whatever order, and refuses other variables', async () => {
      const { enqueue, store } = await stage()
      const [first] = await enqueue({ idempotencyKey: 'k', variables: { a: 1, b: { c: 2, d: 3 } } })
      expect(first).toEqual({ status: 'created', key: 1 })
      expect(
        await enqueue(
          { idempotencyKey: 'k', variables: { b: { d: 3, c: 2 }, a: 1 } },
          { idempotencyKey: 'k', variables: { a: 2 } },
          { idempotencyKey: 'k', variables: { a: 1, b: { c: 2, d: 3 } }, type: 'other' },
        ),
      ).toEqual([
        { status: 'duplicate', key: 1 },
        { status: 'refused', reason: 'idempotency_conflict', key: 1 },
        { status: 'created', key: 2 },
      ])
      expect((await store.jobs({}, { limit: 10 })).items).toHaveLength(2)
    })

    // A32
    it('still knows the key when the job has been pruned, for 90 days', async () => {
      const { add, enqueue, claimOne, settle, clock, store, now } = await stage()
      const key = await add({ idempotencyKey: 'k', variables: { a: 1 } })
      await settle(await claimOne(), outcomes.success())
      await clock.advance(8 * 86_400_000)
      expect(await store.prune(retentionOf(7 * 86_400_000), now())).toMatchObject({
        jobs: 1,
        idempotencyKeys: 0,
      })
      expect(await store.job(key)).toBeNull()
      expect(
        await enqueue(
          { idempotencyKey: 'k', variables: { a: 1 } },
          { idempotencyKey: 'k', variables: { a: 2 } },
        ),
      ).toEqual([
        { status: 'duplicate', key },
        { status: 'refused', reason: 'idempotency_conflict', key },
      ])
      await clock.advance(83 * 86_400_000)
      expect(await store.prune(retentionOf(7 * 86_400_000), now())).toMatchObject({ idempotencyKeys: 1 })
      expect(await enqueue({ idempotencyKey: 'k', variables: { a: 2 } })).toEqual([
        { status: 'created', key: key + 1 },
      ])
    })

    // B018
    it('holds a key while its job runs, and for those who ask later, whatever became of the job', async () => {
      const { join, add, enqueue, claimOne, settle, clock, now } = await stage()
      await join()
      const key = await add({ idempotencyKey: 'k', retries: 1 })
      const job = await claimOne()
      expect(await enqueue({ idempotencyKey: 'k' })).toEqual([{ status: 'duplicate', key }])
      await clock.advance(40_000)
      await settle(job, outcomes.lost(), { onlyIfExpiredAt: now() })
      expect(await enqueue({ idempotencyKey: 'k' })).toEqual([{ status: 'duplicate', key }])
      expect(await claimOne({ workerId: 'w#2' })).toMatchObject({ key, attempt: 2 })
    })

    // B108
    it('makes one job of a hundred enqueues with one key at once', async () => {
      const { store, another, now } = await stage()
      const stores = another === null ? [store] : [store, await another()]
      const job = newJob({ type: 't', variables: { a: 1 }, idempotencyKey: 'k' }, now())
      const answers = (
        await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            (stores[index % stores.length] ?? store).enqueue([job], now()),
          ),
        )
      ).flat()
      expect(answers.filter(({ status }) => status === 'created')).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 'duplicate')).toHaveLength(99)
      expect(new Set(answers.map((answer) => ('key' in answer ? answer.key : null)))).toEqual(new Set([1]))
    })

    // A33
    it('refuses beyond the backlog limit, and takes one more when one is settled', async () => {
      const { store, enqueue, claimOne, settle, now } = await stage()
      const declaration = {
        type: 't',
        timeoutMs: 1_000,
        concurrency: 1,
        retries: 3,
        backlogLimit: 3,
        onExhausted: 'incident' as const,
      }
      await declareTypes(store, [declaration], now())
      const full = { status: 'refused', reason: 'backlog_full', limit: 3, depth: 3 }
      expect(await enqueue({}, { delay: '1h' }, {}, {})).toMatchObject([
        { key: 1 },
        { key: 2 },
        { key: 3 },
        full,
      ])
      const job = await claimOne()
      expect(await enqueue({})).toEqual([full])
      await settle(job, outcomes.success())
      expect(await enqueue({}, {}, { type: 'other' })).toMatchObject([
        { status: 'created' },
        full,
        { status: 'created' },
      ])
      await declareTypes(store, [{ ...declaration, backlogLimit: null }], now())
      expect(await enqueue({}, {})).toMatchObject([{ status: 'created' }, { status: 'created' }])
    })

    // A33
    it('counts a suspect too, and lets an attempt leave its children in a full backlog', async () => {
      const { store, enqueue, claimOne, settle, clock, now } = await stage()
      await enqueue({ type: 'parent' }, {})
      for (let loss = 0; loss < 2; loss++) await settle(await claimOne(), outcomes.lost())
      await clock.advance(1_000)
      await store.exchange(
        {
          settlements: [],
          claim: {
            workerId: 'w',
            limit: 1,
            suspects: false,
            types: [{ type: 't', limit: 1, timeoutMs: 1, retries: 1 }],
          },
        },
        now(),
      )
      await declareTypes(
        store,
        [
          {
            type: 't',
            timeoutMs: 1_000,
            concurrency: 1,
            retries: 3,
            backlogLimit: 1,
            onExhausted: 'incident',
          },
        ],
        now(),
      )
      expect(await enqueue({})).toMatchObject([{ reason: 'backlog_full', depth: 1 }])
      const parent = await claimOne({ type: 'parent' })
      const children = [{ ...newJob({ type: 't' }, now()), when: 'success' as const }]
      expect(await settle(parent, outcomes.success(), { children })).toBe('applied')
      expect((await store.counts()).available).toBe(2)
    })

    // A34
    it('refuses one bad row alone, in a batch and among the calls of one tick', async () => {
      const { store, now, faults } = await stage()
      const good = newJob({ type: 't' }, now())
      const bad = { ...good, variables: '{' }
      const constraint = { status: 'refused', reason: 'constraint' }
      expect(await store.enqueue([good, bad, good], now())).toMatchObject([
        { key: 1 },
        constraint,
        { key: 2 },
      ])
      const tick = await Promise.all([
        store.enqueue([good], now()),
        store.enqueue([bad], now()),
        store.enqueue([good, good], now()),
      ])
      expect(tick).toMatchObject([[{ key: 3 }], [constraint], [{ key: 4 }, { key: 5 }]])
      expect(faults()).toEqual([])
    })

    // B109
    it('keeps no key of a job that was refused', async () => {
      const { store, enqueue, now } = await stage()
      const job = newJob({ type: 't', idempotencyKey: 'k' }, now())
      expect(await store.enqueue([{ ...job, variables: 'no json' }], now())).toMatchObject([
        { reason: 'constraint' },
      ])
      expect(await enqueue({ idempotencyKey: 'k' })).toMatchObject([{ status: 'created' }])
    })
  })
}
