import { describe, expect, it, vi } from 'vitest'
import { WfError } from '../../src/errors.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { gate, testWorker } from './test-worker.ts'

/** Puts something in front of the engine's exchange; the real one is passed on. */
function intercept(
  engine: Engine,
  act: (hand: Parameters<Engine['exchange']>[0], real: Engine['exchange']) => ReturnType<Engine['exchange']>,
): () => void {
  const real = engine.exchange
  engine.exchange = (hand) => act(hand, real)
  return () => {
    engine.exchange = real
  }
}

// B017
describe('the loop goes on after an exchange that', () => {
  const failures: [string, () => never | Promise<never>, string][] = [
    [
      'throws an error of an unknown class',
      () => {
        throw new (class Odd extends Error {})('odd')
      },
      'odd',
    ],
    [
      'rejects with a string',
      () => {
        return Promise.reject('plain words')
      },
      'plain words',
    ],
    ['rejects with undefined', () => Promise.reject(undefined), 'undefined was thrown'],
    ['rejects with null', () => Promise.reject(null), 'null was thrown'],
    [
      'rejects because the disk is full',
      () => Promise.reject(new WfError('store_full', 'no space left')),
      'no space left',
    ],
  ]
  it.each(failures)('%s', async (_, fail, words) => {
    const t = await testWorker({ handlers: [{ run: async () => 1 }] })
    let broken = true
    intercept(t.engine, (hand, real) => (broken ? fail() : real(hand)))
    const key = await t.add()
    t.worker.start()
    await t.clock.advance(3_000)
    expect((await t.job(key)).state).toBe('available')
    broken = false
    await t.clock.advance(5_000)
    expect((await t.job(key)).state).toBe('completed')
    const warnings = t.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(words)
    expect(t.messages().filter((message) => message.includes('works again'))).toHaveLength(1)
  })

  it('hangs for 60 s, and says so meanwhile', async () => {
    const t = await testWorker({ handlers: [{ run: async () => 1 }] })
    let calls = 0
    intercept(t.engine, async (hand, real) => {
      if (++calls === 1) await t.clock.sleep(60_000)
      return real(hand)
    })
    const key = await t.add()
    t.worker.start()
    await t.clock.advance(10_000)
    expect(t.messages()).toEqual([expect.stringContaining('has not answered for 10 s')])
    await t.clock.advance(55_000)
    await t.rest()
    expect((await t.job(key)).state).toBe('completed')
  })

  it('never answers: it asks again, and gives back what the lost call had claimed', async () => {
    const starts: number[] = []
    const t = await testWorker({
      handlers: [{ run: async (job: { attempt: number }) => void starts.push(job.attempt) }],
    })
    let calls = 0
    intercept(t.engine, (hand, real) => {
      if (++calls > 1) return real(hand)
      void real(hand)
      return new Promise(() => undefined)
    })
    const key = await t.add()
    t.worker.start()
    await t.clock.advance(65_000)
    await t.rest()
    const { job, attempts } = await t.detail(key)
    expect(job).toMatchObject({ state: 'completed', retries: 3, crashes: 0 })
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'success'])
    expect(starts).toEqual([2])
  })

  it('answers after it was given up: what it claimed is given back, nothing runs twice', async () => {
    const starts: number[] = []
    const late = gate()
    const t = await testWorker({
      handlers: [{ run: async (job: { attempt: number }) => void starts.push(job.attempt) }],
    })
    let calls = 0
    intercept(t.engine, async (hand, real) => {
      if (++calls === 1) await late.passed
      return real(hand)
    })
    t.worker.start()
    const key = await t.add()
    await t.clock.advance(61_000)
    await t.rest()
    expect(starts).toEqual([1])
    const second = await t.add()
    late.open()
    await t.rest()
    await t.clock.advance(1_000)
    await t.rest()
    expect((await t.job(key)).state).toBe('completed')
    expect((await t.job(second)).state).toBe('completed')
    expect(t.worker.running).toEqual([])
  })

  it('fails for one outcome only: the others are stored, and it does not stop the claims', async () => {
    const t = await testWorker({ handlers: [{ concurrency: 4, run: async () => 1 }] })
    const bad = await t.add()
    const heal = intercept(t.engine, (hand, real) =>
      hand.ended.some(({ job }) => job.key === bad)
        ? Promise.reject(new TypeError('cannot read x'))
        : real(hand),
    )
    const good: number[] = []
    for (let job = 0; job < 20; job++) good.push(await t.add())
    t.worker.start()
    await t.clock.advance(120_000)
    for (const key of good) expect((await t.job(key)).state).toBe('completed')
    expect((await t.job(bad)).state).toBe('running')
    heal()
  })

  it('cannot claim does not keep outcomes from the store', async () => {
    const done = gate()
    const t = await testWorker({ handlers: [{ run: () => done.passed }] })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    intercept(t.engine, (hand, real) =>
      hand.claim ? Promise.reject(new Error('claims are broken')) : real(hand),
    )
    done.open()
    await t.clock.advance(10_000)
    expect((await t.job(key)).state).toBe('completed')
  })

  it('tells each cause once, however long it lasts, and at most twenty lines a minute', async () => {
    const t = await testWorker({ handlers: [{ run: async () => 1 }] })
    let calls = 0
    const heal = intercept(t.engine, () => Promise.reject(new Error(`cause ${calls++ % 3}`)))
    await t.add()
    t.worker.start()
    await t.clock.advance(59_000)
    expect(t.messages()).toEqual([
      expect.stringContaining('cause 0'),
      expect.stringContaining('cause 1'),
      expect.stringContaining('cause 2'),
    ])
    heal()
  })
})

describe('an outcome', () => {
  // B033
  it('is kept and handed in again while the store cannot take it; the handler does not run again', async () => {
    const run = vi.fn(async () => ({ charged: true }))
    const t = await testWorker({ handlers: [{ run }] })
    let broken = true
    intercept(t.engine, (hand, real) =>
      broken && hand.ended.length > 0
        ? Promise.reject(new WfError('store_locked', 'database is locked'))
        : real(hand),
    )
    const key = await t.add()
    t.worker.start()
    await t.clock.advance(3_000)
    expect(run).toHaveBeenCalledTimes(1)
    expect((await t.job(key)).state).toBe('running')
    broken = false
    await t.clock.advance(6_000)
    const { job, result, attempts } = await t.detail(key)
    expect(job).toMatchObject({ state: 'completed', retries: 3, attempt: 1 })
    expect(result).toBe('{"charged":true}')
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([[1, 'success']])
    expect(run).toHaveBeenCalledTimes(1)
  })

  // B033
  it('that was stored although the answer got lost is not stored twice', async () => {
    const t = await testWorker({ handlers: [{ run: async () => 1 }] })
    let lose = true
    intercept(t.engine, async (hand, real) => {
      const answer = await real(hand)
      if (lose && hand.ended.length > 0) {
        lose = false
        throw new Error('connection reset')
      }
      return answer
    })
    const key = await t.add()
    t.worker.start()
    await t.clock.advance(1_000)
    expect(await t.job(key)).toMatchObject({ state: 'completed', attempt: 1 })
    expect(t.messages().join('\n')).toContain('it had been stored before, or the lease was lost meanwhile')
    expect(t.worker.running).toEqual([])
  })

  // A04
  it('of an attempt that another has taken over is stale: one warning, and the worker goes on', async () => {
    const door = gate()
    const t = await testWorker({
      handlers: [
        { concurrency: 1, run: (job: { attempt: number }) => (job.attempt === 1 ? door.passed : undefined) },
      ],
    })
    const key = await t.add()
    t.worker.start()
    await t.rest()
    const [held] = await t.store.running('w#1')
    if (!held) throw new Error('it does not run')
    await t.settle(held, { kind: 'lost', reason: 'lease_expired', detail: 'swept' })
    await t.join('other#1')
    const [taken] = await t.claim({ workerId: 'other#1' })
    expect(taken).toMatchObject({ key, attempt: 2 })
    door.open()
    await t.rest()
    expect(await t.job(key)).toMatchObject({ state: 'running', attempt: 2, workerId: 'other#1' })
    expect(
      t.log.lines.filter(({ level, message }) => level === 'warn' && message.includes('changed nothing')),
    ).toHaveLength(1)
    const next = await t.add()
    await t.rest()
    expect((await t.job(next)).state).toBe('completed')
  })
})
