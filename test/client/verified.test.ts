import { pauseTypes } from '../support/plans.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client.ts'
import type { VerifyOptions } from '../../src/client/verified.ts'
import { outcomes, testEngine } from '../support/test-engine.ts'

async function stopped(count: number) {
  const made = await testEngine()
  await made.join('w#1', { leaseMs: 3_600_000 })
  for (let index = 0; index < count; index++) await made.add()
  const jobs = await made.claim({ limit: count })
  for (const job of jobs) await made.settle(job, outcomes.raised('boom'))
  const client = createClient({ store: made.store, clock: made.clock, who: 'shop' })
  return { ...made, client, keys: jobs.map(({ key }) => key) }
}

function resolving({ client, keys }: Awaited<ReturnType<typeof stopped>>, options: VerifyOptions) {
  const end = client.resolveVerified(keys, options)
  onTestFinished(() => void end.catch(() => undefined))
  return end
}

describe('a resolution by a program that is watched', () => {
  it('resolves the others once the canaries came through, as one operation in its name', async () => {
    const made = await stopped(5)
    const end = resolving(made, { canary: 2, verify: '1m', retries: 1, reason: 'gateway is back' })
    await made.clock.advance(200)
    const tried = await made.claim()
    expect(tried).toHaveLength(2)
    for (const job of tried) await made.settle(job, outcomes.success())
    await made.clock.advance(1_000)
    const { operation, ...seen } = await end
    expect(seen).toMatchObject({ hasGoneOn: true, ended: 'all', isProven: true, unfinished: [] })
    expect([
      seen.applied.length,
      seen.canaries?.length,
      seen.seen.map(({ verdict }) => verdict.status),
    ]).toEqual([5, 2, ['completed', 'completed']])
    expect((await made.store.operations({}, { limit: 10 })).items).toMatchObject([
      {
        id: operation,
        who: 'shop',
        reason: 'gateway is back',
        changed: 5,
        flags: { canary: 2, retries: 1, verifyMs: 60_000 },
      },
    ])
  })

  it('leaves the others as they were when a canary fails again, and tells with which error', async () => {
    const made = await stopped(3)
    const end = resolving(made, { canary: 1, verify: 60_000 })
    await made.clock.advance(200)
    for (const job of await made.claim()) await made.settle(job, outcomes.raised('boom'))
    await made.clock.advance(1_000)
    expect(await end).toMatchObject({
      ...{ hasGoneOn: false, isProven: false },
      applied: [{ status: 'changed' }],
      seen: [{ verdict: { status: 'failed', isSameCause: true, error: { message: 'boom' } } }],
    })
  })

  it('says what was not seen to end, and what holds it', async () => {
    const made = await stopped(2)
    await pauseTypes(made.store, ['mail'], { paused: true, reason: null, who: 'ada' }, made.store.now())
    const end = resolving(made, { verify: '1m' })
    await made.clock.advance(1_000)
    const { isProven, ended, unfinished } = await end
    expect([isProven, ended, unfinished.map(({ held }) => held?.by)]).toEqual([
      false,
      'held',
      ['paused', 'paused'],
    ])
  })

  it('does nothing, on no record, for no keys', async () => {
    const { client, store } = await stopped(0)
    expect(await client.resolveVerified([], { verify: '1m' })).toMatchObject({
      operation: null,
      applied: [],
      isProven: false,
    })
    expect((await store.operations({}, { limit: 10 })).items).toEqual([])
  })

  it.each([
    [{ verify: '1m', canary: 0 }, /canary is 0/],
    [{ verify: '1m', canary: 1.5 }, /canary is 1.5/],
    [{ verify: 'soon' }, /verify/],
    [{ verify: '1m', rate: 'fast' }, /rate "fast" is not a pace/],
  ] as const)('refuses %j before anything is changed', async (options, message) => {
    const made = await stopped(1)
    await expect(made.client.resolveVerified(made.keys, options)).rejects.toThrow(message)
    expect(await made.store.counts()).toMatchObject({ failed: 1 })
  })
})
