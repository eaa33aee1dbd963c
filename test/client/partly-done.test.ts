import { resolve } from '../../src/engine/plans/resolve.ts'
import { intercept } from '../support/plans.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, PartlyEnqueuedError, type Client } from '../../src/client.ts'
import { PartlyChangedError } from '../../src/client/changes.ts'
import { WfError } from '../../src/errors.ts'
import type { Store } from '../../src/store/port.ts'
import { testEngine, type TestEngine } from '../support/test-engine.ts'

const full = new WfError('store_full', 'the disk is full', { hint: 'Free space.' })

async function scene(): Promise<{ t: TestEngine; client: Client }> {
  const t = await testEngine()
  const client = createClient({ store: t.store, clock: t.clock, who: 'test' })
  onTestFinished(() => client.close())
  return { t, client }
}

/** The store takes this many transactions of a kind, then none, until what is answered is called. */
function failsAfter(
  store: Store,
  method: 'enqueue' | 'resolve',
  transactions: number,
  error: unknown = full,
): () => void {
  const { enqueue } = store
  let left = transactions
  const take = async <T>(work: () => Promise<T>): Promise<T> => {
    if (left-- <= 0) throw error
    return work()
  }
  if (method === 'resolve') return intercept(store, resolve, (_items, _now, proceed) => take(proceed))
  store.enqueue = (jobs, now) => take(() => enqueue(jobs, now))
  return () => {
    store.enqueue = enqueue
  }
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: index === 5 ? '' : 'mail', variables: { index } }))

describe('many of which the store takes a part', () => {
  it('are answered as far as they were taken, with the reason for the rest', async () => {
    const { t, client } = await scene()
    failsAfter(t.store, 'enqueue', 2)
    const error = await rejection(client.enqueueMany(items(3_000)))
    if (!(error instanceof PartlyEnqueuedError)) throw error
    expect(error).toBeInstanceOf(WfError)
    expect(error).toMatchObject({
      code: 'partly_done',
      cause: full,
      hint: expect.stringContaining('index 2000'),
    })
    expect(error.message).toBe('1999 of 3000 jobs were accepted, then the store failed: the disk is full')
    expect(error.results).toHaveLength(2_000)
    expect(error.results[5]).toMatchObject({ status: 'refused', error: { code: 'invalid_job' } })
    const last = error.results.at(-1)
    expect(last?.status === 'accepted' && (await t.detail(last.job.key)).variables).toBe('{"index":1999}')
    expect((await t.store.counts()).available).toBe(1_999)
  })

  it('fail as the store does when nothing was accepted, and whatever it was that failed', async () => {
    const { t, client } = await scene()
    const mend = failsAfter(t.store, 'enqueue', 0)
    expect(await rejection(client.enqueueMany(items(3_000)))).toBe(full)
    mend()
    failsAfter(t.store, 'enqueue', 0)
    const none = Array.from({ length: 1_500 }, (_, index) => ({ type: index < 1_000 ? '' : 'mail' }))
    expect(await rejection(client.enqueueMany(none))).toBe(full)
    mend()
    const fault = new TypeError('a fault')
    failsAfter(t.store, 'enqueue', 1, fault)
    expect(await rejection(client.enqueueMany(items(3_000)))).toMatchObject({
      code: 'partly_done',
      cause: fault,
    })
  })

  // B093
  it('are not said to be absent when nobody knows', async () => {
    const { t, client } = await scene()
    failsAfter(t.store, 'enqueue', 1, new WfError('outcome_unknown', 'nobody knows'))
    const error = await rejection(client.enqueueMany(items(3_000)))
    expect(error).toMatchObject({ code: 'partly_done', cause: { code: 'outcome_unknown' } })
    expect(error).toMatchObject({
      hint: 'look which of the items from index 1000 on are there; where each has an idempotencyKey, all of them can be handed in again',
    })
  })

  it('can be handed in again from where it broke off, or all of them where each has its key', async () => {
    const { t, client } = await scene()
    const keyed = Array.from({ length: 2_500 }, (_, index) => ({
      type: 'mail',
      variables: { index },
      idempotencyKey: `order-${index}`,
    }))
    const mend = failsAfter(t.store, 'enqueue', 1)
    const error = await rejection(client.enqueueMany(keyed))
    mend()
    if (!(error instanceof PartlyEnqueuedError)) throw error
    const rest = await client.enqueueMany(keyed.slice(error.results.length))
    expect(rest.every((each) => each.status === 'accepted' && !each.job.duplicate)).toBe(true)
    const again = await client.enqueueMany(keyed)
    expect(again.every((each) => each.status === 'accepted' && each.job.duplicate)).toBe(true)
    expect((await t.store.counts()).available).toBe(2_500)
  })

  it('are told as well when they were to be changed', async () => {
    const { t, client } = await scene()
    const accepted = await client.enqueueMany(Array.from({ length: 2_500 }, () => ({ type: 'mail' })))
    const keys = accepted.flatMap((each) => (each.status === 'accepted' ? [each.job.key] : []))
    const mend = failsAfter(t.store, 'resolve', 2)
    const error = await rejection(client.cancel(keys))
    if (!(error instanceof PartlyChangedError)) throw error
    expect(error).toMatchObject({ code: 'partly_done', cause: full })
    expect(error.results.map(({ jobKey, status }) => [jobKey, status])).toEqual(
      keys.slice(0, 200).map((key) => [key, 'changed']),
    )
    mend()
    const again = await client.cancel(keys)
    expect(again.map(({ status }) => status).filter((status) => status === 'skipped')).toHaveLength(200)
    expect(again.filter(({ status }) => status === 'changed')).toHaveLength(2_300)
  })

  it('leave workers as long between two transactions as each of them took', async () => {
    const { t, client } = await scene()
    const keys = await Promise.all(
      Array.from({ length: 250 }, async () => (await client.enqueue('mail')).key),
    )
    const batches: number[] = []
    intercept(t.store, resolve, (batch, _now, proceed) => {
      batches.push(batch.length)
      t.clock.block(8)
      return proceed()
    })
    const rests: number[] = []
    const { sleep } = t.clock
    t.clock.sleep = async (ms) => void rests.push(ms)
    onTestFinished(() => void Object.assign(t.clock, { sleep }))
    expect(await client.cancel(keys)).toHaveLength(250)
    expect(batches).toEqual([100, 100, 50])
    expect(rests).toEqual([8, 8])
  })
})
