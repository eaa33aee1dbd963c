import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { BusinessError, DeferError, defineHandler, type HandlerContext } from '../../src/index.ts'
import { createFakeClock, runHandler } from '../../src/testing/index.ts'

const order = z.object({ orderId: z.string(), amount: z.number().positive() })

const charge = defineHandler({
  type: 'charge-payment',
  variables: order,
  timeout: '45s',
  retries: 3,
  backoff: { strategy: 'fixed', delay: '10s', jitter: 0 },
  businessErrors: ['CARD_DECLINED'],
  async run({ variables: { orderId, amount }, attempt }, ctx) {
    ctx.log.info('charging', { orderId })
    ctx.progress(0.5, 'half')
    if (amount === 402) throw new BusinessError('CARD_DECLINED', 'no money')
    if (amount === 503) throw new DeferError('gateway busy', { in: '1m' })
    if (amount === 500 && attempt < 3) throw new Error('gateway broke')
    ctx.enqueue('send-receipt', { orderId }, { delay: '5s' })
    return { chargeId: `c-${orderId}`, key: ctx.idempotencyKey }
  },
})

describe('runHandler', () => {
  it('tells result, job, children, progress and log of a success', async () => {
    const run = await runHandler(charge, { orderId: 'o-1', amount: 30 })
    expectTypeOf(run.result).toEqualTypeOf<{ chargeId: string; key: string } | undefined>()
    expect(run).toMatchObject({
      outcome: 'success',
      error: null,
      incident: null,
      result: { chargeId: 'c-o-1', key: expect.stringMatching(/^wf-job-1-/) },
      job: { state: 'completed', attempt: 1 },
      children: [
        { job: { type: 'send-receipt', state: 'waiting', parentKey: 1 }, variables: { orderId: 'o-1' } },
      ],
      progress: [{ fraction: 0.5, note: 'half' }],
    })
    expect(run.logs).toEqual([{ level: 'info', message: 'charging', fields: { orderId: 'o-1' } }])
  })

  it('tells what becomes of a failure: the backoff, then the incident', async () => {
    const first = await runHandler(charge, { orderId: 'o-1', amount: 500 })
    expect(first).toMatchObject({
      outcome: 'fail',
      error: { message: 'gateway broke' },
      job: { state: 'waiting', retries: 2 },
      children: [],
    })
    const last = await runHandler(charge, { orderId: 'o-1', amount: 500 }, { retries: 1 })
    expect(last).toMatchObject({
      outcome: 'fail',
      incident: 'job_no_retries',
      job: { state: 'failed', retries: 0 },
    })
    const third = await runHandler(charge, { orderId: 'o-1', amount: 500 }, { attempt: 3 })
    expect(third).toMatchObject({ outcome: 'success', job: { attempt: 3 } })
  })

  it('tells refusals, deferrals and poison apart', async () => {
    expect(await runHandler(charge, { orderId: 'o-1', amount: 402 })).toMatchObject({
      outcome: 'business_error',
      job: { state: 'rejected' },
    })
    expect(await runHandler(charge, { orderId: 'o-1', amount: 503 })).toMatchObject({
      outcome: 'defer',
      error: { message: 'gateway busy' },
      job: { state: 'waiting', waitReason: 'deferred', retries: 3 },
    })
    expect(await runHandler(charge, { orderId: 7 })).toMatchObject({
      outcome: 'poison',
      incident: 'poison_message',
      job: { state: 'failed' },
    })
  })

  it('lets a test move time up to the timeout', async () => {
    const clock = createFakeClock()
    const stuck = defineHandler({
      type: 'stuck',
      timeout: '45s',
      run: () => new Promise<never>(() => undefined),
    })
    const running = runHandler(stuck, {}, { clock })
    await clock.advance(45_000)
    expect(await running).toMatchObject({
      outcome: 'fail',
      error: { code: 'WF_TIMEOUT' },
      job: { state: 'waiting', retries: 2 },
    })
    expect(clock.pendingTimers).toBe(0)
  })

  it.each([
    ['shutdown', 'interrupted', 'available'],
    ['cancelled', 'none', 'running'],
    ['lease_lost', 'none', 'running'],
    ['timeout', 'fail', 'waiting'],
  ] as const)('aborts the signal with the reason %s', async (reason, outcome, state) => {
    const clock = createFakeClock()
    const listening = defineHandler({
      type: 'listening',
      run: (_, { signal }: HandlerContext) =>
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const running = runHandler(listening, {}, { clock, abort: { reason, inMs: 1_000 } })
    await clock.advance(1_000)
    expect(await running).toMatchObject({ outcome, job: { state } })
  })

  it('refuses a handler and variables that no worker would take', async () => {
    await expect(runHandler({ type: 'a', run: () => 1, timeout: 'soon' })).rejects.toMatchObject({
      code: 'invalid_handler',
    })
    await expect(runHandler({ type: 'a', run: () => 1 }, { id: 1n })).rejects.toMatchObject({
      code: 'invalid_job',
    })
    await expect(runHandler({ type: 'a', run: () => 1 }, {}, { attempt: 0 })).rejects.toMatchObject({
      code: 'usage',
    })
  })
})

describe('runHandler with the resilience kit', () => {
  // A31
  it('tells what a handler had to do without', async () => {
    const handler = defineHandler({
      type: 'a',
      run: (_, ctx) => ctx.optional('scores', () => Promise.reject(new Error('down'))),
    })
    expect(await runHandler(handler)).toMatchObject({
      outcome: 'success',
      degraded: [{ feature: 'scores', thrown: { message: 'down' } }],
    })
  })

  // A30
  it('runs on steps that earlier attempts left, done or unknown', async () => {
    const done: string[] = []
    const handler = defineHandler({
      type: 'a',
      async run(_, ctx) {
        const charge = await ctx.once('charge', () => void done.push('charge'))
        await ctx.once('mail', () => void done.push('mail'), { verify: () => undefined })
        return { charge }
      },
    })
    const run = await runHandler(
      handler,
      {},
      { attempt: 2, steps: { charge: { result: 'ch-1' }, mail: 'unknown' } },
    )
    expect(run).toMatchObject({ outcome: 'success', result: { charge: 'ch-1' } })
    expect(done).toEqual(['mail'])
    expect(run.steps).toEqual([
      { step: 'charge', result: 'ch-1' },
      { step: 'mail', result: null },
    ])
  })

  // A28
  it('tries again on the clock that the test moves', async () => {
    const clock = createFakeClock()
    const errors = [Object.assign(new Error('503'), { status: 503 })]
    const dependencies = { bank: { timeout: '1s', retry: {}, breaker: {}, bulkhead: 1 } }
    const call = async () => {
      const error = errors.pop()
      if (error) throw error
      return 'paid'
    }
    const running = runHandler(
      defineHandler({ type: 'a', dependencies, run: (_, ctx) => ctx.call('bank', call) }),
      {},
      { clock },
    )
    await clock.advance(200)
    expect(await running).toMatchObject({ outcome: 'success', result: 'paid' })
    expect(clock.pendingTimers).toBe(0)
  })
})
