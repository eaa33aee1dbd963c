import { retireWorkers } from '../../src/engine/plans/workers.ts'
import { intercept } from '../support/plans.ts'
import { describe, expect, it } from 'vitest'
import { releaseWorker } from '../../src/engine/release-worker.ts'
import { outcomes, testEngine } from '../support/test-engine.ts'

const release = { who: 'ada', reason: 'the machine is gone', forced: false }

describe('releasing a worker', () => {
  // B006
  it('ends what it holds as lost at once, at no retry, names who and why, and takes its row', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await t.join('w#2')
    const [held, done] = [await t.add(), await t.add()]
    const claimed = await t.claim({ limit: 2 })
    const [, finished] = claimed
    if (!finished) throw new Error('not claimed')
    await t.settle(finished, outcomes.success())
    expect((await releaseWorker(t.engine, 'w#1', release)).map(({ key }) => key)).toEqual([held])
    const { job, attempts } = await t.detail(held)
    expect(job).toMatchObject({ state: 'available', retries: 3, crashes: 1, failures: 0 })
    expect(attempts).toMatchObject([
      {
        outcome: 'lost',
        error: { code: 'RELEASED', message: 'worker w#1 was released by ada: the machine is gone' },
      },
    ])
    expect((await t.detail(done)).job.state).toBe('completed')
    expect((await t.store.workers(t.store.now())).map(({ id }) => id)).toEqual(['w#2'])
    expect(await t.claim({ workerId: 'w#2' })).toMatchObject([{ key: held, attempt: 2 }])
  })

  // B006
  it('leaves a late report of the released attempt stale', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await t.join('w#2')
    const key = await t.add()
    const [first] = await t.claim()
    await releaseWorker(t.engine, 'w#1', { ...release, reason: null, forced: true })
    const [second] = await t.claim({ workerId: 'w#2' })
    if (!first || !second) throw new Error('not claimed')
    expect(await t.settle(first, outcomes.success({ by: 'first' }))).toBe('stale')
    expect(await t.settle(second, outcomes.success({ by: 'second' }))).toBe('applied')
    const { result, attempts } = await t.detail(key)
    expect(result).toBe('{"by":"second"}')
    expect(attempts[0]?.error?.message).toBe('worker w#1 was released by ada')
  })

  it('takes too what one that lives all the same claims in between', async () => {
    const t = await testEngine()
    await t.join('w#1')
    await t.add()
    await t.claim()
    const late = await t.add({ type: 'late' })
    intercept(t.store, retireWorkers, async (_items, _now, proceed) => {
      await t.claim({ type: 'late' })
      return proceed()
    })
    expect((await releaseWorker(t.engine, 'w#1', release)).map(({ key }) => key)).toContain(late)
    expect((await t.detail(late)).job.state).toBe('available')
    expect(await t.store.running('w#1')).toEqual([])
  })

  it('stops a job at its third loss in a row, as any loss does', async () => {
    const t = await testEngine()
    const key = await t.add()
    for (let loss = 0; loss < 2; loss++) {
      const [job] = await t.claim()
      if (job) await t.settle(job, outcomes.lost())
    }
    await t.clock.advance(1_000)
    await t.join('w#1')
    await t.claim({ suspects: true })
    await releaseWorker(t.engine, 'w#1', release)
    expect(await t.detail(key)).toMatchObject({
      job: { state: 'failed' },
      incidents: [{ kind: 'crash_loop' }],
    })
  })
})
