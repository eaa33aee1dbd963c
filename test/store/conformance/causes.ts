import { describe, expect, it } from 'vitest'
import { sampleSize, trendWindowMs } from '../../../src/domain/cause.ts'
import { errorRecord } from '../../../src/domain/error-record.ts'
import type { Outcome } from '../../../src/domain/outcome.ts'
import { outcomes, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

const raised = (message: string): Outcome => ({
  kind: 'incident',
  incident: 'raised',
  error: errorRecord(new Error(message)),
})

/** Stops so many jobs for this reason; answers their keys. */
async function stop(
  { enqueue, claim, settle }: Scene,
  count: number,
  outcome: Outcome,
  variables: object = {},
): Promise<readonly number[]> {
  await enqueue(...Array.from({ length: count }, () => ({ variables })))
  const jobs = await claim({ limit: count })
  for (const job of jobs) await settle(job, outcome)
  return jobs.map(({ key }) => key).sort((a, b) => b - a)
}

export function causeRules(stage: Stage): void {
  describe('causes', () => {
    it('are the open incidents by fingerprint, the most first, with how many came when', async () => {
      const scene = await stage()
      const { store, clock, now } = scene
      expect(await store.causes({}, now())).toEqual([])
      await stop(scene, 2, raised('order 17 is late'))
      await clock.advance(trendWindowMs)
      const slow = await stop(scene, 3, raised('took 40 ms'))
      await clock.advance(1_000)
      const last = await stop(scene, 1, raised('took 77 ms'))
      const [first, second, ...more] = await store.causes({}, now())
      expect(more).toEqual([])
      expect(first).toMatchObject({
        type: 't',
        kind: 'raised',
        kinds: [{ kind: 'raised', count: 4 }],
        code: null,
        name: 'Error',
        message: 'took <n> ms',
      })
      expect(first).toMatchObject({
        count: 4,
        firstAt: now() - 1_000,
        lastAt: now(),
        seenAt: now() - 1_000,
        recent: { last: 4, before: 0 },
      })
      expect(first?.sampleKeys).toEqual([...last, ...slow])
      expect(second).toMatchObject({ message: 'order <n> is late', count: 2, recent: { last: 0, before: 2 } })
      expect(first?.fingerprint).toMatch(/^[0-9a-f]{16}$/)
    })

    it('tell no secret, though its digits are taken out of their message with what differs from job to job', async () => {
      const scene = await stage()
      const token =
        'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
      await stop(scene, 1, raised(`key ${'sk_live_'}51HabcDEF2xyzK9qrs of 17 refused`))
      await stop(scene, 1, raised(`bad token ${token}`))
      await stop(scene, 1, raised('https://ada:s3cret@pay.example.com/v1 gave 500'))
      const told = (await scene.store.causes({}, scene.now())).map(({ message }) => message).sort()
      expect(told).toEqual([
        'bad token ***',
        'https://***@pay.example.com/v<n> gave <n>',
        'key *** of <n> refused',
      ])
    })

    it('count what is open, but know since when and how often lately the fingerprint came at all', async () => {
      const scene = await stage()
      const { store, clock, now, resolve } = scene
      const at = now()
      const [key = 0] = await stop(scene, 1, raised('boom'))
      await resolve(key, 'cancel')
      expect(await store.causes({}, now())).toEqual([])
      await clock.advance(60_000)
      await stop(scene, 1, raised('boom'))
      expect(await store.causes({}, now())).toMatchObject([
        { count: 1, firstAt: at + 60_000, seenAt: at, recent: { last: 2, before: 0 } },
      ])
    })

    it('are narrowed as lists of incidents are', async () => {
      const scene = await stage()
      const { store, now, clock } = scene
      const raisedKeys = await stop(scene, 2, raised('boom'))
      await clock.advance(1_000)
      const [poisoned = 0] = await stop(scene, 1, outcomes.poison())
      const counts = async (selector: Parameters<typeof store.causes>[0]) =>
        (await store.causes(selector, now())).map(({ kind, count }) => [kind, count])
      expect(await counts({})).toEqual([
        ['raised', 2],
        ['poison_message', 1],
      ])
      expect(await counts({ types: ['t'], incidentKinds: ['poison_message'] })).toEqual([
        ['poison_message', 1],
      ])
      expect(await counts({ keys: [raisedKeys[0] ?? 0, poisoned] })).toEqual([
        ['poison_message', 1],
        ['raised', 1],
      ])
      expect(await counts({ types: ['other'] })).toEqual([])
      expect(await counts({ states: ['completed'] })).toEqual([])
    })

    it('sample their newest and oldest jobs, no more than so many', async () => {
      const scene = await stage()
      const keys = await stop(scene, sampleSize + 50, raised('boom'))
      const [cause] = await scene.store.causes({}, scene.now())
      expect(cause?.sampleKeys).toEqual([...keys.slice(0, sampleSize / 2), ...keys.slice(-sampleSize / 2)])
    })

    it('are told from other jobs of their type that came to rest, by a sample of both', async () => {
      const scene = await stage()
      const { store, now, add, claim, settle, enqueue } = scene
      await enqueue(...Array.from({ length: 4 }, () => ({ variables: { region: 'us' } })))
      for (const job of await claim()) await settle(job, outcomes.success())
      await stop(scene, 3, raised('boom'), { region: 'eu' })
      await stop(scene, 1, raised('another'), { region: 'asia' })
      await stop(scene, 1, raised('boom'), { region: 'eu', long: 'x'.repeat(100_000) })
      await add({ variables: { region: 'not at rest' } })
      await add({ type: 'other', variables: { region: 'of another type' } })
      const cause = (await store.causes({}, now())).find(({ count }) => count === 4)
      if (!cause) throw new Error('no such cause')
      const { members, others } = await store.causeVariables(cause)
      expect(members).toEqual(Array.from({ length: 3 }, () => '{"region":"eu"}'))
      expect([...others].sort()).toEqual([
        '{"region":"asia"}',
        ...Array.from({ length: 4 }, () => '{"region":"us"}'),
      ])
    })
  })
}
