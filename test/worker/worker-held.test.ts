import { resolveJobs } from '../support/plans.ts'
import { describe, expect, it, vi } from 'vitest'
import type { HandlerContext } from '../../src/worker/handler/define-handler.ts'
import { newJob } from '../../src/domain/new-job.ts'
import { openTestStore } from '../support/open-test-store.ts'
import { gate, testWorker } from './test-worker.ts'

/** A handler that ends when its signal aborts, and what it was told. */
function listener() {
  const reasons: unknown[] = []
  const run = (_: unknown, { signal }: HandlerContext) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        reasons.push((signal.reason as { kind: string }).kind)
        reject(signal.reason)
      }),
    )
  return { reasons, run }
}

const cancel = (jobKey: number) => ({ jobKey, verb: 'cancel' as const, who: 'me', reason: null })

// A24
describe('cancelling a running job', () => {
  it('aborts its handler with the reason cancelled, and no retry follows', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    await t.engine.resolve([cancel(key)])
    await t.clock.advance(1_000)
    expect(reasons).toEqual(['cancelled'])
    expect(await t.job(key)).toMatchObject({ state: 'cancelled', attempt: 1 })
    expect(t.worker.running).toEqual([])
    await t.clock.advance(60_000)
    expect(await t.job(key)).toMatchObject({ state: 'cancelled', attempt: 1 })
  })

  it('by another process is noticed within a second', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }], file: true })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const other = await openTestStore({ location: t.location })
    await resolveJobs(other.store, [cancel(key)], t.store.now())
    await t.clock.advance(1_000)
    expect(reasons).toEqual(['cancelled'])
  })

  it('leaves the others running', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }] })
    const [first = 0] = [await t.add(), await t.add(), await t.add()]
    t.worker.start()
    await t.rest()
    await t.engine.resolve([cancel(first)])
    await t.clock.advance(1_000)
    expect(reasons).toEqual(['cancelled'])
    expect(t.worker.running).toHaveLength(2)
  })

  it('keeps a success that was returned all the same as a stale report, and frees the slot', async () => {
    const door = gate<string>()
    const t = await testWorker({
      handlers: [
        { concurrency: 1, run: (job: { key: number }) => (job.key === first ? door.passed : 'next') },
      ],
    })
    const first = await t.add()
    t.worker.start()
    await t.rest()
    await t.engine.resolve([cancel(first)])
    await t.clock.advance(1_000)
    door.open('done')
    await t.rest()
    const { job, attempts, result } = await t.detail(first)
    expect([job.state, result]).toEqual(['cancelled', null])
    expect(attempts.map(({ outcome }) => outcome)).toContain('stale')
    const next = await t.add()
    await t.rest()
    expect((await t.job(next)).state).toBe('completed')
  })
})

describe('asking what is held', () => {
  it('happens at most every 200 ms, however much changes, and misses no change', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const asked = vi.spyOn(t.store, 'held')
    for (let change = 0; change < 1_000; change++) {
      t.worker.held([])
      await t.clock.advance(1)
    }
    expect(asked.mock.calls.length).toBeLessThanOrEqual(6)
    await t.engine.resolve([cancel(key)])
    await t.clock.advance(200)
    expect(reasons).toEqual(['cancelled'])
  })

  it('goes on after a store that could not be read', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const broken = vi.spyOn(t.store, 'held').mockRejectedValue(new Error('away'))
    await t.engine.resolve([cancel(key)])
    await t.clock.advance(3_000)
    expect(reasons).toEqual([])
    broken.mockRestore()
    await t.clock.advance(1_200)
    expect(reasons).toEqual(['cancelled'])
  })
})

describe('held', () => {
  it('aborts what the store no longer holds with the reason lease_lost, reported to nobody', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const [job] = await t.store.running('w#1')
    if (!job) throw new Error('it does not run')
    await t.settle(job, { kind: 'lost', reason: 'lease_expired', detail: 'swept' })
    await t.join('other#1')
    await t.claim({ workerId: 'other#1' })
    t.worker.held([])
    await t.clock.advance(200)
    expect(reasons).toEqual(['lease_lost'])
    expect(await t.job(key)).toMatchObject({ state: 'running', attempt: 2, workerId: 'other#1' })
    expect(t.messages().join('\n')).toContain('lost its lease')
    expect((await t.detail(key)).attempts.map(({ outcome }) => outcome)).toEqual(['lost'])
  })

  it('does not cost a job its life that was claimed after the renewal', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }] })
    const renewed = (await t.store.renew(['w#1'], t.clock.now() + 30_000, t.clock.now())).held.map(
      ({ jobKey, attempt }) => ({ jobKey, attempt }),
    )
    await t.add()
    t.worker.start()
    await t.rest()
    t.worker.held(renewed)
    await t.clock.advance(5_000)
    expect(reasons).toEqual([])
    expect(t.worker.running).toHaveLength(1)
  })
})

describe('a fence', () => {
  it('aborts what runs and claims nothing until the lease is held again', async () => {
    const { reasons, run } = listener()
    const t = await testWorker({ handlers: [{ run }] })
    await t.add()
    t.worker.start()
    await t.rest()
    t.worker.fence()
    await t.rest()
    expect(reasons).toEqual(['lease_lost'])
    const next = await t.add()
    await t.clock.advance(5_000)
    expect((await t.job(next)).state).toBe('available')
    t.worker.held([])
    await t.rest()
    expect((await t.job(next)).state).toBe('running')
  })
})

describe('looking for work', () => {
  // B118
  it('loses no news, whenever it comes', async () => {
    const run = vi.fn(async () => undefined)
    const t = await testWorker({ handlers: [{ run }], file: true })
    const other = await openTestStore({ location: t.location })
    t.worker.start()
    for (let round = 0; round < 200; round++) {
      // Between the turns of the loop, so that the commit falls before, into and after its looks and claims.
      for (let turn = 0; turn < round % 13; turn++) await new Promise((resolve) => setImmediate(resolve))
      await other.store.enqueue([newJob({ type: 'mail' }, t.clock.now())], t.clock.now())
      if (round % 3 === 0) await t.add()
      await t.clock.advance(round % 7)
    }
    await t.clock.advance(1_100)
    await t.rest()
    expect(run).toHaveBeenCalledTimes(200 + 67)
  })

  // B118
  it('starts a job of its own process at once, and a delayed one when it is due', async () => {
    const starts: number[] = []
    const t = await testWorker({ handlers: [{ run: async () => void starts.push(t.clock.monotonic()) }] })
    t.worker.start()
    await t.clock.advance(10_000)
    await t.add()
    await t.rest()
    expect(starts).toEqual([10_000])
    for (const [delay, delayMs] of [
      ['1h', 3_600_000],
      ['5m', 300_000],
    ] as const) {
      const before = starts.length
      const addedAt = t.clock.monotonic()
      await t.add({ delay })
      await t.clock.advance(delayMs - 1)
      expect(starts.length, `${delay}: nothing starts early`).toBe(before)
      await t.clock.advance(101)
      expect(starts.length, `${delay}: it starts`).toBe(before + 1)
      const startedAfterMs = (starts.at(-1) ?? 0) - addedAt
      expect(startedAfterMs).toBeGreaterThanOrEqual(delayMs)
      expect(startedAfterMs).toBeLessThanOrEqual(delayMs + 100)
    }
  })

  it('of an idle worker is a read: nothing is written and nothing exchanged', async () => {
    const t = await testWorker({ handlers: [{ run: async () => undefined }] })
    const exchange = vi.spyOn(t.engine, 'exchange')
    t.worker.start()
    await t.clock.advance(60_000)
    expect(exchange).not.toHaveBeenCalled()
  })

  it('beside a busy neighbour rests between its looks', async () => {
    const t = await testWorker({ handlers: [{ run: async () => undefined }] })
    const looks = vi.spyOn(t.store, 'hasDue')
    t.worker.start()
    await t.rest()
    looks.mockClear()
    for (let change = 0; change < 1_000; change++) {
      await t.add({ type: 'neighbour' })
      await t.clock.advance(1)
    }
    expect(looks.mock.calls.length).toBeLessThanOrEqual(1_000 / 50 + 8)
  })
})
