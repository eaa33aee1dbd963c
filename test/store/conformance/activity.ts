import { beginOperation, endOperation } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { FeedEvent, FeedPosition } from '../../../src/domain/feed-event.ts'
import { exhaustedToDeadLetter, outcomes, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

/** Asks as often as it is called, and goes on where it was. */
async function follower({ store, now }: Scene, since = now()) {
  let position: FeedPosition = await store.feedPositionAt(since)
  return async (limit = 100): Promise<readonly FeedEvent[]> => {
    const news = await store.feedSince(position, limit, now())
    // As plain data it may be kept.
    position = JSON.parse(JSON.stringify(news.position)) as FeedPosition
    return news.events
  }
}

const told = (events: readonly FeedEvent[]) =>
  events.map(({ kind, what, jobKey, count }) => [kind, what, jobKey, count])
const ofKind = (events: readonly FeedEvent[], kind: FeedEvent['kind']) =>
  events.filter((each) => each.kind === kind)

export function activityRules(stage: Stage): void {
  describe('news', () => {
    it('tells everything once, in the order in which it is asked for', async () => {
      const scene = await stage()
      const { add, claimOne, settle, resolve, clock } = scene
      const news = await follower(scene)
      expect(await news()).toEqual([])
      const key = await add()
      expect(told(await news())).toEqual([['enqueued', null, key, 1]])
      await settle(await claimOne(), outcomes.fail())
      expect(told(await news())).toEqual([['attempt', 'fail', key, 1]])
      await clock.advance(3_600_000)
      await settle(await claimOne(), outcomes.raised())
      const stop = await news()
      expect(told(stop)).toEqual(
        expect.arrayContaining([
          ['attempt', 'incident', key, 1],
          ['incident', 'raised', key, 1],
        ]),
      )
      expect(stop).toHaveLength(2)
      await resolve(key, 'cancel')
      expect(told(await news())).toEqual([['change', 'cancelled', key, 1]])
      const given = await add({ retries: 1 })
      await settle(await claimOne(), outcomes.fail(), { policy: exhaustedToDeadLetter })
      expect(told(ofKind(await news(), 'dead_letter'))).toEqual([['dead_letter', 'exhausted', given, 1]])
      expect(await news()).toEqual([])
    })

    it('begins in the past where it is asked to', async () => {
      const scene = await stage()
      const { add, claimOne, settle, clock, now } = scene
      await add({ type: 'old' })
      await settle(await claimOne({ type: 'old' }), outcomes.raised())
      await clock.advance(60_000)
      const since = now()
      const key = await add()
      await settle(await claimOne(), outcomes.raised())
      await clock.advance(60_000)
      const found = await (await follower(scene, since))()
      expect(found.map(({ kind, jobKey }) => [kind, jobKey]).sort()).toEqual([
        ['attempt', key],
        ['enqueued', key],
        ['incident', key],
      ])
    })

    it('tells an attempt that was committed later than one that ended after it', async () => {
      const scene = await stage()
      const { add, claimOne, store, settlement, settle, clock } = scene
      const [slow, fast] = [await add(), await add()]
      const [first, second] = [await claimOne(), await claimOne()]
      const news = await follower(scene)
      await news()
      const late = settlement(first, outcomes.fail())
      await clock.advance(1_000)
      await settle(second, outcomes.fail())
      expect(told(await news())).toEqual([['attempt', 'fail', second.key, 1]])
      await store.exchange({ settlements: [late] }, clock.now())
      expect(told(await news())).toEqual([['attempt', 'fail', first.key, 1]])
      expect([slow, fast].sort()).toEqual([first.key, second.key].sort())
      expect(await news()).toEqual([])
    })

    it('counts what comes in crowds, none twice and none left out', async () => {
      const scene = await stage()
      const { enqueue, clock } = scene
      const news = await follower(scene)
      await enqueue(...Array.from({ length: 30 }, (_, index) => ({ type: index % 3 === 0 ? 'a' : 'b' })))
      const many = await news(5)
      expect(
        ofKind(many, 'enqueued')
          .map(({ type, count }) => [type, count])
          .sort(),
      ).toEqual([
        ['a', 10],
        ['b', 20],
      ])
      await clock.advance(600_000)
      expect(await news(5)).toEqual([])
    })

    it('goes on where there is more than it reads at once, and tells each once', async () => {
      const scene = await stage()
      const { store, now } = scene
      const count = 12
      for (let each = 0; each < count; each++) {
        const id = await beginOperation(
          store,
          { verb: 'cancel', who: String(each), selector: '1', reason: null, flags: {}, matched: 0 },
          now(),
        )
        await endOperation(store, id, now())
      }
      let position = await store.feedPositionAt(0)
      const who: (string | null)[] = []
      for (let more = true; more; ) {
        const news = await store.feedSince(position, 5, now())
        ;({ position, more } = news)
        who.push(...ofKind(news.events, 'operation').map((each) => each.who))
      }
      expect(who).toEqual(Array.from({ length: count }, (_, each) => String(each)))
    })

    it('returns an operation once it has ended', async () => {
      const scene = await stage()
      const { store, now } = scene
      const news = await follower(scene)
      const id = await beginOperation(
        store,
        { verb: 'cancel', who: 'ada', selector: '1', reason: null, flags: {}, matched: 0 },
        now(),
      )
      expect(await news()).toEqual([])
      await endOperation(store, id, now())
      const [operation] = await news()
      expect(operation).toMatchObject({ kind: 'operation', what: 'cancel', who: 'ada' })
    })
  })
}
