import { retireWorkers } from '../support/plans.ts'
import { hostname } from 'node:os'
import { spawn } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { signsOf, type Lookout } from '../../src/engine/liveness.ts'
import { testEngine, type TestEngine } from '../support/test-engine.ts'

const here = { host: 'here', runs: (pid: number) => pid === 1 }

async function watched(t: TestEngine, more: Partial<Lookout> = {}) {
  const workers = await t.store.workers(t.store.now())
  let done = false
  const signs = signsOf(workers, { store: t.store, clock: t.clock, here, ...more }).finally(() => {
    done = true
  })
  await t.clock.settle()
  return { signs, isDone: () => done }
}

describe('a sign of life', () => {
  // B006
  it('is not asked of a worker whose lease is over, wherever it is', async () => {
    const t = await testEngine()
    await t.join('w#1', { host: 'here', pid: 1, leaseMs: 0 })
    await t.join('w#2', { host: 'there', leaseMs: -1 })
    expect([...(await (await watched(t)).signs)]).toEqual([
      ['w#1', { is: 'dead', why: 'its lease is over' }],
      ['w#2', { is: 'dead', why: 'its lease is over' }],
    ])
  })

  // B006
  it('is the process where it can be seen, and takes no time', async () => {
    const t = await testEngine()
    await t.join('w#1', { host: 'here', pid: 1 })
    await t.join('w#2', { host: 'here', pid: 2 })
    const signs = await (await watched(t)).signs
    expect([signs.get('w#1')?.is, signs.get('w#2')?.is]).toEqual(['alive', 'dead'])
  })

  it('is a renewal elsewhere, told as soon as the lease moves', async () => {
    const t = await testEngine()
    await t.join('w#1', { host: 'there' })
    const onWatch = vi.fn()
    const { signs, isDone } = await watched(t, { onWatch })
    expect(onWatch).toHaveBeenCalledWith(['w#1'], 15_000)
    await t.clock.advance(9_000)
    expect(isDone()).toBe(false)
    await t.store.renew(['w#1'], t.store.now() + 30_000, t.store.now())
    await t.clock.advance(250)
    expect((await signs).get('w#1')).toEqual({ is: 'alive', why: 'still renews its lease' })
  })

  // Whatever the lease and its renewal are, which nobody here is told: a renewal comes within less than half of a lease.
  it.each([2_000, 30_000, 600_000])(
    'is missing when half of what was left of a lease of %i ms went by, and never found missing in one that lives',
    async (leaseMs) => {
      const t = await testEngine()
      await t.join('dead', { host: 'there', leaseMs })
      await t.join('alive', { host: 'there', leaseMs })
      const renewMs = Math.floor(leaseMs / 2) - 1
      await t.clock.advance(renewMs - 1)
      const { signs, isDone } = await watched(t)
      await t.clock.advance(1)
      await t.store.renew(['alive'], t.store.now() + leaseMs, t.store.now())
      await t.clock.advance(leaseMs / 4 - 251)
      expect(isDone()).toBe(false)
      await t.clock.advance(1_000)
      const found = await signs
      expect([found.get('dead')?.is, found.get('alive')?.is]).toEqual(['dead', 'alive'])
    },
  )

  it('is not waited for beyond five minutes where a clock that was set back makes a lease seem endless', async () => {
    const t = await testEngine()
    await t.join('w#1', { host: 'there', leaseMs: 10 * 3_600_000 })
    const { signs } = await watched(t)
    await t.clock.advance(301_000)
    expect((await signs).get('w#1')?.is).toBe('dead')
  })

  it('is no longer waited for when the worker leaves by itself', async () => {
    const t = await testEngine()
    await t.join('w#1', { host: 'there' })
    const { signs } = await watched(t)
    await retireWorkers(t.store, ['w#1'], t.store.now())
    await t.clock.advance(250)
    expect((await signs).get('w#1')?.is).toBe('left')
  })

  it('tells real processes apart: one that runs, one that has ended', async () => {
    const t = await testEngine()
    const ended = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => ended.once('exit', resolve))
    await t.join('runs', { host: hostname(), pid: process.pid })
    await t.join('ended', { host: hostname(), pid: ended.pid ?? 0 })
    const signs = await signsOf(await t.store.workers(t.store.now()), { store: t.store, clock: t.clock })
    expect([signs.get('runs')?.is, signs.get('ended')?.is]).toEqual(['alive', 'dead'])
  })
})
