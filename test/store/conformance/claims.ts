import { describe, expect, it } from 'vitest'
import type { ClaimType } from '../../../src/store/port.ts'
import { outcomes } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

const typesOf = (limit: number, ...names: readonly string[]): ClaimType[] =>
  names.map((type) => ({ type, limit, timeoutMs: 1_000, retries: 3 }))

export function claimRules(stage: Stage): void {
  describe('a claim', () => {
    // A01
    it('gives each job to exactly one of two workers that claim at once', async (context) => {
      const { store, enqueue, another, now, faults } = await stage()
      if (another === null) return context.skip()
      const second = await another()
      await enqueue(...Array.from({ length: 60 }, () => ({})))
      const hand = (workerId: string) => ({
        settlements: [],
        claim: { workerId, limit: 10, suspects: false, types: typesOf(10, 't') },
      })
      const rounds = Array.from({ length: 3 }, () => [
        store.exchange(hand('w#1'), now()),
        second.exchange(hand('w#2'), now()),
      ]).flat()
      const claimed = (await Promise.all(rounds)).map((exchanged) => exchanged.claimed)
      const keys = claimed.flat().map(({ key }) => key)
      expect(keys).toHaveLength(60)
      expect(new Set(keys).size).toBe(60)
      for (const worker of ['w#1', 'w#2'])
        expect((await store.held(worker)).map(({ workerId }) => workerId)).toEqual(new Array(30).fill(worker))
      expect(faults()).toEqual([])
    })

    // A01
    it('takes high priority first, then the earlier runAt, then the lower key', async () => {
      const { enqueue, claim, now } = await stage()
      const at = now()
      await enqueue(
        { priority: 0, at: at - 5 },
        { priority: 0, at: at - 9 },
        { priority: 7, at },
        { priority: -3, at: at - 99 },
        { priority: 0, at: at - 9 },
      )
      expect((await claim()).map(({ key }) => key)).toEqual([3, 2, 5, 1, 4])
    })

    // A02
    it('takes a job with a past runAt at once and one with a future runAt never early', async () => {
      const { add, claim, clock, now } = await stage()
      const past = await add({ at: now() - 1 })
      const later = await add({ delay: 1_000 })
      expect((await claim()).map(({ key }) => key)).toEqual([past])
      await clock.advance(999)
      expect(await claim()).toEqual([])
      await clock.advance(1)
      expect((await claim()).map(({ key }) => key)).toEqual([later])
    })

    it('writes who runs it, until when, and one attempt more', async () => {
      const { add, claimOne, now, detail } = await stage()
      const key = await add({ variables: { a: [1, 'ä'] } })
      const job = await claimOne({ types: typesOf(1, 't') })
      expect(job).toMatchObject({
        key,
        state: 'running',
        attempt: 1,
        workerId: 'w#1',
        startedAt: now(),
        runUntil: now() + 61_000,
        variables: '{"a":[1,"ä"]}',
      })
      const { variables: _, effectsEpoch: __, ...row } = job
      expect((await detail(key)).job).toEqual(row)
    })

    it('gives a job whose producer named no retries the number of its handler, once', async () => {
      const { add, claimOne, settle, now } = await stage()
      await add({})
      await add({ retries: 2 })
      const types = [{ type: 't', limit: 1, timeoutMs: 1_000, retries: 9 }]
      const first = await claimOne({ types })
      expect(first).toMatchObject({ retries: 9, enqueuedRetries: 9 })
      expect(await claimOne({ types })).toMatchObject({ retries: 2, enqueuedRetries: 2 })
      await settle(first, outcomes.fail(0))
      const again = await claimOne({ types: [{ type: 't', limit: 1, timeoutMs: 1_000, retries: 4 }] })
      expect(again).toMatchObject({ key: first.key, attempt: 2, retries: 8, startedAt: now() })
    })

    it('shares its slots evenly over the types, and gives the rest to those that have more', async () => {
      const { enqueue, claim } = await stage()
      await enqueue(
        ...['a', 'b', 'c'].flatMap((type) => Array.from({ length: type === 'c' ? 1 : 20 }, () => ({ type }))),
      )
      const claimed = await claim({ limit: 9, types: typesOf(9, 'a', 'b', 'c') })
      const count = (type: string) => claimed.filter((job) => job.type === type).length
      expect([count('a'), count('b'), count('c')]).toEqual([4, 4, 1])
    })

    // B122
    it('takes turns when one slot is free at a time, so that no type waits for ever', async () => {
      const { enqueue, claimOne } = await stage()
      await enqueue(...Array.from({ length: 12 }, (_, index) => ({ type: index % 2 === 0 ? 'a' : 'b' })))
      const turns: string[] = []
      for (let turn = 0; turn < 6; turn++) turns.push((await claimOne({ types: typesOf(1, 'a', 'b') })).type)
      expect(turns.filter((type) => type === 'b')).toHaveLength(3)
    })

    it('never takes more of a type than was asked for it, nor more in all', async () => {
      const { enqueue, claim } = await stage()
      await enqueue(...Array.from({ length: 20 }, () => ({ type: 'a' })), { type: 'b' })
      const claimed = await claim({ limit: 8, types: [...typesOf(3, 'a'), ...typesOf(5, 'b')] })
      expect(claimed.map(({ type }) => type).sort()).toEqual(['a', 'a', 'a', 'b'])
      expect(await claim({ limit: 2, types: typesOf(5, 'a', 'b') })).toHaveLength(2)
      expect(await claim({ limit: 0, types: typesOf(5, 'a') })).toEqual([])
    })

    it('passes over a job whose deadline has passed, and says that nothing is due', async () => {
      const { add, claim, clock, store, now } = await stage()
      const key = await add({ deadline: '1s' })
      await clock.advance(1_000)
      expect(await store.hasDue(['t'], false, now())).toBe(true)
      await clock.advance(1)
      expect(await store.hasDue(['t'], false, now())).toBe(false)
      expect(await claim()).toEqual([])
      expect((await store.overdue(now(), 10)).map((job) => job.key)).toEqual([key])
    })

    // B111
    it('goes on when the clock is set back: what was due stays due', async () => {
      const { add, claim, clock, store, now } = await stage()
      await add()
      clock.setNow(now() - 3_600_000)
      expect(await store.hasDue(['t'], false, now())).toBe(true)
      expect(await claim()).toHaveLength(1)
    })

    it('says when the next waiting job falls due, and whether anything is due now', async () => {
      const { add, store, now } = await stage()
      expect(await store.nextDue(['t', 'u'])).toBeNull()
      expect(await store.hasDue(['t', 'u'], false, now())).toBe(false)
      await add({ delay: 5_000 })
      await add({ type: 'u', delay: 2_000 })
      expect(await store.nextDue(['t'])).toBe(now() + 5_000)
      expect(await store.nextDue(['t', 'u'])).toBe(now() + 2_000)
      expect(await store.hasDue(['t', 'u'], false, now() + 1_999)).toBe(false)
      expect(await store.hasDue(['t', 'u'], false, now() + 2_000)).toBe(true)
      expect(await store.hasDue(['t'], false, now() + 2_000)).toBe(false)
    })
  })
}
