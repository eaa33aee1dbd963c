import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/domain/outcome.ts'
import { outcomes, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

async function badOnes({ enqueue, claim, settlement, store, now }: Scene, count: number, outcome: () => Outcome) {
  await enqueue(...Array.from({ length: count }, () => ({})))
  const jobs = await claim({ limit: count })
  return store.exchange({ settlements: jobs.map((job) => settlement(job, outcome())) }, now())
}

export function pauseRules(stage: Stage): void {
  describe('a pause', () => {
    it('B119 stops claims of that type until it is resumed, and reports what changed', async () => {
      const { store, enqueue, claim, now } = await stage()
      await enqueue({}, { type: 'u' })
      expect(await store.pauseTypes(['t'], { paused: true, reason: 'release', who: 'ada' }, now())).toEqual(['t'])
      expect(await store.pauseTypes(['t'], { paused: true, reason: 'again', who: 'bob' }, now())).toEqual([])
      expect(await store.hasDue(['t'], false, now())).toBe(false)
      const types = ['t', 'u'].map((type) => ({ type, limit: 5, timeoutMs: 1, retries: 3 }))
      expect((await claim({ types })).map(({ type }) => type)).toEqual(['u'])
      expect((await store.types(now())).find(({ type }) => type === 't')).toMatchObject({ pausedAt: now(), pausedBy: 'ada', pauseReason: 'release' })
      expect(await store.pausedTypes()).toEqual([{ type: 't', since: now(), by: 'ada', reason: 'release' }])
      expect(await store.pauseTypes(['t', 'u'], { paused: false, reason: 'done', who: 'bob' }, now())).toEqual(['t'])
      expect(await store.pausedTypes()).toEqual([])
      expect(await store.history(2)).toMatchObject([
        { event: 'type_resumed', who: 'bob', reason: 'done' },
        { event: 'type_paused', who: 'ada', reason: 'release' },
      ])
      expect(await store.hasDue(['t'], false, now())).toBe(true)
      expect(await claim({ types })).toHaveLength(1)
    })

    it.each([
      ['poison', () => outcomes.poison()],
      ['raised incidents', outcomes.raised],
      ['undeclared business errors', () => outcomes.business(false)],
      ['results that cannot be stored', outcomes.badResult],
    ])('A13 comes by itself after 20 %s in a row, in the same transaction', async (_name, outcome) => {
      const scene = await stage()
      expect((await badOnes(scene, 19, outcome)).paused).toEqual([])
      expect((await badOnes(scene, 1, outcome)).paused).toEqual(['t'])
      const [type] = await scene.store.types(scene.now())
      expect(type).toMatchObject({ badStreak: 20, pausedBy: 'wf', pausedAt: scene.now() })
      await scene.enqueue({})
      expect(await scene.claim()).toEqual([])
      await scene.store.pauseTypes(['t'], { paused: false, reason: null, who: 'ada' }, scene.now())
      expect((await scene.store.types(scene.now()))[0]).toMatchObject({ badStreak: 0, pausedAt: null })
      expect(await scene.claim()).toHaveLength(1)
    })

    it('A13 does not come when a success is in between, nor by failures, losses and declared business errors', async () => {
      const scene = await stage()
      await badOnes(scene, 15, outcomes.raised)
      await badOnes(scene, 1, outcomes.success)
      expect((await scene.store.types(scene.now()))[0]?.badStreak).toBe(0)
      expect((await badOnes(scene, 19, outcomes.raised)).paused).toEqual([])
      for (const outcome of [() => outcomes.fail(60_000), outcomes.interrupted, () => outcomes.business(true)]) await badOnes(scene, 3, outcome)
      expect((await scene.store.types(scene.now()))[0]).toMatchObject({ badStreak: 19, pausedAt: null })
    })

    it('A13 counts in the order of the settlements: a success before the twentieth ends the row', async () => {
      const scene = await stage()
      const { enqueue, claim, settlement, store, now } = scene
      await enqueue(...Array.from({ length: 41 }, () => ({})))
      const jobs = await claim({ limit: 41 })
      const settlements = jobs.map((job, index) => settlement(job, index === 10 ? outcomes.success() : outcomes.raised()))
      expect((await store.exchange({ settlements: settlements.slice(0, 30) }, now())).paused).toEqual([])
      expect((await store.exchange({ settlements: settlements.slice(30) }, now())).paused).toEqual(['t'])
    })
  })
}
