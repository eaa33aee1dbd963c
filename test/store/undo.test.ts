/** Over random stores: what an operation did, its undo takes back, and nothing else. */
import { repeats } from '../support/long.ts'
import { beginOperation, endOperation, resolveJobs, undoTargets } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { Job } from '../../src/domain/job.ts'
import type { Undone } from '../../src/domain/operation.ts'
import type { Resolution, ResolutionVerb } from '../../src/domain/resolution.ts'
import { seededRandom } from '../../src/random.ts'
import { exhaustedToDeadLetter, outcomes, sceneOn, type Scene } from '../support/store-scene.ts'
import { openScene } from '../support/store-sqlite.ts'

type Some<T> = readonly [T, ...T[]]

class Dice {
  readonly #random: () => number
  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }
  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
  one<T>(of: Some<T>): T {
    return of[this.below(of.length)] ?? of[0]
  }
  chance(share: number): boolean {
    return this.#random() < share
  }
}

const endings: Some<(scene: Scene, job: Job) => Promise<unknown>> = [
  ({ settle }, job) => settle(job, outcomes.raised()),
  ({ settle }, job) => settle(job, outcomes.poison()),
  ({ settle }, job) => settle(job, outcomes.fail(), { policy: exhaustedToDeadLetter }),
  ({ settle }, job) => settle(job, outcomes.fail(60_000)),
  ({ settle, now }, job) => settle(job, outcomes.defer(now() + 5_000)),
  ({ settle }, job) => settle(job, outcomes.badResult()),
  ({ settle }, job) => settle(job, outcomes.lost()),
  ({ settle }, job) => settle(job, outcomes.success({ done: true })),
  ({ settle }, job) => settle(job, outcomes.business(true)),
  async () => undefined,
]

/** Jobs in every state, some of them stopped, resolved and stopped again. */
async function furnished(scene: Scene, dice: Dice): Promise<readonly number[]> {
  await scene.join()
  const keys: number[] = []
  for (let count = 0; count < 25; count++) {
    const deadline = dice.chance(0.2) ? { deadline: '1h' } : {}
    keys.push(
      await scene.add({
        variables: { amount: count, to: 'x', deep: { a: [1, 2] } },
        retries: 1 + dice.below(3),
        priority: dice.below(3),
        ...deadline,
      }),
    )
  }
  for (let round = 0; round < 3; round++) {
    await scene.clock.advance(1 + dice.below(3_000))
    for (const job of await scene.claim({ limit: dice.below(15) })) {
      if (dice.chance(0.3))
        await scene.store.completeStep(
          { jobKey: job.key, attempt: job.attempt, workerId: 'w#1' },
          'charge',
          '1',
          scene.now(),
        )
      await dice.one(endings)(scene, job)
    }
    for (const key of keys)
      if (dice.chance(0.1)) await scene.resolve(key, dice.one(['retry', 'cancel', 'resolve']))
  }
  return keys
}

interface Seen {
  [key: number]: unknown
}

/** All that there is of the jobs but the record of what people did, and the steps, which may have been made forgotten for good. */
async function seen({ store }: Scene, keys: readonly number[]): Promise<Seen> {
  const all: Seen = {}
  for (const key of keys) {
    const detail = await store.job(key)
    const letter = await store.deadLetter(key)
    all[key] = detail && { ...detail, history: [], letter, steps: [] }
  }
  return all
}

function randomResolution(dice: Dice, verb: ResolutionVerb): Omit<Resolution, 'jobKey'> {
  const ends = verb === 'cancel' || verb === 'discard'
  return {
    ...{ verb, who: 'ada', reason: null },
    ...(!ends && dice.chance(0.5) ? { retries: 1 + dice.below(5) } : {}),
    ...(!ends && dice.chance(0.5)
      ? { set: [{ path: dice.one(['amount', 'deep.a.1', 'fresh']), value: dice.below(9), add: true }] }
      : {}),
    ...(!ends && dice.chance(0.2) ? { newEffects: true } : {}),
  }
}

async function operate(scene: Scene, dice: Dice, keys: readonly number[]): Promise<number> {
  const verb = dice.one<ResolutionVerb>(['resolve', 'retry', 'dlq_retry'])
  const resolution = randomResolution(dice, verb)
  const chosen = keys.filter(() => dice.chance(0.6))
  const operation = await beginOperation(
    scene.store,
    { ...resolution, selector: '', flags: {}, matched: chosen.length },
    scene.now(),
  )
  await resolveJobs(
    scene.store,
    chosen.map((jobKey) => ({ ...resolution, jobKey, operation })),
    scene.now(),
  )
  await endOperation(scene.store, operation, scene.now())
  return operation
}

async function undo({ store, now }: Scene, of: number): Promise<readonly Undone[]> {
  const { items } = await store.operationTargets(of, { limit: 1_000 }, true)
  const named = {
    verb: 'undo' as const,
    who: 'bob',
    reason: null,
    selector: `operation ${of}`,
    flags: {},
    matched: items.length,
    undoes: of,
  }
  const operation = await beginOperation(store, named, now())
  const undone = await undoTargets(
    store,
    { operation, of, targets: items.map(({ jobKey, name }) => ({ jobKey, name })), who: 'bob', reason: null },
    now(),
  )
  await endOperation(store, operation, now())
  return undone
}

const seeds = Array.from({ length: repeats(4, 12) }, (_, index) => index + 1)

describe('over random stores', () => {
  it.each(seeds)(
    'operations and their undos, the last first, leave everything as it was (seed %i)',
    async (seed) => {
      const scene = sceneOn(await openScene(':memory:'))
      const dice = new Dice(seed)
      const keys = await furnished(scene, dice)
      const before = await seen(scene, keys)
      const operations: number[] = []
      for (let count = 0; count < 3; count++) {
        operations.push(await operate(scene, dice, keys))
        await scene.clock.advance(dice.below(100))
      }
      const undone: Undone[] = []
      for (const operation of operations.toReversed()) undone.push(...(await undo(scene, operation)))
      expect(undone.length).toBeGreaterThan(0)
      expect(undone.filter(({ status }) => status !== 'changed')).toEqual([])
      expect(await seen(scene, keys)).toEqual(before)
      expect(scene.faults()).toEqual([])
    },
  )

  it.each(seeds)(
    'an undo brings back exactly the jobs that no attempt has touched since (seed %i)',
    async (seed) => {
      const scene = sceneOn(await openScene(':memory:'))
      const dice = new Dice(seed + 100)
      const keys = await furnished(scene, dice)
      const before = await seen(scene, keys)
      const operation = await operate(scene, dice, keys)
      const claimed = new Set<number>()
      for (const job of await scene.claim({ limit: dice.below(12) })) {
        claimed.add(job.key)
        await dice.one(endings)(scene, job)
      }
      const after = await seen(scene, keys)
      const undone = new Map((await undo(scene, operation)).map((each) => [each.jobKey, each.status]))
      const now = await seen(scene, keys)
      for (const key of keys) {
        if (!undone.has(key)) expect([key, now[key]]).toEqual([key, after[key]])
        else if (claimed.has(key))
          expect([key, undone.get(key), now[key]]).toEqual([key, 'failed', after[key]])
        else expect([key, undone.get(key), now[key]]).toEqual([key, 'changed', before[key]])
      }
      expect(scene.faults()).toEqual([])
    },
  )
})
