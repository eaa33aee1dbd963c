import { describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../src/client.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

async function scene(): Promise<{ t: TestEngine; client: Client }> {
  const t = await testEngine()
  return { t, client: createClient({ store: t.store, clock: t.clock, who: 'shop' }) }
}

async function stopped(t: TestEngine, count: number): Promise<readonly number[]> {
  await t.join('w#1')
  const keys: number[] = []
  for (let added = 0; added < count; added++) keys.push(await t.add())
  for (const job of await t.claim({ limit: count })) await t.settle(job, outcomes.raised())
  return keys
}

const verbs = async ({ operations }: Client) =>
  (await operations.operations({}, { limit: 10 })).items.map(({ verb, who }) => `${verb} by ${who}`)

describe('a client', () => {
  it('says what would become of each with dryRun, and changes and records nothing', async () => {
    const { t, client } = await scene()
    const [key = 0] = await stopped(t, 1)
    const dryRun = { dryRun: true }
    expect(await client.resolve([key, 4_711], dryRun)).toMatchObject([
      { jobKey: key, status: 'changed', from: 'failed', to: 'available' },
      { jobKey: 4_711, status: 'not_found' },
    ])
    expect(await client.retry(key, dryRun)).toMatchObject([{ status: 'changed', to: 'available' }])
    expect(await client.cancel(key, dryRun)).toMatchObject([{ status: 'changed', to: 'cancelled' }])
    expect(await client.update(key, { priority: 1, ...dryRun })).toMatchObject([{ status: 'failed' }])
    expect(await client.discard(key, dryRun)).toMatchObject([{ status: 'failed' }])
    expect((await client.jobs.job(key))?.job.state).toBe('failed')
    expect(await verbs(client)).toEqual([])
    await client.resolve(key, { reason: 'mended' })
    expect(await client.undo(1, dryRun)).toMatchObject([{ jobKey: key, status: 'changed' }])
    expect((await client.jobs.job(key))?.job.state).toBe('available')
    expect(await client.undo(1)).toMatchObject([{ jobKey: key, status: 'changed' }])
    expect((await client.jobs.job(key))?.job.state).toBe('failed')
  })

  it('changes at a rate, keeps it on record, and stops where it is told to', async () => {
    const { t, client } = await scene()
    const keys = await stopped(t, 3)
    const ending = new AbortController()
    ending.abort()
    expect(await client.resolve(keys, { signal: ending.signal })).toEqual([])
    await expect(client.resolve(keys, { rate: 'fast' })).rejects.toMatchObject({ code: 'usage' })
    const resolved = client.resolve(keys, { rate: '1/s' })
    await t.clock.advance(10_000)
    expect((await resolved).map(({ status }) => status)).toEqual(['changed', 'changed', 'changed'])
    const [operation] = (await client.operations.operations({}, { limit: 1 })).items
    expect(operation).toMatchObject({ verb: 'resolve', flags: { perSecond: 1 }, changed: 3 })
  })

  it('purges dead letters, the open ones only when it is told so', async () => {
    const { t, client } = await scene()
    await t.join('w#1')
    const key = await t.add()
    const [job] = await t.claim()
    if (job) await t.settle(job, outcomes.poison())
    expect(await client.purge(key)).toMatchObject([{ status: 'skipped' }])
    expect(await client.purge(key, { open: true, dryRun: true })).toMatchObject([
      { status: 'changed', to: 'cancelled' },
    ])
    expect(await client.deadLetters.deadLetter(key)).not.toBeNull()
    expect(await client.purge(key, { open: true, reason: 'a test order' })).toMatchObject([
      { status: 'changed', to: 'cancelled' },
    ])
    expect(await client.deadLetters.deadLetter(key)).toBeNull()
    expect(await client.purge([])).toEqual([])
  })

  it('pauses and resumes types, also until a time', async () => {
    const { t, client } = await scene()
    await t.add()
    expect(await client.types.pause(['mail', 'sms'], { until: '2h', reason: 'their maintenance' })).toEqual([
      'mail',
      'sms',
    ])
    expect(await client.types.types()).toMatchObject([
      { type: 'mail', pausedBy: 'shop', pausedUntil: t.store.now() + 7_200_000, held: { by: 'paused' } },
      { type: 'sms' },
    ])
    expect(await client.types.resume('mail')).toEqual(['mail'])
    expect(await client.types.resume('mail')).toEqual([])
    await expect(client.types.pause('mail', { until: new Date(0) })).rejects.toMatchObject({ code: 'usage' })
    expect((await verbs(client)).slice(-2)).toEqual(['resume by shop', 'pause by shop'])
  })

  it('trips and closes breakers, and tells how they stand and what turned them', async () => {
    const { client } = await scene()
    expect(await client.breakers.breaker('stripe')).toBeNull()
    expect(await client.breakers.trip('stripe', { for: '10m', reason: 'they asked us to' })).toMatchObject({
      changed: true,
    })
    expect(await client.breakers.breakers()).toMatchObject([
      { name: 'stripe', mode: 'open', who: 'shop', retryInMs: 600_000 },
    ])
    expect(await client.breakers.close('stripe')).toMatchObject({
      changed: true,
      breaker: { mode: 'closed' },
    })
    expect(await client.breakers.close('stripe')).toMatchObject({ changed: false })
    expect(await client.breakers.history('stripe', { limit: 1 })).toMatchObject([
      { event: 'breaker_closed', who: 'shop' },
    ])
    await expect(client.breakers.trip('stripe', { for: '31d' })).rejects.toMatchObject({ code: 'usage' })
    await expect(client.breakers.trip('', { for: '1m' })).rejects.toMatchObject({ code: 'usage' })
  })

  it('asks workers to drain by id or label, all or none, and waits for them', async () => {
    const { t, client } = await scene()
    await t.join('web.1#a', { label: 'web' })
    await t.join('web.2#b', { label: 'web' })
    await expect(client.workers.drain(['web', 'wbe'])).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no living worker wbe',
    })
    expect((await client.workers.workers()).map(({ state }) => state)).toEqual(['running', 'running'])
    expect(await client.workers.drain('web', { reason: 'release 42' })).toEqual({
      operation: 1,
      asked: ['web.1#a', 'web.2#b'],
      left: null,
    })
    const waiting = client.workers.drain('web', { wait: '5m' })
    await t.clock.advance(300_000)
    expect(await waiting).toMatchObject({ operation: null, asked: [] })
  })

  it('releases the jobs of a dead worker, and names workers that do not exist', async () => {
    const { t, client } = await scene()
    await t.join('web.1#a', { label: 'web', leaseMs: 1_000 })
    const key = await t.add()
    await t.claim({ workerId: 'web.1#a' })
    await t.clock.advance(2_000)
    expect(await client.workers.release(['web', 'wbe'], { reason: 'the machine is gone' })).toEqual({
      operation: 1,
      workers: [
        { id: 'wbe', status: 'not_found', why: expect.stringContaining('there is no worker wbe'), jobs: [] },
        { id: 'web.1#a', status: 'changed', why: 'its lease is over', jobs: [key] },
      ],
    })
    expect(await client.jobs.job(key)).toMatchObject({ job: { state: 'available', retries: 3 } })
    expect(await client.operations.operation(1)).toMatchObject({ verb: 'release', matched: 2, changed: 1 })
    expect(await client.workers.release('wbe')).toMatchObject({ operation: null })
  })

  it('tells the steps that jobs take once, and forgets them', async () => {
    const { t, client } = await scene()
    const key = await t.add()
    expect(await client.steps.steps()).toEqual({ items: [], next: null })
    expect(await client.steps.forget(key, ['charge'])).toEqual([])
    expect(await client.steps.forget(key, [])).toEqual([])
  })
})
