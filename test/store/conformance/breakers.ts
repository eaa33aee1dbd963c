import { changeBreaker } from '../../support/plans.ts'
import { describe, expect, it } from 'vitest'
import type { BreakerTerms, Ticket, Verdict } from '../../../src/domain/breaker.ts'
import type { BreakerEvent } from '../../../src/domain/breaker-row.ts'
import type { Store } from '../../../src/store/port.ts'
import { openedBreaker, type Scene } from '../../support/store-scene.ts'
import type { Stage } from '../conformance.ts'

const terms: BreakerTerms = { openForMs: 30_000, probes: 1 }

/** What a process does to the breaker stripe through its own connection. */
function keeper(store: Store, { now }: Scene, own: BreakerTerms = terms) {
  const change = async (event: BreakerEvent, who = 'wf', reason: string | null = null) =>
    changeBreaker(store, { name: 'stripe', event, terms: own, who, reason }, now())
  return {
    open: (generation: number) => change({ kind: 'open', generation }, 'wf', '5 failures in a row'),
    acquire: async (holder: string) => (await change({ kind: 'acquire', holder })).ticket,
    release: async (ticket: Ticket, verdict: Verdict) =>
      (await change({ kind: 'release', ticket, verdict })).breaker,
    trip: (forMs: number, who: string, reason: string) => change({ kind: 'trip', forMs }, who, reason),
    close: (who: string, reason: string) => change({ kind: 'close' }, who, reason),
  }
}

const historyOf = async ({ store }: Scene) =>
  (await store.breakerHistory('stripe', 100)).map(
    ({ event, who, reason }) => `${event} ${who}: ${reason ?? ''}`,
  )

export function breakerRules(stage: Stage): void {
  describe('a shared breaker', () => {
    it('is no row until somebody opens it, and nothing is written by an event that changes nothing', async () => {
      const { store, now } = await stage()
      expect([await store.breakers(), await store.breaker('stripe')]).toEqual([[], null])
      const close = { name: 'stripe', event: { kind: 'close' }, who: 'wf', reason: null } as const
      expect((await changeBreaker(store, close, now())).breaker).toBeNull()
      const { breaker: opened } = await changeBreaker(store, openedBreaker(), now())
      const again = { ...openedBreaker(), who: 'ada', reason: 'x' }
      expect(await changeBreaker(store, again, now())).toEqual({
        ...{ breaker: opened, changed: false, ticket: null },
      })
      expect([await store.breakers(), await store.breakerHistory('other', 10)]).toEqual([[opened], []])
    })

    // A25
    it('opens once when fifty have counted enough in the same generation', async () => {
      const scene = await stage()
      const { open } = keeper(scene.store, scene)
      await Promise.all(Array.from({ length: 50 }, () => open(0)))
      expect(await scene.store.breaker('stripe')).toMatchObject({
        ...{
          name: 'stripe',
          mode: 'open',
          generation: 1,
          by: 'calls',
          who: 'wf',
          reason: '5 failures in a row',
          terms,
        },
        ...{ changedAt: scene.now(), expiresAt: scene.now() + 30_000 },
      })
      expect(await historyOf(scene)).toEqual(['breaker_opened wf: 5 failures in a row'])
      const [row] = await scene.store.breakerHistory('stripe', 1)
      const detail = {
        breaker: 'stripe',
        from: 'closed',
        to: 'open',
        generation: 1,
        by: 'calls',
        untilAt: scene.now() + 30_000,
      }
      expect([row?.jobKey, JSON.parse(row?.detail ?? '')]).toEqual([null, detail])
      expect(await scene.store.history(10), 'the history of breakers stands apart').toEqual([])
    })

    // A25
    it('lets at most its probes through in an open period, whoever asks through whichever connection', async () => {
      const scene = await stage()
      const { store, clock, another } = scene
      const own = { ...terms, probes: 2 }
      const stores = [store, another === null ? store : await another()]
      const keepers = stores.map((each) => keeper(each, scene, own))
      await keepers[0]?.open(0)
      const ask = () =>
        Promise.all(Array.from({ length: 20 }, (_, index) => keepers[index % 2]?.acquire(`w#${index}`)))
      expect((await ask()).filter(Boolean)).toEqual([])
      await clock.advance(30_000)
      const tickets = (await ask()).filter((ticket): ticket is Ticket => Boolean(ticket))
      expect(tickets).toEqual([
        { generation: 2, permit: 1 },
        { generation: 2, permit: 2 },
      ])
      expect(await store.breaker('stripe')).toMatchObject({
        mode: 'half_open',
        reason: '5 failures in a row',
        probes: [{ permit: 1 }, { permit: 2 }],
      })
      const [first, second] = tickets
      if (first === undefined || second === undefined) throw new Error('no tickets')
      await keepers[1]?.release(first, 'failure')
      expect(await store.breaker('stripe')).toMatchObject({ mode: 'open', generation: 3, probes: [] })
      await keepers[0]?.release(second, 'success')
      expect(
        await store.breaker('stripe'),
        'a late result of an older generation changes nothing',
      ).toMatchObject({ mode: 'open', generation: 3 })
      expect((await ask()).filter(Boolean)).toEqual([])
    })

    // A25
    it('keeps a permit with its holder, frees it by its release, and at its expiry when the holder was killed', async () => {
      const scene = await stage()
      const { store, clock, now } = scene
      const { open, acquire, release } = keeper(store, scene)
      await open(0)
      await clock.advance(30_000)
      const ticket = await acquire('killed#1')
      expect((await store.breaker('stripe'))?.probes).toEqual([
        { permit: 1, holder: 'killed#1', expiresAt: now() + 30_000 },
      ])
      await clock.advance(29_999)
      expect(await acquire('w#2')).toBeNull()
      await clock.advance(1)
      const second = await acquire('w#2')
      expect([ticket, second]).toEqual([
        { generation: 2, permit: 1 },
        { generation: 2, permit: 2 },
      ])
      if (second === null) throw new Error('no permit')
      await release(second, 'excluded')
      expect((await store.breaker('stripe'))?.probes).toEqual([])
      const third = await acquire('w#3')
      if (third === null) throw new Error('no permit')
      expect(await release(third, 'success')).toMatchObject({ mode: 'closed', generation: 3 })
      expect(await acquire('w#4')).toBeNull()
    })

    // A26
    it('is tripped and closed by people, who are recorded with their reasons', async () => {
      const scene = await stage()
      const { open, ...operator } = keeper(scene.store, scene)
      await operator.trip(600_000, 'ada', 'they asked us to')
      expect(await scene.store.breaker('stripe')).toMatchObject({
        mode: 'open',
        by: 'operator',
        who: 'ada',
        expiresAt: scene.now() + 600_000,
      })
      await open(0)
      await operator.close('bob', 'it is well again')
      expect(await scene.store.breaker('stripe')).toMatchObject({
        mode: 'closed',
        by: 'operator',
        who: 'bob',
        reason: 'it is well again',
      })
      expect(await historyOf(scene)).toEqual([
        'breaker_closed bob: it is well again',
        'breaker_opened ada: they asked us to',
      ])
      expect(await scene.store.breakerHistory('stripe', 1)).toHaveLength(1)
    })

    it('lists each by its name, with its own permits', async () => {
      const { store, clock, now } = await stage()
      for (const name of ['b', 'a']) await changeBreaker(store, openedBreaker(name), now())
      await clock.advance(30_000)
      const probe = { permit: 1, holder: 'w#1', expiresAt: now() + 30_000 }
      const event = { kind: 'acquire', holder: 'w#1' } as const
      await changeBreaker(store, { name: 'b', event, who: 'wf', reason: null }, now())
      expect((await store.breakers()).map(({ name, probes }) => [name, probes])).toEqual([
        ['a', []],
        ['b', [probe]],
      ])
    })
  })
}
