import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { BusinessError, RetryError } from '../../../src/domain/handler-errors.ts'
import type { ActivatedJob, HandlerContext } from '../../../src/worker/handler/define-handler.ts'
import { normaliseHandler } from '../../../src/worker/handler/handler-schema.ts'
import { bench } from '../run-one.ts'

const unavailable = () => Object.assign(new Error('503'), { status: 503 })

/** A handler whose calls do what the test says next. */
function caller(
  policy: object,
  answer: (job: ActivatedJob<unknown>, signal: AbortSignal) => unknown,
  more: object = {},
) {
  return {
    ...more,
    dependencies: { bank: policy },
    run: (job: ActivatedJob<unknown>, ctx: HandlerContext) =>
      ctx.call('bank', (signal) => answer(job, signal)),
  }
}

describe('ctx.call', () => {
  it('gives what the call gives, and fails the attempt with what it throws', async () => {
    const handler = caller(
      { timeout: '1s' },
      ({ key }) => {
        if (key === 2) throw new BusinessError('CARD_DECLINED')
        return { paid: key }
      },
      { businessErrors: ['CARD_DECLINED'] },
    )
    const { start, clock, ends } = bench({ handlers: [handler] })
    start(handler, { key: 1 })
    start(handler, { key: 2 })
    await clock.settle()
    expect(ends.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'success', result: '{"paid":1}' },
      { kind: 'business_error', code: 'CARD_DECLINED', declared: true },
    ])
  })

  // A25
  it('defers the job, not fails it, when the breaker lets nothing through', async () => {
    let calls = 0
    const handler = caller({ breaker: { failures: 5, openFor: '30s' } }, () => {
      calls++
      throw new Error('down')
    })
    const { start, clock, ends, log } = bench({ handlers: [handler] })
    for (let key = 1; key <= 6; key++) {
      start(handler, { key })
      await clock.settle()
    }
    expect(calls).toBe(5)
    expect(ends.map(({ outcome }) => outcome?.kind)).toEqual([
      'fail',
      'fail',
      'fail',
      'fail',
      'fail',
      'defer',
    ])
    const last = ends[5]?.outcome
    expect(last).toMatchObject({
      kind: 'defer',
      by: 'breaker',
      reason: expect.stringContaining('the breaker of bank lets nothing through'),
    })
    const untilMs = last?.kind === 'defer' ? last.until - clock.now() : 0
    expect(untilMs).toBeGreaterThanOrEqual(30_000)
    expect(untilMs).toBeLessThanOrEqual(36_000)
    expect(log.lines).toMatchObject([
      { level: 'warn', message: expect.stringContaining('the breaker of bank opened'), breaker: 'bank' },
    ])
  })

  // A25
  it('lets one probe through at the expiry, defers a second call meanwhile, and closes when it succeeds', async () => {
    let answer: () => unknown = () => {
      throw new Error('down')
    }
    const handler = caller({ breaker: { failures: 1, openFor: '30s' } }, () => answer())
    const { start, clock, ends } = bench({ handlers: [handler] })
    start(handler, { key: 1 })
    await clock.advance(30_000)
    let probeDone: (value: unknown) => void = () => undefined
    answer = () => new Promise((resolve) => (probeDone = resolve))
    start(handler, { key: 2 })
    start(handler, { key: 3 })
    await clock.settle()
    expect(ends.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'fail' },
      { kind: 'defer', by: 'breaker' },
    ])
    probeDone('up')
    await clock.settle()
    answer = () => 'up'
    start(handler, { key: 4 })
    await clock.settle()
    expect(ends.slice(2).map(({ outcome }) => outcome?.kind)).toEqual(['success', 'success'])
  })

  // A25
  it('says with the deferral what its own call had failed with, and only then', async () => {
    const handler = caller(
      { retry: { delay: '100ms', jitter: 0 }, breaker: { failures: 1, openFor: '30s' } },
      () => {
        throw unavailable()
      },
    )
    const { start, clock, ends } = bench({ handlers: [handler] })
    start(handler, { key: 1 })
    await clock.advance(100)
    start(handler, { key: 2 })
    await clock.settle()
    expect(ends.map(({ outcome }) => outcome)).toEqual([
      expect.objectContaining({
        kind: 'defer',
        by: 'breaker',
        failure: expect.objectContaining({ message: '503' }),
      }),
      {
        kind: 'defer',
        by: 'breaker',
        until: expect.any(Number),
        reason: expect.stringMatching(/open for another [\d.]+s$/),
      },
    ])
    expect(ends[0]?.outcome).toMatchObject({
      reason: expect.stringMatching(/open for another 30s; its own call had failed: 503$/),
    })
  })

  it('finds the refusal behind what a handler puts around it, unless that says itself what is to become of the job', async () => {
    let wrap: (error: unknown) => unknown = (error) => error
    const handler = {
      dependencies: { bank: { breaker: { failures: 1 } } },
      async run(_: unknown, ctx: HandlerContext) {
        try {
          await ctx.call('bank', () => Promise.reject(new Error('down')))
        } catch (error) {
          throw wrap(error)
        }
      },
    }
    const { start, clock, ends } = bench({ handlers: [handler] })
    start(handler)
    await clock.settle()
    wrap = (cause) => new Error('cannot pay', { cause })
    start(handler)
    await clock.settle()
    wrap = (cause) => new RetryError(cause)
    start(handler)
    await clock.settle()
    expect(ends.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'fail' },
      { kind: 'defer', by: 'breaker' },
      { kind: 'fail' },
    ])
  })

  // A29
  it('defers the third of three callers of a bulkhead of two for 5 s, after it has waited', async () => {
    const handler = caller({ bulkhead: 2 }, () => new Promise(() => undefined), { timeout: '1h' })
    const { start, clock, ends } = bench({ handlers: [handler] })
    for (let key = 1; key <= 3; key++) start(handler, { key })
    await clock.advance(999)
    expect(ends).toEqual([])
    await clock.advance(1)
    const [end, another] = ends
    expect(another).toBeUndefined()
    expect(end).toMatchObject({ attempt: { job: { key: 3 } }, outcome: { kind: 'defer', by: 'bulkhead' } })
    const untilMs = end?.outcome?.kind === 'defer' ? end.outcome.until - clock.now() : 0
    expect(untilMs).toBeGreaterThanOrEqual(5_000)
    expect(untilMs).toBeLessThanOrEqual(6_000)
  })

  // A28
  it('asks once where the error is not transient, and counts each try that comes after another', async () => {
    const errors: Error[] = [new Error('no'), unavailable(), unavailable()]
    const handler = caller({ retry: {} }, () => {
      const error = errors.shift()
      if (error) throw error
      return 'yes'
    })
    const { start, clock, ends, counts } = bench({ handlers: [handler] })
    start(handler)
    await clock.settle()
    expect(errors).toHaveLength(2)
    expect(counts.size).toBe(0)
    start(handler)
    await clock.advance(1_000)
    expect(ends.map(({ outcome }) => outcome?.kind)).toEqual(['fail', 'success'])
    expect([...counts]).toEqual([['wf_worker_retries_total a bank', 2]])
  })

  // A28
  it('never waits past the instant at which the signal aborts', async () => {
    let calls = 0
    const policy = { retry: { attempts: 5, delay: '2s', max: '2s', factor: 1, jitter: 0 } }
    const fail = () => {
      calls++
      throw unavailable()
    }
    const handler = caller(policy, fail, { timeout: '6s' })
    const { start, clock, ends } = bench({ handlers: [handler] })
    // Aborts at 5 s: tries at 0, 2 and 4 s, and none that would begin at 6 s.
    start(handler)
    await clock.advance(4_000)
    expect(calls).toBe(3)
    expect(ends).toMatchObject([{ outcome: { kind: 'fail', category: 'error' }, durationMs: 4_000 }])
  })

  // A28
  it('ends a wait between two tries when the attempt is aborted', async () => {
    const policy = { retry: { delay: '5s', max: '5s', attempts: 2 } }
    const handler = caller(policy, () => {
      throw unavailable()
    })
    const { start, clock, ends, runner } = bench({ handlers: [handler] })
    start(handler)
    await clock.advance(100)
    runner.abort(runner.running, 'shutdown')
    await clock.settle()
    expect(ends).toMatchObject([{ outcome: { kind: 'interrupted' }, durationMs: 100 }])
    runner.close()
    expect(clock.pendingTimers).toBe(0)
  })

  it('defers for as long as the other side asks where that is longer than a try may wait', async () => {
    const handler = caller({ retry: {} }, () => {
      throw Object.assign(unavailable(), { headers: { 'retry-after': '600' } })
    })
    const { start, clock, outcome } = bench({ handlers: [handler] })
    start(handler)
    await clock.settle()
    const told = outcome()
    expect(told).toMatchObject({ kind: 'defer', by: 'retry_after' })
    expect(told?.kind === 'defer' && told.until - clock.now()).toBeGreaterThanOrEqual(600_000)
  })

  it('gives a call no more time than the attempt has', async () => {
    const handler = caller({ timeout: '5s' }, () => new Promise(() => undefined), { timeout: '6s' })
    const { start, clock, ends } = bench({ handlers: [handler] })
    start(handler)
    await clock.advance(5_000)
    expect(ends).toMatchObject([{ durationMs: 5_000 }])
  })

  it('refuses a dependency that the handler does not declare, and says which it does', async () => {
    const handler = {
      dependencies: { stripe: {} },
      run: (_: unknown, ctx: HandlerContext) => ctx.call('strype', () => Promise.resolve(1)),
    }
    const { start, clock, outcome } = bench({ handlers: [handler] })
    start(handler)
    await clock.settle()
    expect(outcome()).toMatchObject({
      kind: 'fail',
      error: { code: 'invalid_handler', message: expect.stringContaining('"strype"') },
    })
  })

  // B063
  it('refuses a call after the attempt is over', async () => {
    const refusals: unknown[] = []
    const handler = {
      dependencies: { bank: {} },
      run(_: unknown, { call }: HandlerContext) {
        setImmediate(() =>
          call('bank', () => Promise.resolve(1)).catch((error: unknown) => refusals.push(error)),
        )
      },
    }
    const { start, clock } = bench({ handlers: [handler] })
    start(handler)
    await clock.settle()
    expect(refusals).toMatchObject([
      { code: 'refused', message: 'attempt 1 of job 12 is over: it can call nothing any more' },
    ])
  })

  // B043
  it('leaves no listener and no timer after 100,000 calls of one attempt', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error) => void warnings.push(warning)
    process.on('warning', warned)
    const policy = { timeout: '1m', retry: {}, breaker: { failures: 5, shared: false }, bulkhead: 50 }
    let listeners = -1
    const handler = {
      dependencies: { bank: policy },
      async run(_: unknown, ctx: HandlerContext) {
        for (let round = 0; round < 5_000; round++) {
          await Promise.all(
            Array.from({ length: 20 }, (_, index) => ctx.call('bank', () => Promise.resolve(index))),
          )
        }
        listeners = getEventListeners(ctx.signal, 'abort').length
      },
    }
    const { start, clock, ends, runner } = bench({ handlers: [handler] })
    start(handler)
    while (ends.length === 0) await clock.settle()
    process.off('warning', warned)
    runner.close()
    expect([ends[0]?.outcome?.kind, listeners, clock.pendingTimers, warnings]).toEqual(['success', 0, 0, []])
  })
})

describe("a handler's dependencies", () => {
  it.each<[string, unknown, string]>([
    [
      'a breaker that never opens',
      { bank: { breaker: { failures: Number.NaN } } },
      'dependencies.bank.breaker.failures is NaN; it must be a whole number from 1 to 1000',
    ],
    ['six tries', { bank: { retry: { attempts: 6 } } }, 'dependencies.bank.retry.attempts is 6'],
    ['11 s of waiting', { bank: { retry: { delay: '11s' } } }, 'dependencies.bank.retry.delay is "11s"'],
    ["a timeout beyond the handler's", { bank: { timeout: '10m' } }, 'dependencies.bank.timeout is "10m"'],
    ['a list', ['bank'], 'dependencies is ["bank"]'],
    // A28 B041
  ])('refuse %s when the handler is loaded', (_, dependencies, message) => {
    expect(() => normaliseHandler({ type: 'pay', run: () => 1, dependencies })).toThrow(message)
  })

  it('are refused when two handlers of a process say different things about what they share', () => {
    const one = { type: 'one', run: () => 1, dependencies: { bank: { breaker: { failures: 3 } } } }
    const other = { type: 'other', run: () => 1, dependencies: { bank: { breaker: { failures: 4 } } } }
    expect(() => bench({ handlers: [one, other] })).toThrow('failures is 4 here and 3 in handler "one"')
  })
})

describe('ctx.optional', () => {
  // A31
  it('lets the job complete, counts the feature and tells it', async () => {
    const told: unknown[] = []
    const handler = {
      async run(_: unknown, ctx: HandlerContext) {
        const tracked = await ctx.optional('analytics', () => Promise.reject(new Error('no route')))
        return { tracked: tracked === undefined }
      },
    }
    const { start, clock, outcome, counts, events, log } = bench()
    events.on('degraded', (degraded) => void told.push(degraded))
    start(handler)
    await clock.settle()
    expect(outcome()).toEqual({ kind: 'success', result: '{"tracked":true}' })
    expect([...counts]).toEqual([['wf_worker_degraded_total w analytics', 1]])
    expect(told).toMatchObject([
      { jobKey: 12, type: 'a', attempt: 1, feature: 'analytics', thrown: { message: 'no route' } },
    ])
    expect(log.lines).toMatchObject([
      { level: 'warn', job: 12, feature: 'analytics', message: expect.stringContaining('no route') },
    ])
  })

  // A31
  it('goes on without a dependency whose breaker is open', async () => {
    const handler = {
      dependencies: { stats: { breaker: { failures: 1 } } },
      run: async (_: unknown, ctx: HandlerContext) =>
        (await ctx.optional('stats', () => ctx.call('stats', () => Promise.reject(new Error('down'))))) ??
        'without',
    }
    const { start, clock, ends, counts } = bench({ handlers: [handler] })
    for (let key = 1; key <= 3; key++) {
      start(handler, { key })
      await clock.settle()
    }
    expect(ends.map(({ outcome }) => outcome)).toEqual(
      new Array(3).fill({ kind: 'success', result: '"without"' }),
    )
    expect([...counts]).toEqual([['wf_worker_degraded_total w stats', 3]])
  })

  // A31
  it('tells a feature that fails all the time once in ten seconds, with how often', async () => {
    const handler = {
      run: (_: unknown, ctx: HandlerContext) =>
        ctx.optional('stats', () => Promise.reject(new Error('down'))),
    }
    const { start, clock, log } = bench()
    for (let key = 1; key <= 50; key++) start(handler, { key })
    await clock.advance(10_000)
    start(handler)
    await clock.settle()
    expect(log.lines.map(({ message }) => message)).toEqual([
      'optional step stats failed, the job goes on without it: Error: down',
      'optional step stats failed, the job goes on without it (49 more times since the last line): Error: down',
    ])
  })
})
