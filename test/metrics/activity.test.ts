import { describe, expect, it } from 'vitest'
import { quantile, readActivity } from '../../src/metrics/activity.ts'
import { bucketOf } from '../../src/metrics/attempt-totals.ts'
import { outcomes, sceneOn } from '../support/store-scene.ts'
import { openScene } from '../support/store-sqlite.ts'

const minute = 60_000

describe('quantile', () => {
  it('lies within the bucket in which the share falls, and nowhere without attempts', () => {
    expect(quantile([], 0.5)).toBeNull()
    expect(quantile([{ bucket: bucketOf(80), count: 10 }], 0.5)).toBe(75)
    expect(
      quantile(
        [
          { bucket: bucketOf(4), count: 95 },
          { bucket: bucketOf(400), count: 5 },
        ],
        0.95,
      ),
    ).toBe(5)
    expect(quantile([{ bucket: bucketOf(900_000), count: 1 }], 0.95)).toBe(300_000)
  })
})

describe('readActivity', () => {
  it('sums up a window by type, outcome and minute, and leaves out what lies before it', async () => {
    const { store, clock, add, claimOne, settle } = sceneOn(await openScene(':memory:'))
    const stats = (at: number, [type, outcome]: readonly [string, string], count: number, ms = 3) =>
      store.addStats(
        [{ minute: at - (at % minute), type, outcome, bucket: bucketOf(ms), count, sumMs: ms * count }],
        [],
        [],
        at,
      )
    const start = clock.now()
    await stats(start, ['mail', 'success'], 1_000)
    await add({ type: 'mail' })
    await settle(await claimOne({ type: 'mail' }), outcomes.raised())
    await clock.advance(90 * minute)
    const now = clock.now()
    await stats(now - 2 * minute, ['mail', 'success'], 30, 40)
    await stats(now, ['mail', 'success'], 30, 40)
    await stats(now, ['mail', 'fail'], 4, 2_000)
    await stats(now, ['mail', 'defer'], 7)
    await stats(now, ['charge', 'business_error'], 2)
    await add({ type: 'charge' })
    await settle(await claimOne({ type: 'charge' }), outcomes.poison())
    const read = (by: 'type' | 'outcome' | 'minute', types?: readonly string[]) =>
      readActivity(store, { windowMs: 3_600_000, by, now, ...(types ? { types } : {}) })
    const { groups, since, minutes } = await read('type')
    expect([since % minute, Math.floor(minutes)]).toEqual([0, 60])
    expect(groups.map(({ p50Ms: _, p95Ms: __, perMinute: ___, ...group }) => group)).toEqual([
      { group: 'mail', completed: 60, failed: 4, attempts: 71, incidents: 0, deadLetters: 0 },
      { group: 'charge', completed: 2, failed: 0, attempts: 2, incidents: 1, deadLetters: 1 },
    ])
    expect(groups[0]?.perMinute).toBeCloseTo(60 / minutes)
    expect(groups[0]?.p95Ms).toBeGreaterThan(1_000)
    expect((await read('type', ['charge'])).groups.map(({ group }) => group)).toEqual(['charge'])
    expect(
      (await read('outcome')).groups.map(({ group, attempts, incidents }) => [group, attempts, incidents]),
    ).toEqual([
      ['success', 60, 0],
      ['defer', 7, 0],
      ['fail', 4, 0],
      ['business_error', 2, 0],
      ['poison', 0, 0],
      ['poison_message', 0, 1],
    ])
    expect(
      (await read('minute')).groups.map(({ group, completed }) => [
        now - Number(group) >= 2 * minute,
        completed,
      ]),
    ).toEqual([
      [true, 30],
      [false, 32],
    ])
  })
})
