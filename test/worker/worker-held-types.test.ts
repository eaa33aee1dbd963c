import { describe, expect, it } from 'vitest'
import type { ActivatedJob, HandlerContext } from '../../src/worker/handler/define-handler.ts'
import { testWorker } from './test-worker.ts'

interface Bank {
  up: boolean
  calls: number
}

const policy = { retry: {}, breaker: { failures: 5, openFor: '10m', shared: false } }

/** Pays through the bank's breaker. */
function pay(bank: Bank, more: object = {}) {
  return {
    type: 'pay',
    concurrency: 10,
    dependencies: { bank: policy },
    run: (_: ActivatedJob<unknown>, ctx: HandlerContext) =>
      ctx.call('bank', async () => {
        bank.calls++
        if (!bank.up) throw Object.assign(new Error('down'), { status: 503 })
      }),
    ...more,
  }
}

/** Opens the breaker without a job that is held or fails. */
function opener(bank: Bank) {
  return {
    type: 'opener',
    dependencies: { bank: { breaker: { ...policy.breaker, hold: false } } },
    async run(_: unknown, ctx: HandlerContext) {
      for (let call = 0; call < 5; call++)
        await ctx.optional('bank', () => ctx.call('bank', () => Promise.reject(new Error('down'))))
      bank.up = false
    },
  }
}

async function world(more: object = {}) {
  const bank: Bank = { up: true, calls: 0 }
  const t = await testWorker({
    handlers: [pay(bank, more), opener(bank), { type: 'mail', concurrency: 10, run: () => 'sent' }],
  })
  const claims: { at: number; types: string[] }[] = []
  const exchange = t.engine.exchange
  t.engine.exchange = async (hand) => {
    const answer = await exchange(hand)
    if (answer.claimed.length > 0)
      claims.push({ at: t.clock.monotonic(), types: answer.claimed.map(({ type }) => type) })
    return answer
  }
  await t.add({ type: 'opener' })
  t.worker.start()
  await t.rest()
  const claimedOf = (type: string) =>
    claims.flatMap(({ types }) => types).filter((each) => each === type).length
  const addMany = async (type: string, count: number) => {
    await t.engine.enqueue(Array.from({ length: count }, () => ({ type, variables: {} })))
  }
  return { ...t, bank, claims, claimedOf, addMany }
}

describe('types whose breaker is open', () => {
  // A27 B042
  it('are not claimed: the other type runs, no retry is spent, and one probe goes a period', async () => {
    const t = await world()
    expect(t.bank.up).toBe(false)
    await t.addMany('pay', 500)
    await t.addMany('mail', 500)
    await t.clock.advance(50)
    for (let round = 0; round < 30; round++) await t.rest()
    expect([t.claimedOf('mail'), t.claimedOf('pay')]).toEqual([500, 0])
    expect(await t.store.counts()).toMatchObject({ available: 500 })
    await t.clock.advance(9 * 60_000)
    expect(t.claimedOf('pay')).toBe(0)
    await t.clock.advance(61_000 + 1_000)
    await t.rest()
    expect([t.claimedOf('pay'), t.bank.calls]).toEqual([1, 1])
    await t.clock.advance(10 * 60_000)
    await t.rest()
    expect([t.claimedOf('pay'), t.bank.calls]).toEqual([2, 2])
    const { items } = await t.store.jobs({ types: ['pay'] }, { limit: 1_000 })
    expect(new Set(items.map(({ retries }) => retries))).toEqual(new Set([3]))
    expect(new Set(items.map(({ failures }) => failures))).toEqual(new Set([0]))
    expect((await t.store.incidents({}, { limit: 10 })).items).toEqual([])
  })

  // A27
  it('cost a worker that has nothing else one look a second', async () => {
    const t = await world()
    await t.addMany('pay', 500)
    await t.rest()
    let looks = 0
    const hasDue = t.store.hasDue
    t.store.hasDue = async (...asked) => {
      looks++
      return hasDue.apply(t.store, asked)
    }
    let exchanges = 0
    const exchange = t.engine.exchange
    t.engine.exchange = (hand) => {
      exchanges++
      return exchange(hand)
    }
    await t.clock.advance(60_000)
    expect(exchanges).toBe(0)
    expect(looks).toBeLessThanOrEqual(70)
  })

  it('are released on a ramp after it has closed: one, two, four … a second', async () => {
    const t = await world()
    await t.addMany('pay', 300)
    await t.rest()
    t.bank.up = true
    await t.clock.advance(10 * 60_000 - 1)
    expect(t.claimedOf('pay')).toBe(0)
    await t.clock.advance(1)
    await t.rest()
    const perSecond: number[] = []
    let before = t.claimedOf('pay')
    // The probe, and the first of the ramp.
    expect(before).toBe(2)
    for (let second = 0; second < 3; second++) {
      await t.clock.advance(1_000)
      await t.rest()
      perSecond.push(t.claimedOf('pay') - before)
      before = t.claimedOf('pay')
    }
    expect(perSecond).toEqual([2, 4, 8])
    await t.clock.advance(1_000)
    for (let round = 0; round < 30; round++) await t.rest()
    expect(t.claimedOf('pay')).toBe(300)
    expect(await t.store.counts()).toMatchObject({ available: 0, waiting: 0, running: 0 })
  })

  it('are claimed all the same where the handler says hold: false', async () => {
    const t = await world({
      dependencies: { bank: { ...policy, breaker: { ...policy.breaker, hold: false } } },
    })
    await t.addMany('pay', 3)
    await t.rest()
    expect([t.claimedOf('pay'), t.bank.calls]).toEqual([3, 0])
    const { items } = await t.store.jobs({ types: ['pay'] }, { limit: 10 })
    expect(items.map(({ state, waitReason, retries }) => [state, waitReason, retries])).toEqual(
      Array.from({ length: 3 }, () => ['waiting', 'deferred', 3]),
    )
  })
})
