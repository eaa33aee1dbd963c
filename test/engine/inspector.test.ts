import { changeBreaker, declareTypes } from '../support/plans.ts'
import { openedBreaker } from '../support/store-scene.ts'
import { describe, expect, it } from 'vitest'
import { createInspector } from '../../src/engine/inspector.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

const page = { limit: 10 }
const inspectorOn = (t: TestEngine) => createInspector(t.store, t.store.now)

async function takeOne(t: TestEngine, type = 'mail') {
  const [job] = await t.claim({ type, limit: 1 })
  if (!job) throw new Error('not claimed')
  return job
}

describe('the read side', () => {
  it('adds age, what is due when, and how long an attempt has been running', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const running = await t.add({ priority: 1 })
    const later = await t.add({ delay: '1m' })
    await takeOne(t)
    await t.clock.advance(20_000)
    const { items } = await inspectorOn(t).jobs({}, page)
    expect(
      items.map(({ key, ageMs, dueInMs, runningMs, held }) => ({ key, ageMs, dueInMs, runningMs, held })),
    ).toEqual([
      { key: later, ageMs: 20_000, dueInMs: 40_000, runningMs: null, held: null },
      { key: running, ageMs: 20_000, dueInMs: null, runningMs: 20_000, held: null },
    ])
  })

  // B068
  it('says of a waiting job that no worker for its type runs, or that its type is paused, by whom and why', async () => {
    const t = await testEngine()
    await t.join('w#1', { types: ['mail', 'sms'] })
    await t.add()
    await t.add({ type: 'emial' })
    await t.add({ type: 'sms', delay: '1h' })
    await t.engine.pauseTypes(['sms'], { paused: true, reason: 'no credit', who: 'ann' })
    const { items } = await inspectorOn(t).jobs({}, page)
    expect(Object.fromEntries(items.map(({ type, held }) => [type, held]))).toEqual({
      mail: null,
      emial: { by: 'no_worker', why: 'no worker for type emial is running' },
      sms: { by: 'paused', why: 'sms is paused by ann: no credit' },
    })
  })

  // A27
  it('says of a job that the breaker of what it needs is open, for how long and why', async () => {
    const t = await testEngine()
    await t.join('w#1', { types: ['pay', 'mail'] })
    const declared = {
      timeoutMs: 1_000,
      concurrency: 1,
      retries: 3,
      backlogLimit: null,
      onExhausted: 'incident',
    } as const
    await declareTypes(
      t.store,
      [
        { ...declared, type: 'pay', breakers: ['bank'] },
        { ...declared, type: 'mail' },
      ],
      t.store.now(),
    )
    const key = await t.add({ type: 'pay' })
    await t.add({ type: 'mail' })
    await changeBreaker(t.store, openedBreaker('bank'), t.store.now())
    await t.clock.advance(10_000)
    const { items } = await inspectorOn(t).jobs({}, page)
    expect(Object.fromEntries(items.map(({ type, held }) => [type, held]))).toEqual({
      pay: { by: 'breaker', why: 'the breaker of bank is open for another 20s: 5 failures in a row' },
      mail: null,
    })
    await t.clock.advance(19_000)
    await t.join('w#1', { types: ['pay', 'mail'] })
    await t.clock.advance(1_000)
    expect((await inspectorOn(t).job(key))?.job.held).toEqual({
      by: 'breaker',
      why: 'the breaker of bank lets only probes through',
    })
    expect(await inspectorOn(t).types()).toContainEqual(
      expect.objectContaining({ type: 'pay', held: expect.objectContaining({ by: 'breaker' }) }),
    )
  })

  // B068
  it('a worker whose lease is over counts as none', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const key = await t.add()
    await t.clock.advance(31_000)
    expect((await inspectorOn(t).job(key))?.job.held?.by).toBe('no_worker')
    const [worker] = await inspectorOn(t).workers()
    expect(worker).toMatchObject({ alive: false, leaseLeftMs: -1_000, upMs: 31_000 })
  })

  it('gives a detail with its open incident and the steps that can be taken', async () => {
    const t = await testEngine()
    const key = await t.add()
    const inspector = inspectorOn(t)
    const verbs = async () => (await inspector.job(key))?.nextSteps.map(({ verb }) => verb)
    expect(await verbs()).toEqual(['cancel'])
    const job = await takeOne(t)
    expect(await verbs()).toEqual(['cancel'])
    await t.settle(job, outcomes.fail())
    expect(await verbs()).toEqual(['retry', 'cancel'])
    await t.clock.advance(1_000)
    await t.settle(await takeOne(t), outcomes.poison())
    expect(await inspector.job(key)).toMatchObject({
      openIncident: { kind: 'poison_message' },
      nextSteps: [{ verb: 'resolve', why: expect.stringContaining('set them') }, { verb: 'cancel' }],
    })
    await t.engine.resolve([{ jobKey: key, verb: 'cancel', who: 'ann', reason: null }])
    expect(await inspector.job(key)).toMatchObject({ openIncident: null, nextSteps: [] })
    expect(await inspector.job(999)).toBeNull()
  })

  it('lists incidents and dead letters with their age, and types with what holds them', async () => {
    const t = await testEngine()
    await t.add()
    await t.add()
    await t.settle(await takeOne(t), outcomes.poison())
    await t.clock.advance(5_000)
    const inspector = inspectorOn(t)
    expect((await inspector.incidents({}, page)).items).toMatchObject([
      { kind: 'poison_message', ageMs: 5_000, job: { state: 'failed', dueInMs: null } },
    ])
    expect((await inspector.deadLetters({}, page)).items).toMatchObject([{ reason: 'poison', ageMs: 5_000 }])
    expect(await inspector.deadLetter(1)).toMatchObject({ variables: '{}', ageMs: 5_000 })
    expect(await inspector.types()).toMatchObject([
      { type: 'mail', unfinished: 1, oldestDueMs: 5_000, held: { by: 'no_worker' } },
    ])
    expect(await inspector.counts()).toMatchObject({ available: 1, failed: 1 })
    expect((await inspector.info()).location).toBe(':memory:')
  })

  it('does not ask about pauses and workers for jobs that nothing can hold', async () => {
    const t = await testEngine()
    await t.add()
    await t.settle(await takeOne(t), outcomes.success())
    t.store.types = () => expect.unreachable()
    expect((await inspectorOn(t).jobs({}, page)).items).toHaveLength(1)
  })

  // B111
  it('makes nothing younger than new when the clock goes back', async () => {
    const t = await testEngine()
    await t.join('w#1')
    const key = await t.add()
    await takeOne(t)
    t.clock.setNow(t.clock.now() - 3_600_000)
    expect((await inspectorOn(t).job(key))?.job).toMatchObject({ ageMs: 0, runningMs: 0 })
  })
})
