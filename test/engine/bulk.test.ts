import { resolve } from '../../src/engine/plans/resolve.ts'
import { intercept } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { rampMs } from '../../src/domain/ramp.ts'
import type { Applied } from '../../src/domain/resolution.ts'
import { batchSize, changeMany, type Bulk } from '../../src/engine/bulk.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

async function stopJobs(t: TestEngine, count: number, type = 'mail'): Promise<readonly number[]> {
  const keys: number[] = []
  for (let each = 0; each < count; each++) keys.push(await t.add({ type }))
  for (const job of await t.claim({ type, limit: count })) await t.settle(job, outcomes.raised())
  // 20 stops in a row pause a type; here they are wanted, and so are the jobs, without the ramp.
  await t.engine.pauseTypes([type], { paused: false, reason: null, who: 'test' })
  await t.clock.advance(rampMs)
  return keys
}

const resolveAll = ({ engine, clock }: TestEngine, keys: readonly number[], over: Partial<Bulk> = {}) =>
  changeMany({
    engine,
    clock,
    keys,
    selector: '',
    resolution: { verb: 'resolve', retries: 3, who: 'ann', reason: null },
    ...over,
  })

const openCount = async (t: TestEngine) => (await t.store.incidents({}, { limit: 1_000 })).items.length

describe('changing many jobs', () => {
  // A20
  it('takes batches, and each job once, although jobs fail again and new incidents open meanwhile', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 250)
    const batches: number[][] = []
    intercept(t.store, resolve, async (batch, _now, proceed) => {
      batches.push(batch.map(({ jobKey }) => jobKey))
      const applied = await proceed()
      for (const job of await t.claim({ limit: 5 })) await t.settle(job, outcomes.raised())
      return applied
    })
    expect(await resolveAll(t, keys)).toMatchObject({ matched: 250, changed: 250, skipped: 0, failed: 0 })
    expect(batches.map(({ length }) => length)).toEqual([batchSize, batchSize, 50])
    expect(batches.flat()).toEqual(keys)
    expect(await openCount(t)).toBe(15)
  })

  // A20
  it('counts what others resolved meanwhile as skipped, with the reason', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 3)
    const [first = 0] = keys
    await t.engine.resolve([{ jobKey: first, verb: 'resolve', who: 'bob', reason: null }])
    const heard: Applied[] = []
    expect(await resolveAll(t, keys, { onBatch: (applied) => heard.push(...applied) })).toMatchObject({
      matched: 3,
      changed: 2,
      skipped: 1,
      failed: 0,
    })
    expect(heard.filter(({ status }) => status !== 'changed')).toMatchObject([
      { jobKey: first, status: 'skipped', why: expect.stringContaining('already') },
    ])
  })

  it('stops between two batches when told; what is left is known by its keys', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 250)
    const stop = new AbortController()
    let done = 0
    const onBatch = (applied: readonly Applied[]) => {
      done += applied.length
      if (done >= 200) stop.abort()
    }
    const operation = await resolveAll(t, keys, { signal: stop.signal, onBatch })
    expect(operation).toMatchObject({ matched: 250, changed: 200, skipped: 0, failed: 0 })
    const { items } = await t.store.operationTargets(operation.id, { limit: 1_000 })
    expect(items.filter(({ status }) => status === 'pending').map(({ jobKey }) => jobKey)).toEqual(
      keys.slice(200),
    )
  })

  it('counts a resolution that is not allowed as failed', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 2)
    const resolution = { verb: 'resolve', retries: 0, who: 'ann', reason: null } as const
    expect(await resolveAll(t, keys, { resolution })).toMatchObject({
      matched: 2,
      changed: 0,
      skipped: 0,
      failed: 2,
    })
  })
})
