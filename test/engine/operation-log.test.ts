import { addOperationTargets, beginOperation, intercept, pauseTypes } from '../support/plans.ts'
import { endOperation } from '../../src/engine/plans/operations.ts'
import { resolve } from '../../src/engine/plans/resolve.ts'
import { describe, expect, it } from 'vitest'
import { WfError } from '../../src/errors.ts'
import { changeMany, type Bulk } from '../../src/engine/bulk.ts'
import { closeBreaker, tripBreaker } from '../../src/engine/breaker-admin.ts'
import { planUndo } from '../../src/engine/actions/undo.ts'
import { foretellUndo, undoablePages, undoOperation } from '../../src/engine/undo.ts'
import { undoable } from '../../src/messages/operation-messages.ts'
import type { Undone } from '../../src/domain/operation.ts'
import { outcomes, testEngine, type TestEngine } from '../support/test-engine.ts'

async function stopJobs(t: TestEngine, count: number): Promise<readonly number[]> {
  const enqueued = await t.engine.enqueue(
    Array.from({ length: count }, () => ({ type: 'mail', variables: {} })),
  )
  for (const job of await t.claim({ limit: count })) await t.settle(job, outcomes.raised())
  await pauseTypes(t.store, ['mail'], { paused: false, reason: null, who: 'test' }, t.store.now())
  return enqueued.flatMap((each) => (each.status === 'created' ? [each.key] : []))
}

const bulk = (t: TestEngine, keys: readonly number[], over: Partial<Bulk> = {}) =>
  changeMany({
    ...{ engine: t.engine, clock: t.clock, keys, selector: '--type mail' },
    resolution: { verb: 'resolve', retries: 3, who: 'ann@box', reason: 'r' },
    ...over,
  })

const toUndo = async (...wanted: Parameters<typeof planUndo>) => undoable(await planUndo(...wanted))

const lastOperation = async ({ store }: TestEngine) => (await store.operations({}, { limit: 1 })).items[0]

/** Moves the fake clock until the work has ended. */
async function inTime<T>(t: TestEngine, work: Promise<T>): Promise<T> {
  let ended = false
  const done = work.finally(() => {
    ended = true
  })
  for (let step = 0; !ended && step < 10_000; step++) await t.clock.advance(50)
  return done
}

describe('an operation of many jobs', () => {
  // B156
  it('counts what was passed by, changed, skipped and not found: all that was matched', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 150)
    const available = await t.add()
    const operation = await bulk(t, [...keys, available, 999_999], {
      passedBy: [{ jobKey: 4_711, why: 'crash_loop: it may do it again' }],
    })
    expect(operation).toMatchObject({
      matched: 153,
      changed: 150,
      skipped: 2,
      failed: 1,
      selector: '--type mail',
      flags: { retries: 3 },
    })
    expect(operation.finishedAt).not.toBeNull()
    const { items } = await t.store.operationTargets(operation.id, { limit: 1_000 })
    expect(items).toHaveLength(153)
  })

  // B156
  it('stops between two batches, ends its record with what is left, and run again does the rest', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 250)
    const stop = new AbortController()
    const operation = await bulk(t, keys, { signal: stop.signal, onBatch: () => stop.abort() })
    expect(operation).toMatchObject({ matched: 250, changed: 100, skipped: 0 })
    const { items } = await t.store.operationTargets(operation.id, { limit: 1_000 })
    expect(items.filter(({ status }) => status === 'pending').map(({ jobKey }) => jobKey)).toEqual(
      keys.slice(100),
    )
    expect(await bulk(t, keys)).toMatchObject({ matched: 250, changed: 150, skipped: 100 })
  })

  // B156
  it('keeps to its pace by the clock, and a stop ends the wait', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 41)
    const startedMs = t.clock.monotonic()
    const stamps: [number, number][] = []
    let done = 0
    const onBatch: Bulk['onBatch'] = (applied) => {
      done += applied.length
      stamps.push([t.clock.monotonic() - startedMs, done])
    }
    await inTime(t, bulk(t, keys, { perSecond: 20, onBatch }))
    expect(done).toBe(41)
    for (const [ms, count] of stamps) expect(count).toBeLessThanOrEqual(2 + (ms / 1_000) * 20)
    expect(stamps.at(-1)?.[0]).toBeGreaterThanOrEqual(1_950)

    const stop = new AbortController()
    const other = await testEngine()
    const first = bulk(other, await stopJobs(other, 3), {
      perSecond: 0.001,
      signal: stop.signal,
      onBatch: () => queueMicrotask(() => stop.abort()),
    })
    expect(await first).toMatchObject({ matched: 3, changed: 1 })
  })

  // B156
  it('changes each job once when two operators act at once, and the other reports it as skipped', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 300)
    const [one, other] = await Promise.all([bulk(t, keys), bulk(t, keys)])
    expect(one.changed + other.changed).toBe(300)
    expect([one.skipped, other.skipped]).toEqual([other.changed, one.changed])
    expect([one.failed, other.failed]).toEqual([0, 0])
  })

  // B156
  it('leaves an exact record, unfinished, when the store fails in the middle', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 250)
    let left = 2
    const full = () => Promise.reject(new WfError('store_full', 'full'))
    const ends = intercept(t.store, endOperation, full)
    intercept(t.store, resolve, (_items, _now, proceed) => (left-- > 0 ? proceed() : full()))
    await expect(bulk(t, keys)).rejects.toMatchObject({ code: 'store_full' })
    ends()
    expect(await lastOperation(t)).toMatchObject({
      matched: 250,
      changed: 200,
      skipped: 0,
      failed: 0,
      finishedAt: null,
    })
  })
})

describe('what changes the store without naming an operation', () => {
  it('is recorded as one of its own', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 30)
    await t.engine.resolve(keys.map((jobKey) => ({ jobKey, verb: 'resolve', who: 'client', reason: null })))
    expect(await lastOperation(t)).toMatchObject({ verb: 'resolve', who: 'client', matched: 30, changed: 30 })
    expect((await lastOperation(t))?.selector).toMatch(/^\d+( \d+){19} … \(30 in all\)$/)
    await t.engine.pauseTypes(['mail'], { paused: true, reason: 'r', who: 'ann' })
    expect(await lastOperation(t)).toMatchObject({ verb: 'pause', selector: 'mail', changed: 1 })
    await tripBreaker(t.store, 'stripe', { forMs: 1_000, who: 'ann', reason: '' })
    expect(await lastOperation(t)).toMatchObject({
      verb: 'trip',
      selector: 'stripe',
      flags: { forMs: 1_000 },
      changed: 1,
    })
    await closeBreaker(t.store, 'stripe', { who: 'ann', reason: '' })
    await closeBreaker(t.store, 'stripe', { who: 'ann', reason: '' })
    expect(await lastOperation(t)).toMatchObject({ verb: 'close', changed: 0, skipped: 1 })
  })

  it('is one operation a sort, and every answer stands in its place', async () => {
    const t = await testEngine()
    const [a = 0, b = 0] = await stopJobs(t, 2)
    const who = { who: 'ann', reason: null }
    const applied = await t.engine.resolve([
      { jobKey: a, verb: 'resolve', ...who },
      { jobKey: 4_711, verb: 'cancel', ...who },
      { jobKey: b, verb: 'resolve', ...who },
    ])
    expect(applied.map(({ jobKey, status }) => [jobKey, status])).toEqual([
      [a, 'changed'],
      [4_711, 'not_found'],
      [b, 'changed'],
    ])
    expect(
      (await t.store.operations({}, { limit: 9 })).items.map(({ verb, matched }) => [verb, matched]),
    ).toEqual([
      ['cancel', 1],
      ['resolve', 2],
    ])
  })

  it('writes nothing of it where a worker settles', async () => {
    const t = await testEngine()
    await stopJobs(t, 25)
    expect((await t.store.operations({}, { limit: 9 })).items).toEqual([])
  })
})

const undo = (
  t: TestEngine,
  of: Awaited<ReturnType<typeof toUndo>>,
  over: Partial<Parameters<typeof undoOperation>[0]> = {},
) => undoOperation({ store: t.store, clock: t.clock, of, who: 'bob', reason: null, ...over })

describe('undo', () => {
  it('takes the last operation that can be taken back, in batches, and says beforehand what it will do', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 150)
    await bulk(t, keys)
    await t.engine.resolve([
      { jobKey: await t.add({ type: 'other' }), verb: 'cancel', who: 'ann', reason: null },
    ])
    const started = await t.claim({ limit: 1 })
    const of = await toUndo(t.store, null, t.store.now())
    expect(of.verb).toBe('resolve')
    const foretold: Undone[] = []
    for await (const page of undoablePages(t.store, of.id))
      for (const each of page.items) foretold.push(await foretellUndo(t.store, each, t.store.now()))
    const undone: Undone[] = []
    const operation = await undo(t, of, { onBatch: (batch) => undone.push(...batch) })
    expect(undone).toEqual(foretold)
    expect(operation).toMatchObject({ verb: 'undo', undoes: of.id, matched: 150, changed: 149, failed: 1 })
    expect(undone.find(({ status }) => status === 'failed')?.jobKey).toBe(started[0]?.key)
    expect((await t.store.counts()).failed).toBe(149)
    await expect(toUndo(t.store, null, t.store.now())).rejects.toMatchObject({ code: 'not_found' })
  })

  it('refuses what is final, what was undone, an undo, what changed nothing and what is still at work, each with a sentence', async () => {
    const t = await testEngine()
    const why = (id: number) =>
      toUndo(t.store, id, t.store.now()).then(
        () => 'it can',
        (error: WfError) => [error.code, error.message],
      )
    const [key = 0] = await stopJobs(t, 1)
    const resolved = await bulk(t, [key])
    const again = await bulk(t, [key])
    const undone = await undo(t, resolved)
    const cancelled = await bulk(t, [key], { resolution: { verb: 'cancel', who: 'ann', reason: null } })
    const begun = await beginOperation(
      t.store,
      { ...again, undoes: undefined as never, verb: 'retry', matched: 9 },
      t.store.now(),
    )
    await addOperationTargets(
      t.store,
      begun,
      [{ jobKey: 1, name: '', status: 'changed', why: '', image: null }],
      t.store.now(),
    )
    expect(await why(resolved.id)).toEqual([
      'conflict',
      `operation ${resolved.id} was undone already, by operation ${undone.id}`,
    ])
    expect(await why(again.id)).toEqual(['conflict', `operation ${again.id} changed nothing`])
    expect(await why(undone.id)).toEqual([
      'conflict',
      `operation ${undone.id} is an undo itself, of operation ${resolved.id}: it cannot be undone`,
    ])
    expect(await why(cancelled.id)).toEqual([
      'conflict',
      `operation ${cancelled.id} (jobs cancel) cannot be undone: a cancelled job never runs again`,
    ])
    expect(await why(begun)).toEqual(['conflict', `operation ${begun} is still at work`])
    expect(await why(4_711)).toEqual(['not_found', 'there is no operation 4711'])
    await t.clock.advance(60_001)
    expect(await why(begun)).toBe('it can')
  })

  it('stopped in the middle, goes on from there when it is run again', async () => {
    const t = await testEngine()
    const keys = await stopJobs(t, 150)
    const resolved = await bulk(t, keys)
    const stop = new AbortController()
    expect(await undo(t, resolved, { signal: stop.signal, onBatch: () => stop.abort() })).toMatchObject({
      matched: 150,
      changed: 100,
    })
    const again = await toUndo(t.store, resolved.id, t.store.now())
    expect(await undo(t, again)).toMatchObject({ matched: 50, changed: 50 })
    expect((await t.store.counts()).failed).toBe(150)
  })
})
