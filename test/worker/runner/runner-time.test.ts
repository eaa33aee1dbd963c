import { describe, expect, it, vi } from 'vitest'
import { BusinessError } from '../../../src/domain/handler-errors.ts'
import { AbortReason } from '../../../src/worker/runner/abort-reason.ts'
import type { HandlerContext } from '../../../src/worker/handler/define-handler.ts'
import { bench } from '../run-one.ts'

const never = () => new Promise<never>(() => undefined)

describe('the timeout', () => {
  it.each([
    [60_000, 55_000],
    [6_000, 5_000],
    [300, 250],
    // A16
  ])(
    'of %i ms aborts the signal at %i ms with the reason timeout, and ends the attempt when it is over',
    async (timeout, abortAt) => {
      const { start, clock, ends, outcome, runner } = bench()
      let signal: AbortSignal | undefined
      start({
        timeout,
        run: (_: unknown, ctx: HandlerContext) => {
          signal = ctx.signal
          return never()
        },
      })
      await clock.advance(abortAt - 1)
      expect(signal?.aborted).toBe(false)
      await clock.advance(1)
      expect(signal?.reason).toBeInstanceOf(AbortReason)
      expect(signal?.reason).toMatchObject({ kind: 'timeout', name: 'AbortError' })
      expect(ends).toHaveLength(0)
      await clock.advance(timeout - abortAt - 1)
      expect(ends).toHaveLength(0)
      await clock.advance(1)
      expect(outcome()).toMatchObject({
        kind: 'fail',
        category: 'timeout',
        error: { name: 'TimeoutError', code: 'WF_TIMEOUT' },
      })
      expect(runner.running.size).toBe(0)
      expect(runner.abandoned).toBe(1)
    },
  )

  // A16
  it('counts a handler as abandoned only until it settles', async () => {
    const { start, clock, runner, ends } = bench()
    start({ timeout: 1_000, run: () => clock.sleep(5_000) })
    start({ timeout: 1_000, run: () => clock.sleep(5_000).then(() => Promise.reject(new Error('late'))) })
    await clock.advance(1_000)
    expect(runner.abandoned).toBe(2)
    await clock.advance(4_000)
    expect(runner.abandoned).toBe(0)
    expect(ends).toHaveLength(2)
  })

  // A16
  it('a return after the abort is a success', async () => {
    const { start, clock, outcome } = bench()
    start({ timeout: 6_000, run: () => clock.sleep(5_500).then(() => 'done') })
    await clock.advance(6_000)
    expect(outcome()).toEqual({ kind: 'success', result: '"done"' })
  })

  // A16
  it('a throw after the abort is a timeout, whatever it is', async () => {
    const { start, clock, outcome } = bench()
    start({
      timeout: 6_000,
      run: () =>
        clock.sleep(5_500).then(() => {
          throw new BusinessError('X')
        }),
    })
    await clock.advance(6_000)
    expect(outcome()).toMatchObject({
      kind: 'fail',
      category: 'timeout',
      error: { causes: [{ name: 'BusinessError' }] },
    })
  })

  // A16
  it('what a listening handler throws at the abort is a timeout at once', async () => {
    const { start, clock, outcome } = bench()
    start({
      timeout: 6_000,
      run: (_: unknown, { signal }: HandlerContext) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    await clock.advance(5_000)
    expect(outcome()).toMatchObject({ kind: 'fail', category: 'timeout', error: { causes: [] } })
  })

  it('shows an abort that came before the handler asked for its signal', async () => {
    const { start, clock } = bench()
    let late: AbortSignal | undefined
    start({
      timeout: 6_000,
      run: (_: unknown, ctx: HandlerContext) =>
        clock.sleep(5_500).then(() => {
          late = ctx.signal
        }),
    })
    await clock.advance(6_000)
    expect(late?.aborted).toBe(true)
    expect(late?.reason).toMatchObject({ kind: 'timeout' })
  })

  it('bounds a schema that never answers too', async () => {
    const { start, clock, outcome } = bench()
    const run = vi.fn()
    start({ timeout: 1_000, run, variables: { '~standard': { version: 1, vendor: 'x', validate: never } } })
    await clock.advance(1_000)
    expect(outcome()).toMatchObject({ kind: 'fail', category: 'timeout' })
    expect(run).not.toHaveBeenCalled()
  })

  it('lets a handler return whose loop was blocked beyond the timeout', async () => {
    const { start, clock, outcome } = bench()
    let answer: (value: string) => void = () => undefined
    start({
      timeout: 1_000,
      run: () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    })
    clock.block(5_000)
    setImmediate(() => answer('just in time'))
    await clock.advance(0)
    expect(outcome()).toMatchObject({ kind: 'success' })
  })

  it('of one attempt does not wait for that of another that ends later', async () => {
    const { start, clock, ends } = bench()
    start({ timeout: 60_000, run: never })
    start({ timeout: 1_000, run: never })
    start({ timeout: 30_000, run: never })
    await clock.advance(1_000)
    expect(ends.map((end) => end.attempt.handler.timeoutMs)).toEqual([1_000])
    await clock.advance(59_000)
    expect(ends.map((end) => end.attempt.handler.timeoutMs)).toEqual([1_000, 30_000, 60_000])
  })
})

describe('a throw after an abort', () => {
  // A16
  it.each(['cancelled', 'lease_lost'] as const)('with the reason %s is reported to nobody', async (kind) => {
    const { start, clock, runner, outcome } = bench()
    start({
      run: (_: unknown, { signal }: HandlerContext) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    runner.abort(runner.running, kind)
    await clock.settle()
    expect(outcome()).toBeNull()
  })

  // A16
  it('with the reason shutdown is interrupted', async () => {
    const { start, clock, runner, outcome } = bench()
    start({
      run: (_: unknown, { signal }: HandlerContext) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new TypeError('x')))),
    })
    runner.abort(runner.running, 'shutdown')
    await clock.settle()
    expect(outcome()).toMatchObject({ kind: 'interrupted' })
  })

  it('that nobody listens to still ends the attempt at its timeout, reported to nobody', async () => {
    const { start, clock, runner, outcome } = bench()
    start({ timeout: 1_000, run: never })
    runner.abort(runner.running, 'cancelled')
    await clock.advance(1_000)
    expect(outcome()).toBeNull()
    expect(runner.abandoned).toBe(1)
  })

  it('keeps the first reason as the signal’s, but a lost attempt is reported to nobody all the same', async () => {
    const { start, clock, runner, outcome } = bench()
    let signal: AbortSignal | undefined
    start({
      timeout: 6_000,
      run: (_: unknown, ctx: HandlerContext) => {
        signal = ctx.signal
        return clock.sleep(5_500).then(() => Promise.reject(new Error('x')))
      },
    })
    await clock.advance(5_000)
    runner.abort(runner.running, 'lease_lost')
    expect(signal?.reason).toMatchObject({ kind: 'timeout' })
    await clock.advance(1_000)
    expect(outcome()).toBeNull()
  })
})

describe('100,000 runs', () => {
  // B043
  it('leave no timer, no listener and no attempt behind', async () => {
    const { start, clock, runner } = bench()
    const warnings: unknown[] = []
    const warn = (warning: unknown) => void warnings.push(warning)
    process.on('warning', warn)
    const handler = { run: async (_: unknown, { signal }: HandlerContext) => void signal.aborted }
    for (let round = 0; round < 1_000; round++) {
      for (let job = 0; job < 100; job++) start(handler)
      await new Promise((resolve) => setImmediate(resolve))
    }
    process.off('warning', warn)
    expect(runner.running.size).toBe(0)
    expect(clock.pendingTimers).toBeLessThanOrEqual(1)
    runner.close()
    expect(clock.pendingTimers).toBe(0)
    expect(warnings).toEqual([])
  })
})
