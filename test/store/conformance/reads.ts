import { declareTypes, pauseTypes } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { Job } from '../../../src/domain/job.ts'
import { exhaustedToDeadLetter, outcomes, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'
import type { Paged } from '../../../src/store/page.ts'
import type { Selector } from '../../../src/domain/selector.ts'

async function pages<T>(read: (cursor?: string) => Promise<Paged<T>>): Promise<T[][]> {
  const found: T[][] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Paged<T> = await read(cursor)
    found.push([...page.items])
    cursor = page.next
  }
  return found
}

/** One job in every state, `a` and `b` in turn; answers keys by state. */
async function oneOfEach({ add, claimOne, settle, resolve }: Scene): Promise<Record<string, number>> {
  const run = async (
    type: string,
    end: (job: Awaited<ReturnType<typeof claimOne>>) => Promise<unknown>,
    retries = 3,
  ) => {
    const key = await add({ type, retries })
    await end(await claimOne({ type }))
    return key
  }
  const keys = {
    completed: await run('a', (job) => settle(job, outcomes.success())),
    rejected: await run('b', (job) => settle(job, outcomes.business(true))),
    failed: await run('a', (job) => settle(job, outcomes.raised())),
    poisoned: await run('b', (job) => settle(job, outcomes.poison())),
    dead: await run('a', (job) => settle(job, outcomes.fail(), { policy: exhaustedToDeadLetter }), 1),
    running: await run('b', async () => undefined),
    cancelled: await run('a', (job) => resolve(job.key, 'cancel')),
    waiting: await add({ type: 'b', delay: '1h' }),
    available: await add({ type: 'a' }),
  }
  return keys
}

export function readRules(stage: Stage): void {
  describe('a list', () => {
    // B137
    it('refuses a page without a size, and one whose size is no number', async () => {
      const { store } = await stage()
      for (const limit of [Number.NaN, '5', null, undefined] as unknown as number[]) {
        for (const list of ['jobs', 'incidents', 'deadLetters', 'operations'] as const) {
          const refused = (async () => store[list]({}, { limit }))()
          await expect(refused, `${list} ${String(limit)}`).rejects.toMatchObject({
            code: 'usage',
            message: expect.stringContaining('limit of a page'),
          })
        }
      }
    })

    it('shows jobs newest first, page by page, each once', async () => {
      const { enqueue, store } = await stage()
      await enqueue(...Array.from({ length: 7 }, () => ({})))
      const found = await pages((cursor) =>
        store.jobs({}, { limit: 3, ...(cursor === undefined ? {} : { cursor }) }),
      )
      expect(found.map((page) => page.map(({ key }) => key))).toEqual([[7, 6, 5], [4, 3, 2], [1]])
      await expect(store.jobs({}, { limit: 3, cursor: 'nonsense' })).rejects.toMatchObject({ code: 'usage' })
    })

    it('narrows jobs by each part of a selector and by all of them together', async () => {
      const scene = await stage()
      const keys = await oneOfEach(scene)
      const list = async (selector: Selector) =>
        (await scene.store.jobs(selector, { limit: 100 })).items.map(({ key }: Job) => key)
      const named = (...names: string[]) => names.map((name) => keys[name] ?? 0).sort((a, b) => b - a)
      for (const state of [
        'completed',
        'rejected',
        'dead',
        'running',
        'cancelled',
        'waiting',
        'available',
      ] as const) {
        expect(await list({ states: [state] }), state).toEqual(named(state))
      }
      expect(await list({ states: ['failed', 'dead', 'running', 'waiting', 'available'] })).toEqual(
        named('failed', 'poisoned', 'dead', 'running', 'waiting', 'available'),
      )
      expect(await list({ states: ['failed'], types: ['b'] })).toEqual(named('poisoned'))
      expect(await list({ types: ['a'] })).toEqual(
        named('completed', 'failed', 'dead', 'cancelled', 'available'),
      )
      expect(await list({ keys: [2, 999, 1] })).toEqual([2, 1])
      expect(await list({ keys: [1, 2], types: ['b'] })).toEqual([2])
      expect(await list({ workerId: 'w#1' })).toEqual(named('running'))
      expect(await list({ incidentKinds: ['poison_message', 'crash_loop'] })).toEqual(named('poisoned'))
      expect(await list({ deadLetterReasons: ['exhausted'] })).toEqual(named('dead'))
      expect(await list({ states: ['completed'], incidentKinds: ['raised'] })).toEqual([])
    })

    it('shows open incidents newest first with their job, closed ones when asked for', async () => {
      const { enqueue, claim, settle, resolve, store } = await stage()
      await enqueue(...Array.from({ length: 5 }, () => ({})))
      for (const job of await claim())
        await settle(job, job.key === 2 ? outcomes.poison() : outcomes.raised())
      await resolve(4, 'resolve')
      const keys = (selector: Selector) => async (cursor?: string) =>
        store.incidents(selector, { limit: 2, ...(cursor === undefined ? {} : { cursor }) })
      const shown = async (selector: Selector) =>
        (await pages(keys(selector))).map((page) => page.map(({ jobKey }) => jobKey))
      expect(await shown({})).toEqual([
        [5, 3],
        [2, 1],
      ])
      expect(await shown({ includeClosed: true })).toEqual([[5, 4], [3, 2], [1]])
      expect(await shown({ incidentKinds: ['poison_message'] })).toEqual([[2]])
      expect(await shown({ keys: [1, 4] })).toEqual([[1]])
      expect(await shown({ types: ['u'] })).toEqual([[]])
      const [first] = (await store.incidents({}, { limit: 1 })).items
      expect(first).toMatchObject({
        kind: 'raised',
        job: { key: 5, state: 'failed' },
        error: { message: 'a person must look' },
      })
    })

    it('shows dead letters with the one received last first', async () => {
      const { enqueue, claim, settle, resolve, clock, store } = await stage()
      await enqueue(...Array.from({ length: 5 }, () => ({})))
      for (const job of [...(await claim())].reverse()) {
        await settle(job, outcomes.poison())
        await clock.advance(job.key % 2)
      }
      await resolve(3, 'dlq_retry')
      const shown = async (selector: Selector) =>
        (
          await pages((cursor) =>
            store.deadLetters(selector, { limit: 2, ...(cursor === undefined ? {} : { cursor }) }),
          )
        ).map((page) => page.map(({ jobKey }) => jobKey))
      expect(await shown({})).toEqual([
        [2, 1],
        [4, 5],
      ])
      expect(await shown({ includeClosed: true })).toEqual([[2, 1], [4, 3], [5]])
      expect(await shown({ keys: [5, 3] })).toEqual([[5]])
      expect(await shown({ deadLetterReasons: ['exhausted'] })).toEqual([[]])
      expect(await shown({ states: ['failed'], types: ['t'] })).toEqual([
        [2, 1],
        [4, 5],
      ])
      expect(await store.deadLetter(99)).toBeNull()
    })

    it('holds a page to 1,000 rows and to at least one', async () => {
      const { enqueue, store } = await stage()
      await enqueue(...Array.from({ length: 1_001 }, () => ({})))
      const page = await store.jobs({}, { limit: 5_000 })
      expect([page.items.length, page.next]).toEqual([1_000, '2'])
      expect((await store.jobs({}, { limit: 0 })).items).toHaveLength(1)
    })
  })

  describe('a look at whether work is left', () => {
    it('finds what runs, is due or comes back of the types asked for, and no job that is only delayed', async () => {
      const { store, add, claimOne, clock, settle, now } = await stage()
      const pending = () =>
        Promise.all([store.hasPending(['t'], now()), store.hasPending(['other', 't'], now())])
      const [none, some] = [
        [false, false],
        [true, true],
      ]
      expect(await pending()).toEqual(none)
      await add({ delay: '1h' })
      await add({ type: 'stranger' })
      expect(await pending(), 'delayed').toEqual(none)
      await add()
      expect(await pending(), 'due').toEqual(some)
      const job = await claimOne()
      expect(await pending(), 'running').toEqual(some)
      await settle(job, outcomes.fail())
      expect(await pending(), 'backing off').toEqual(some)
      await clock.advance(1_000)
      await settle(await claimOne(), outcomes.defer(now() + 5_000))
      expect(await pending(), 'deferred').toEqual(some)
      await clock.advance(5_000)
      for (let loss = 0; loss < 2; loss++) await settle(await claimOne(), outcomes.lost())
      await clock.advance(1_000)
      const suspect = await claimOne({ suspects: true })
      await settle(suspect, outcomes.interrupted())
      expect(await pending(), 'available').toEqual(some)
      await settle(await claimOne(), outcomes.raised())
      expect(await pending(), 'stopped').toEqual(none)
      await clock.advance(3_600_000)
      expect(await pending(), 'a delay that is over').toEqual(some)
    })

    it('counts of a paused type only what runs', async () => {
      const { store, enqueue, add, claimOne, settle, now } = await stage()
      await enqueue({}, {})
      const job = await claimOne()
      await pauseTypes(store, ['t'], { paused: true, reason: null, who: 'ada' }, now())
      expect(await store.hasPending(['t'], now())).toBe(true)
      await settle(job, outcomes.success())
      expect(await store.hasPending(['t'], now())).toBe(false)
      await add({ type: 'u' })
      expect(await store.hasPending(['t', 'u'], now())).toBe(true)
    })
  })

  describe('a figure', () => {
    it('counts every state but completed', async () => {
      const scene = await stage()
      await oneOfEach(scene)
      expect(await scene.store.counts()).toEqual({
        available: 1,
        waiting: 1,
        running: 1,
        rejected: 1,
        failed: 2,
        dead: 1,
        cancelled: 1,
      })
    })

    it('shows each type with what was declared, what it has and who handles it', async () => {
      const scene = await stage()
      const { store, now, join, add } = scene
      const declaration = {
        type: 'a',
        timeoutMs: 5,
        concurrency: 2,
        retries: 4,
        backlogLimit: 9,
        onExhausted: 'dead-letter' as const,
      }
      await declareTypes(store, [declaration], now())
      await join('w#1', { types: ['a', 'b'] })
      await join('w#2', { types: ['a'], leaseUntil: now() })
      await oneOfEach(scene)
      await add({ type: 'a', priority: 9, at: now() - 50 })
      expect(await store.types(now())).toMatchObject([
        {
          type: 'a',
          declaration,
          workers: 1,
          oldestDueAt: now() - 50,
          counts: { available: 2, failed: 1, dead: 1, cancelled: 1 },
        },
        {
          type: 'b',
          declaration: null,
          workers: 1,
          oldestDueAt: null,
          counts: { waiting: 1, running: 1, rejected: 1, failed: 1 },
        },
      ])
    })

    it('adds up statistics and counters, and keeps the progress of running attempts', async () => {
      const { store, add, claimOne, settle, now, detail } = await stage()
      const stat = { minute: 60_000, type: 't', outcome: 'success', bucket: 2, count: 3, sumMs: 12.5 }
      const counter = { metric: 'm', labels: '{"type":"t"}', value: 2 }
      const key = await add()
      const job = await claimOne()
      const progress = { jobKey: key, attempt: 1, fraction: 0.5, note: 'half' }
      await store.addStats(
        [stat, stat, { ...stat, minute: 0 }],
        [counter, counter],
        [progress, { ...progress, attempt: 9, fraction: 1 }],
        now(),
      )
      expect(await store.stats(60_000)).toEqual([{ ...stat, count: 6, sumMs: 25 }])
      expect(await store.stats(0)).toHaveLength(2)
      expect(await store.counters()).toEqual([{ ...counter, value: 4 }])
      expect((await detail(key)).progress).toEqual({ fraction: 0.5, note: 'half', at: now() })
      await settle(job, outcomes.fail(0))
      await store.addStats([], [], [{ ...progress, fraction: 0.9 }], now())
      expect((await detail(key)).progress?.fraction).toBe(0.5)
    })

    // A32
    it('says where it is and who it is; no two stores are the same', async () => {
      const [one, two] = [await stage(), await stage()]
      const info = await one.store.info()
      expect(info.storeId).not.toBe((await two.store.info()).storeId)
      expect(info.storeId).toMatch(/^[0-9a-f-]{20,}$/)
      expect(info.location).not.toBe('')
      expect(info.schemaVersion).toBeGreaterThan(0)
    })

    it('raises its version with a commit of another connection only', async (context) => {
      const { another, enqueue, now } = await stage()
      if (another === null) return context.skip()
      const second = await another()
      const before = await second.version()
      await enqueue({})
      const after = await second.version()
      expect(after).not.toBe(before)
      await pauseTypes(second, ['t'], { paused: true, reason: 'x', who: 'ada' }, now())
      expect(await second.version()).toBe(after)
    })
  })
}
