import { beginOperation, endOperation, resolveJobs, undoTargets } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { RetentionPolicy } from '../../../src/domain/retention.ts'
import { foretellUndo } from '../../../src/engine/undo.ts'
import { exhaustedToDeadLetter, leaseMs, outcomes, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

const day = 86_400_000
const policy: RetentionPolicy = {
  finishedMs: 7 * day,
  deadLettersMs: 90 * day,
  idempotencyKeysMs: 90 * day,
  statsMs: 30 * day,
}

/** Runs batches until there is no more; answers what went in all. */
async function pruneAll({ store, now }: Scene, by: RetentionPolicy = policy) {
  const total = { jobs: 0, deadLetters: 0, idempotencyKeys: 0, stats: 0 }
  for (let more = true, rounds = 0; more; rounds++) {
    if (rounds > 1_000) throw new Error('retention does not come to an end')
    const pruned = await store.prune(by, now())
    for (const kind of ['jobs', 'deadLetters', 'idempotencyKeys', 'stats'] as const)
      total[kind] += pruned[kind]
    more = pruned.more
  }
  return total
}

export function retentionRules(stage: Stage): void {
  describe('retention', () => {
    it('takes jobs that ended long enough ago, with all that belongs to them, and no others', async () => {
      const scene = await stage()
      const { enqueue, claim, settle, resolve, clock, store, faults } = scene
      await enqueue(...Array.from({ length: 9 }, () => ({})))
      const [done, rejected, cancelled, raised, waiting, lost] = await claim({ limit: 6 })
      if (!done || !rejected || !cancelled || !raised || !waiting || !lost) throw new Error('not claimed')
      await settle(done, outcomes.fail(0))
      const again = await claim({ limit: 1 })
      if (!again[0]) throw new Error('not claimed')
      await settle(again[0], outcomes.success({ r: 1 }))
      await settle(rejected, outcomes.business(true))
      await resolve(cancelled.key, 'cancel')
      await settle(raised, outcomes.raised())
      await settle(waiting, outcomes.fail(100 * day))
      await clock.advance(7 * day)
      expect(await pruneAll(scene)).toMatchObject({ jobs: 0 })
      await clock.advance(1)
      expect(await pruneAll(scene)).toMatchObject({ jobs: 3 })
      expect((await store.jobs({}, { limit: 20 })).items.map(({ key }) => key)).toEqual([
        9,
        8,
        7,
        lost.key,
        waiting.key,
        raised.key,
      ])
      expect(faults()).toEqual([])
      expect(await pruneAll(scene)).toMatchObject({ jobs: 0 })
    })

    it('forgets a dead worker after a day, but not one that is alive or still holds a job', async () => {
      const scene = await stage()
      const { store, clock, now } = scene
      await scene.join('dead#1')
      await scene.join('holding#1')
      await scene.enqueue({})
      await scene.claim({ workerId: 'holding#1' })
      const workers = async () =>
        (await store.workers(now())).map(({ id }) => id).filter((id) => id !== 'w#1')
      await clock.advance(day)
      await scene.join('alive#1')
      await store.prune(policy, now())
      expect(await workers()).toEqual(['alive#1', 'dead#1', 'holding#1'])
      await clock.advance(leaseMs + 1)
      await store.prune(policy, now())
      expect(await workers()).toEqual(['alive#1', 'holding#1'])
    })

    // B071
    it('takes many in small batches and leaves the young ones', async () => {
      const scene = await stage()
      const { enqueue, store, clock, now } = scene
      const finish = async (count: number) => {
        await enqueue(...Array.from({ length: count }, () => ({})))
        const claimed = await scene.claim({ limit: count })
        await store.exchange(
          { settlements: claimed.map((job) => scene.settlement(job, outcomes.success('x'))) },
          now(),
        )
      }
      for (let round = 0; round < 3; round++) await finish(800)
      await clock.advance(8 * day)
      await finish(10)
      const first = await store.prune(policy, now())
      expect(first.more).toBe(true)
      expect(first.jobs).toBeLessThanOrEqual(1_000)
      expect((await pruneAll(scene)).jobs + first.jobs).toBe(2_400)
      expect((await store.jobs({}, { limit: 100 })).items).toHaveLength(10)
      expect(scene.faults()).toEqual([])
    })

    it('finds what has come of age since its last round', async () => {
      const scene = await stage()
      const { add, claimOne, settle, clock } = scene
      const late = await add()
      const early = await add({ priority: 1 })
      expect((await claimOne()).key).toBe(early)
      const job = await claimOne()
      await clock.advance(8 * day)
      expect(await pruneAll(scene)).toMatchObject({ jobs: 0 })
      await settle(job, outcomes.success())
      expect(await pruneAll(scene), 'its end counts, not its beginning').toMatchObject({ jobs: 0 })
      await clock.advance(8 * day)
      expect(await pruneAll(scene)).toMatchObject({ jobs: 1 })
      expect(await scene.store.job(late)).toBeNull()
    })

    it('takes a dead letter with its dead job after its own term, and never an open incident', async () => {
      const scene = await stage()
      const { enqueue, claim, settle, resolve, clock, store, faults, expectState } = scene
      await enqueue({ retries: 1 }, {}, {})
      const [dead, poisoned, closed] = await claim()
      if (!dead || !poisoned || !closed) throw new Error('not claimed')
      await settle(dead, outcomes.fail(), { policy: exhaustedToDeadLetter })
      await settle(poisoned, outcomes.poison())
      await settle(closed, outcomes.poison())
      await resolve(closed.key, 'discard')
      await clock.advance(8 * day)
      expect(await pruneAll(scene)).toMatchObject({ jobs: 1, deadLetters: 0 })
      expect(await store.deadLetter(closed.key)).toMatchObject({ resolution: 'discard' })
      await clock.advance(83 * day)
      expect(await pruneAll(scene)).toMatchObject({ deadLetters: 2 })
      expect([
        await store.job(dead.key),
        await store.deadLetter(dead.key),
        await store.deadLetter(closed.key),
      ]).toEqual([null, null, null])
      await expectState(poisoned.key, 'failed')
      expect(faults()).toEqual([])
    })

    it('takes old statistics, and nothing where the policy says null', async () => {
      const scene = await stage()
      const { add, claimOne, settle, store, clock, now } = scene
      await add({ idempotencyKey: 'k' })
      await settle(await claimOne(), outcomes.success())
      await store.addStats(
        [{ minute: now(), type: 't', outcome: 'success', bucket: 0, count: 1, sumMs: 1 }],
        [],
        [],
        now(),
      )
      await clock.advance(1_000 * day)
      const nothing = { finishedMs: null, deadLettersMs: null, idempotencyKeysMs: null, statsMs: null }
      expect(await store.prune(nothing, now())).toEqual({
        jobs: 0,
        deadLetters: 0,
        idempotencyKeys: 0,
        stats: 0,
        more: false,
      })
      expect(await pruneAll(scene)).toEqual({ jobs: 1, deadLetters: 0, idempotencyKeys: 1, stats: 1 })
    })

    it('takes what operations keep of a job with it, and what they set with the last of their jobs; an undo says that it is not kept', async () => {
      const scene = await stage()
      const { store, now, clock } = scene
      const set = [{ path: 'pin', value: 'new-secret', add: false }]
      const by = { who: 'ada', reason: null }
      const named = {
        ...by,
        verb: 'retry' as const,
        selector: 'all',
        flags: {
          retries: 2,
          set: [
            { path: 'pin', value: 'new-secret' },
            { path: 'old', remove: true },
          ],
        },
        matched: 2,
      }
      const [first, second] = [
        await scene.add({ variables: { pin: 'old-secret' } }),
        await scene.add({ variables: { pin: 'old-secret' } }),
      ]
      const jobs = await scene.claim()
      for (const job of jobs) await scene.settle(job, outcomes.raised())
      const id = await beginOperation(store, named, now())
      await resolveJobs(
        store,
        [first, second].map((jobKey) => ({ ...by, jobKey, verb: 'retry' as const, set, operation: id })),
        now(),
      )
      await endOperation(store, id, now())
      const kept = async () =>
        JSON.stringify([
          (await store.operationTargets(id, { limit: 10 })).items,
          (await store.operation(id))?.flags,
        ])
      await scene.resolve(first, 'cancel')
      await clock.advance(7 * day + 1)
      expect(await pruneAll(scene)).toMatchObject({ jobs: 1 })
      expect(
        (await store.operationTargets(id, { limit: 10 })).items.map(({ image }) => image === null),
      ).toEqual([true, false])
      expect(await kept()).toMatch(/old-secret.*new-secret/)
      await scene.resolve(second, 'cancel')
      await clock.advance(7 * day + 1)
      expect(await pruneAll(scene)).toMatchObject({ jobs: 1 })
      expect(await kept()).not.toMatch(/secret/)
      expect((await store.operation(id))?.flags).toEqual({
        retries: 2,
        set: [{ path: 'pin' }, { path: 'old', remove: true }],
      })
      expect(await store.operation(id)).toMatchObject({ changed: 2, undone: 0 })
      const { items } = await store.operationTargets(id, { limit: 10 }, true)
      const undo = await beginOperation(
        store,
        { ...by, verb: 'undo', selector: '', flags: {}, matched: 2, undoes: id },
        now(),
      )
      expect(await Promise.all(items.map((target) => foretellUndo(store, target, now())))).toMatchObject([
        { status: 'not_found' },
        { status: 'not_found' },
      ])
      const undone = await undoTargets(
        store,
        { ...by, operation: undo, of: id, targets: items.map(({ jobKey, name }) => ({ jobKey, name })) },
        now(),
      )
      expect(undone).toMatchObject(
        [first, second].map((key) => ({ status: 'not_found', why: `job ${key} is not kept any more` })),
      )
      expect(scene.faults()).toEqual([])
    })

    it('never gives a key again', async () => {
      const scene = await stage()
      await scene.add()
      await scene.settle(await scene.claimOne(), outcomes.success())
      await scene.clock.advance(8 * day)
      await pruneAll(scene)
      expect(await scene.add()).toBe(2)
    })
  })
}
