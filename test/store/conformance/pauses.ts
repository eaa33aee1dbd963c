import { exchange, pauseTypes, resolveJobs } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/domain/outcome.ts'
import { outcomes, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

async function badOnes(
  { enqueue, claim, settlement, store, now }: Scene,
  count: number,
  outcome: () => Outcome,
) {
  await enqueue(...Array.from({ length: count }, () => ({})))
  const jobs = await claim({ limit: count })
  return exchange(store, { settlements: jobs.map((job) => settlement(job, outcome())) }, now())
}

export function pauseRules(stage: Stage): void {
  describe('a pause', () => {
    // B119
    it('stops claims of that type until it is resumed, and reports what changed', async () => {
      const { store, enqueue, claim, now } = await stage()
      await enqueue({}, { type: 'u' })
      expect(await pauseTypes(store, ['t'], { paused: true, reason: 'release', who: 'ada' }, now())).toEqual([
        't',
      ])
      expect(await pauseTypes(store, ['t'], { paused: true, reason: 'again', who: 'bob' }, now())).toEqual([])
      expect(await store.hasDue(['t'], false, now())).toBe(false)
      const types = ['t', 'u'].map((type) => ({ type, limit: 5, timeoutMs: 1, retries: 3 }))
      expect((await claim({ types })).map(({ type }) => type)).toEqual(['u'])
      expect((await store.types(now())).find(({ type }) => type === 't')).toMatchObject({
        pausedAt: now(),
        pausedBy: 'ada',
        pauseReason: 'release',
      })
      expect(await store.pausedTypes(now())).toEqual([
        { type: 't', since: now(), untilAt: null, by: 'ada', reason: 'release' },
      ])
      expect(
        await pauseTypes(store, ['t', 'u'], { paused: false, reason: 'done', who: 'bob' }, now()),
      ).toEqual(['t'])
      expect(await store.pausedTypes(now())).toEqual([])
      expect(await store.history(2)).toMatchObject([
        { event: 'type_resumed', who: 'bob', reason: 'done' },
        { event: 'type_paused', who: 'ada', reason: 'release' },
      ])
      expect(await store.hasDue(['t'], false, now())).toBe(true)
      expect(await claim({ types })).toHaveLength(1)
    })

    // B119
    it('ends by itself at its instant, whoever looks, and is due in the eyes of a worker that waits for work', async () => {
      const { store, enqueue, claim, clock, now } = await stage()
      await enqueue({})
      const untilAt = now() + 60_000
      const pause = { paused: true, reason: 'release', who: 'ada', untilAt }
      expect(await pauseTypes(store, ['t'], pause, now())).toEqual(['t'])
      expect(await pauseTypes(store, ['t'], pause, now()), 'the same again').toEqual([])
      expect(await store.pausedTypes(now())).toEqual([
        { type: 't', since: now(), untilAt, by: 'ada', reason: 'release' },
      ])
      expect((await store.types(now()))[0]).toMatchObject({ pausedAt: now(), pausedUntil: untilAt })
      expect([
        await store.nextDue(['t']),
        await store.hasDue(['t'], false, now()),
        await store.hasPending(['t'], now()),
      ]).toEqual([untilAt, false, false])
      await clock.advance(59_999)
      expect(await claim()).toEqual([])
      await clock.advance(1)
      expect([await store.hasDue(['t'], false, now()), await store.hasPending(['t'], now())]).toEqual([
        true,
        true,
      ])
      expect([await store.pausedTypes(now()), (await store.types(now()))[0]?.pausedAt]).toEqual([[], null])
      expect(await claim()).toHaveLength(1)
      expect((await store.history(1))[0]).toMatchObject({
        event: 'type_resumed',
        who: 'wf',
        at: untilAt,
        reason: 'its time was over',
      })
      expect(await store.nextDue(['t'])).toBeNull()
    })

    // B119
    it('takes another end, none, and a new pause after its end', async () => {
      const { store, enqueue, claim, clock, now } = await stage()
      await enqueue({})
      const until = (untilAt: number | null) =>
        pauseTypes(store, ['t'], { paused: true, reason: null, who: 'ada', untilAt }, now())
      expect([await until(now() + 1_000), await until(now() + 5_000)]).toEqual([['t'], ['t']])
      await clock.advance(2_000)
      expect(await claim()).toEqual([])
      expect([await until(null), await until(null)]).toEqual([['t'], []])
      await clock.advance(60_000)
      expect(await claim()).toEqual([])
      expect([await until(now() + 1_000), await clock.advance(1_000), await until(now() + 1_000)]).toEqual([
        ['t'],
        undefined,
        ['t'],
      ])
      expect(await claim()).toEqual([])
      expect((await store.history(3)).map(({ event, who }) => `${event} ${who}`)).toEqual([
        'type_paused ada',
        'type_resumed wf',
        'type_paused ada',
      ])
      await clock.advance(1_000)
      const resumed = await pauseTypes(store, ['t'], { paused: false, reason: null, who: 'ada' }, now())
      expect(resumed, 'it was over already').toEqual([])
      expect(await claim()).toHaveLength(1)
    })

    // B119
    it.each(['by a person', 'by its time'])(
      'lets what waited go on a ramp over all workers when it ends %s',
      async (how) => {
        const { store, enqueue, claim, clock, now } = await stage()
        await enqueue(...Array.from({ length: 2_000 }, () => ({})))
        await pauseTypes(
          store,
          ['t'],
          { paused: true, reason: null, who: 'ada', untilAt: how === 'by its time' ? now() + 1_000 : null },
          now(),
        )
        await clock.advance(1_000)
        if (how === 'by a person')
          await pauseTypes(store, ['t'], { paused: false, reason: null, who: 'ada' }, now())
        const started: number[] = []
        for (let second = 0; second < 10; second++) {
          const [one, two] = [
            await claim({ limit: 600, workerId: 'w#1' }),
            await claim({ limit: 600, workerId: 'w#2' }),
          ]
          started.push(one.length + two.length)
          expect(await store.hasDue(['t'], false, now()), 'no more for now').toBe(false)
          await clock.advance(1_000)
        }
        expect(started).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
        expect(await claim({ limit: 977 })).toHaveLength(977)
      },
    )

    // B119
    it('holds what comes due, what is lost and what is taken back from the dead letters, and each runs once afterwards', async () => {
      const scene = await stage()
      const { store, enqueue, claim, settlement, clock, now } = scene
      await enqueue({}, {}, { delay: '5s' })
      const [dead, lost] = await claim({ limit: 2 })
      if (!dead || !lost) throw new Error('two were due')
      await exchange(store, { settlements: [settlement(dead, outcomes.poison())] }, now())
      await pauseTypes(
        store,
        ['t'],
        { paused: true, reason: null, who: 'ada', untilAt: now() + 3_600_000 },
        now(),
      )
      await exchange(store, { settlements: [settlement(lost, outcomes.lost())] }, now())
      await resolveJobs(store, [{ jobKey: dead.key, verb: 'dlq_retry', who: 'ada', reason: null }], now())
      await clock.advance(60_000)
      expect([await claim({ limit: 9 }), await claim({ limit: 9, suspects: true })]).toEqual([[], []])
      await clock.advance(3_600_000 - 60_000 + 10_000)
      expect((await claim({ limit: 9 })).map(({ key }) => key).sort((a, b) => a - b)).toEqual([1, 2, 3])
      expect(await claim({ limit: 9 })).toEqual([])
    })

    it.each([
      ['poison', () => outcomes.poison()],
      ['raised incidents', outcomes.raised],
      ['undeclared business errors', () => outcomes.business(false)],
      ['results that cannot be stored', outcomes.badResult],
      // A13
    ])('comes by itself after 20 %s in a row, in the same transaction', async (_name, outcome) => {
      const scene = await stage()
      expect((await badOnes(scene, 19, outcome)).paused).toEqual([])
      expect((await badOnes(scene, 1, outcome)).paused).toEqual(['t'])
      const [type] = await scene.store.types(scene.now())
      expect(type).toMatchObject({ badStreak: 20, pausedBy: 'wf', pausedAt: scene.now() })
      await scene.enqueue({})
      expect(await scene.claim()).toEqual([])
      await pauseTypes(scene.store, ['t'], { paused: false, reason: null, who: 'ada' }, scene.now())
      expect((await scene.store.types(scene.now()))[0]).toMatchObject({ badStreak: 0, pausedAt: null })
      expect(await scene.claim()).toHaveLength(1)
    })

    // A13
    it('does not come when a success is in between, nor by failures, losses and declared business errors', async () => {
      const scene = await stage()
      await badOnes(scene, 15, outcomes.raised)
      await badOnes(scene, 1, outcomes.success)
      expect((await scene.store.types(scene.now()))[0]?.badStreak).toBe(0)
      expect((await badOnes(scene, 19, outcomes.raised)).paused).toEqual([])
      for (const outcome of [
        () => outcomes.fail(60_000),
        outcomes.interrupted,
        () => outcomes.business(true),
      ])
        await badOnes(scene, 3, outcome)
      expect((await scene.store.types(scene.now()))[0]).toMatchObject({ badStreak: 19, pausedAt: null })
    })

    // A13
    it('counts in the order of the settlements: a success before the twentieth ends the row', async () => {
      const scene = await stage()
      const { enqueue, claim, settlement, store, now } = scene
      await enqueue(...Array.from({ length: 41 }, () => ({})))
      const jobs = await claim({ limit: 41 })
      const settlements = jobs.map((job, index) =>
        settlement(job, index === 10 ? outcomes.success() : outcomes.raised()),
      )
      expect((await exchange(store, { settlements: settlements.slice(0, 30) }, now())).paused).toEqual([])
      expect((await exchange(store, { settlements: settlements.slice(30) }, now())).paused).toEqual(['t'])
    })
  })
}
