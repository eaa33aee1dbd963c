import { describe, expect, it } from 'vitest'
import { newJob } from '../../src/domain/new-job.ts'
import { rampMs } from '../../src/domain/ramp.ts'
import { resolveIncidents, type ResolveIncidents } from '../../src/engine/resolve-incidents.ts'
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

async function poisonOne(t: TestEngine): Promise<number> {
  const key = await t.add({ type: 'poison' })
  for (const job of await t.claim({ type: 'poison' })) await t.settle(job, outcomes.poison())
  return key
}

async function crashOne(t: TestEngine): Promise<number> {
  const key = await t.add({ type: 'crash' })
  for (let round = 0; round < 3; round++) {
    for (const job of [...(await t.claim({ type: 'crash' })), ...(await t.claim({ type: 'crash', suspects: true }))])
      await t.settle(job, outcomes.lost())
    await t.clock.advance(1_000)
  }
  return key
}

/** The handler has done its work, and what it returned, or enqueued, cannot be stored. */
async function unstorableOnes(t: TestEngine): Promise<readonly number[]> {
  const keys = [await t.add({ type: 'charge' }), await t.add({ type: 'charge' })]
  await t.add({ type: 'receipt', idempotencyKey: 'r-1', variables: { first: true } })
  const now = t.store.now()
  const twin = { ...newJob({ type: 'receipt', variables: {}, idempotencyKey: 'r-1' }, now), when: 'success' as const }
  const [one, other] = await t.claim({ type: 'charge' })
  if (one) await t.settle(one, outcomes.resultInvalid())
  if (other) expect(await t.settle(other, outcomes.success(), { children: [twin] })).toBe('refused')
  return keys
}

const run = (t: TestEngine, over: Partial<ResolveIncidents> = {}) =>
  resolveIncidents({ engine: t.engine, selector: {}, resolution: { retries: 3, who: 'ann', reason: null }, ...over })

const openCount = async (t: TestEngine) => (await t.store.incidents({}, { limit: 1_000 })).items.length

describe('resolving many incidents', () => {
  for (const count of [0, 1, 250]) {
    it(`A20 of ${count} open incidents, all are resolved but those that repeat their damage, which are skipped and named`, async () => {
      const t = await testEngine()
      const keys = await stopJobs(t, count)
      const guarded = [await poisonOne(t), await crashOne(t), ...(await unstorableOnes(t))]
      const dry = await run(t, { dryRun: true })
      expect(dry).toMatchObject({ matched: count + 4, changed: count, skipped: 4, failed: 0 })
      expect(await openCount(t)).toBe(count + 4)

      const batches: number[] = []
      const resolved = t.store.resolve.bind(t.store)
      t.store.resolve = (batch, now) => {
        batches.push(batch.length)
        return resolved(batch, now)
      }
      const report = await run(t)
      expect(report).toMatchObject({ matched: count + 4, changed: count, skipped: 4, failed: 0, interrupted: false })
      expect(report.guarded.map(({ jobKey, kind }) => [jobKey, kind]).toSorted()).toEqual(
        ['poison_message', 'crash_loop', 'result_invalid', 'settlement_refused'].map((kind, index) => [guarded[index], kind]).toSorted(),
      )
      expect(report.targets.map(({ jobKey }) => jobKey).toSorted((one, other) => one - other)).toEqual(keys)
      expect(Math.max(0, ...batches)).toBeLessThanOrEqual(100)
      expect(await openCount(t)).toBe(4)
    })
  }

  it('takes guarded ones when their kind or their keys are named', async () => {
    const t = await testEngine()
    const poison = await poisonOne(t)
    const crash = await crashOne(t)
    expect(await run(t, { selector: { incidentKinds: ['poison_message'] } })).toMatchObject({ matched: 1, changed: 1, skipped: 0 })
    expect(await run(t, { selector: { keys: [crash] } })).toMatchObject({ matched: 1, changed: 1 })
    expect((await t.detail(poison)).job.state).toBe('available')
  })

  it('touches each frozen target once, although jobs fail again and new incidents open meanwhile', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 250)
    const resolved = t.store.resolve.bind(t.store)
    t.store.resolve = async (batch, now) => {
      const applied = await resolved(batch, now)
      for (const job of await t.claim({ limit: 5 })) await t.settle(job, outcomes.raised())
      return applied
    }
    const report = await run(t)
    expect(report).toMatchObject({ matched: 250, changed: 250 })
    expect(new Set(report.targets.map(({ jobKey }) => jobKey)).size).toBe(keys.length)
    expect(await openCount(t)).toBe(15)
  })

  it('counts what others resolved meanwhile as skipped, with the reason', async () => {
    const t = await testEngine()
    const [first = 0] = await stopJobs(t, 3)
    const incidents = t.store.incidents.bind(t.store)
    t.store.incidents = async (...args) => {
      const page = await incidents(...args)
      await t.engine.resolve([{ jobKey: first, verb: 'resolve', who: 'bob', reason: null }])
      return page
    }
    const report = await run(t)
    expect(report).toMatchObject({ matched: 3, changed: 2, skipped: 1, failed: 0 })
    expect(report.unchanged).toMatchObject([{ jobKey: first, status: 'skipped' }])
  })

  it('keeps within its limit, reports progress, and stops between two batches when told', async () => {
    const t = await testEngine()
    await stopJobs(t, 250)
    expect(await run(t, { limit: 7, dryRun: true })).toMatchObject({ matched: 7, changed: 7 })
    const stop = new AbortController()
    const heard: [number, number][] = []
    const onProgress = (done: number, of: number) => {
      heard.push([done, of])
      if (done >= 200) stop.abort()
    }
    expect(await run(t, { signal: stop.signal, onProgress })).toMatchObject({ matched: 250, changed: 200, skipped: 50, failed: 0, interrupted: true })
    expect(heard).toEqual([
      [100, 250],
      [200, 250],
    ])
  })

  it('counts a resolution that is not allowed as failed', async () => {
    const t = await testEngine()
    await stopJobs(t, 2)
    const report = await run(t, { resolution: { retries: 0, who: 'ann', reason: null } })
    expect(report).toMatchObject({ matched: 2, changed: 0, skipped: 0, failed: 2 })
  })
})
