import { describe, expect, it } from 'vitest'
import { WfError } from '../../../src/errors.ts'
import type { HandlerContext, OnceOptions } from '../../../src/worker/handler/define-handler.ts'
import { bench } from '../run-one.ts'

/** What the other side saw, and a handler whose one step does it. */
function charging(
  options: OnceOptions<unknown> = {},
  effect: (charges: number) => unknown = (charges) => ({ id: `c-${charges}` }),
) {
  const seen = { charges: 0 }
  const charge = async () => effect(++seen.charges)
  const handler = { run: (_: unknown, ctx: HandlerContext) => ctx.once('charge', charge, options) }
  return { seen, handler }
}

describe('ctx.once', () => {
  // A30
  it('does not charge again when the charge succeeded and what came after it failed', async () => {
    const { start, clock, ends, counts } = bench()
    const done: string[] = []
    const handler = {
      async run(_: unknown, ctx: HandlerContext) {
        const charge = await ctx.once('charge', async () => {
          done.push('charge')
          return { id: 'c-1' }
        })
        await ctx.once('save', async () => {
          done.push('save')
          if (ctx.attempt === 1) throw new Error('disk full')
        })
        return charge
      },
    }
    start(handler, { attempt: 1 })
    await clock.settle()
    expect(counts.size).toBe(0)
    start(handler, { attempt: 2 })
    await clock.settle()
    expect(done).toEqual(['charge', 'save', 'save'])
    expect(ends.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'fail' },
      { kind: 'success', result: '{"id":"c-1"}' },
    ])
    expect([...counts]).toEqual([['wf_worker_idempotency_cache_hits_total a', 1]])
  })

  // A30
  it('asks verify when an earlier attempt was killed inside, and keeps what it finds', async () => {
    const { seen, handler } = charging({ verify: async () => ({ id: 'found' }) })
    const { start, clock, outcome, steps } = bench()
    steps.rows.set('12 charge', null)
    start(handler, { attempt: 2 })
    await clock.settle()
    expect(outcome()).toEqual({ kind: 'success', result: '{"id":"found"}' })
    expect(seen.charges).toBe(0)
    expect(steps.rows.get('12 charge')).toBe('{"id":"found"}')
  })

  // A30
  it('does it when verify finds nothing', async () => {
    const { seen, handler } = charging({ verify: () => undefined })
    const { start, clock, outcome, steps } = bench()
    steps.rows.set('12 charge', null)
    start(handler, { attempt: 2 })
    await clock.settle()
    expect(outcome()).toEqual({ kind: 'success', result: '{"id":"c-1"}' })
    expect(seen.charges).toBe(1)
  })

  // A30
  it('does it again without verify, and says that it may have taken effect before', async () => {
    const { seen, handler } = charging()
    const { start, clock, log, steps } = bench()
    steps.rows.set('12 charge', null)
    start(handler, { attempt: 2 })
    await clock.settle()
    expect(seen.charges).toBe(1)
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        job: 12,
        step: 'charge',
        message: expect.stringContaining('it may have taken effect'),
      },
    ])
  })

  it('does nothing, and leaves it unknown, when verify fails', async () => {
    const { seen, handler } = charging({ verify: () => Promise.reject(new Error('no answer')) })
    const { start, clock, outcome, steps } = bench()
    steps.rows.set('12 charge', null)
    start(handler)
    await clock.settle()
    expect(outcome()).toMatchObject({ kind: 'fail', error: { message: 'no answer' } })
    expect([seen.charges, steps.rows.get('12 charge')]).toEqual([0, null])
  })

  describe('around a call that is not let through', () => {
    /** Each attempt charges as the last argument says, through a breaker that one failure opens and a bulkhead of one place. */
    function paying(pay: (ctx: HandlerContext) => Promise<unknown>, more: object = {}) {
      const bank = {
        retry: { delay: '100ms', jitter: 0 },
        breaker: { failures: 1, openFor: '30s' },
        bulkhead: { limit: 1, wait: 0 },
      }
      const handler = {
        dependencies: { bank },
        run: (_: unknown, ctx: HandlerContext) => ctx.once('charge', () => pay(ctx)),
        ...more,
      }
      return { handler, ...bench({ handlers: [handler] }) }
    }
    const down = () => Promise.reject(Object.assign(new Error('503'), { status: 503 }))

    // A30
    it('is forgotten: nobody is in doubt about what was not sent', async () => {
      const { handler, start, clock, ends, steps, log } = paying((ctx) => ctx.call('bank', down))
      start(handler, { key: 1 })
      await clock.advance(100)
      start(handler, { key: 2 })
      await clock.settle()
      start(handler, { key: 2, attempt: 2 })
      await clock.settle()
      expect(ends.map(({ outcome }) => outcome)).toMatchObject(
        new Array(3).fill({ kind: 'defer', by: 'breaker' }),
      )
      expect([...steps.rows]).toEqual([['1 charge', null]])
      expect(log.lines.filter(({ step }) => step)).toEqual([])
    })

    // A30
    it('is forgotten where the bulkhead is full, and where the handler puts its own error around the refusal', async () => {
      const { handler, start, clock, ends, steps } = paying(async (ctx) => {
        try {
          return await ctx.call('bank', () => new Promise(() => undefined))
        } catch (cause) {
          throw new Error('cannot pay', { cause })
        }
      })
      start(handler, { key: 1 })
      start(handler, { key: 2 })
      await clock.advance(1)
      expect(ends.map(({ outcome }) => outcome)).toMatchObject([{ kind: 'defer', by: 'bulkhead' }])
      expect([...steps.rows]).toEqual([['1 charge', null]])
    })

    // A30
    it('stays unknown where a call was made before, or an earlier attempt left it so', async () => {
      const { handler, start, clock, steps } = paying((ctx) => ctx.call('bank', down), {
        backoff: { strategy: 'fixed', delay: '1s' },
      })
      steps.rows.set('2 charge', null)
      start(handler, { key: 1 })
      await clock.advance(100)
      start(handler, { key: 2 })
      await clock.settle()
      expect([...steps.rows]).toEqual([
        ['2 charge', null],
        ['1 charge', null],
      ])
    })

    it('stays unknown where the store cannot take it back, and the job is deferred all the same', async () => {
      const { handler, start, clock, ends, steps } = paying((ctx) => ctx.call('bank', down))
      start(handler, { key: 1 })
      await clock.advance(100)
      steps.withdrawStep = () => Promise.reject(new WfError('store_locked', 'locked'))
      start(handler, { key: 2 })
      await clock.settle()
      expect(ends[1]?.outcome).toMatchObject({ kind: 'defer', by: 'breaker' })
      expect([...steps.rows.keys()]).toEqual(['1 charge', '2 charge'])
    })
  })

  it('states the intent before it is done, and its result after', async () => {
    const order: string[] = []
    const { start, clock, steps } = bench()
    start({
      run: (_: unknown, ctx: HandlerContext) =>
        ctx.once('charge', () => void order.push(...steps.asked, 'charge')),
    })
    await clock.settle()
    expect([...order, ...steps.asked]).toEqual(['begin charge', 'charge', 'begin charge', 'complete charge'])
  })

  it('is one step when it is asked for twice at once', async () => {
    const { seen, handler } = charging()
    const { start, clock, outcome } = bench()
    start({
      run: async (job: unknown, ctx: HandlerContext) => {
        const both = await Promise.all([handler.run(job, ctx), handler.run(job, ctx)])
        return both
      },
    })
    await clock.settle()
    expect(seen.charges).toBe(1)
    expect(outcome()).toEqual({ kind: 'success', result: '[{"id":"c-1"},{"id":"c-1"}]' })
  })

  it('gives what was stored, the first time as later', async () => {
    const { handler } = charging({}, () => ({ at: new Date(0), none: undefined }))
    const { start, clock, ends } = bench()
    start(handler)
    await clock.settle()
    start(handler)
    await clock.settle()
    expect(ends.map(({ outcome }) => outcome)).toEqual(
      new Array(2).fill({ kind: 'success', result: '{"at":"1970-01-01T00:00:00.000Z"}' }),
    )
  })

  it('lets the first result count when two attempts came to one', async () => {
    const { start, clock, outcome, steps } = bench()
    const { handler } = charging({}, () => {
      steps.rows.set('12 charge', '"of another"')
      return 'mine'
    })
    start(handler)
    await clock.settle()
    expect(outcome()).toEqual({ kind: 'success', result: '"of another"' })
  })

  it.each<[string, unknown]>([
    ['is no JSON', { id: 1n }],
    ['is too large', 'x'.repeat(300_000)],
  ])('stops the job for a person when the result %s, because it has taken effect', async (_, result) => {
    const { handler } = charging({}, () => result)
    const { start, clock, outcome } = bench()
    start(handler)
    await clock.settle()
    expect(outcome()).toMatchObject({
      kind: 'incident',
      error: { message: expect.stringContaining('it has taken effect') },
    })
  })

  it("does nothing when the attempt is no longer the job's", async () => {
    const { seen, handler } = charging()
    const { start, clock, outcome, steps } = bench()
    steps.stale = true
    start(handler)
    await clock.settle()
    expect(seen.charges).toBe(0)
    expect(outcome()).toMatchObject({ kind: 'fail', error: { code: 'refused' } })
  })

  it('does nothing after an abort', async () => {
    const { seen, handler } = charging()
    const { start, clock, runner, steps } = bench()
    start({ run: (job: unknown, ctx: HandlerContext) => clock.sleep(10).then(() => handler.run(job, ctx)) })
    runner.abort(runner.running, 'lease_lost')
    await clock.advance(10)
    expect([seen.charges, steps.asked]).toEqual([0, []])
  })

  it('asks a store that is locked again, and notes an effect that has happened', async () => {
    const { seen, handler } = charging()
    const { start, clock, outcome, steps } = bench()
    const locked = () => new WfError('store_locked', 'locked')
    steps.failures.push(locked(), locked())
    start({ run: (job: unknown, ctx: HandlerContext) => handler.run(job, ctx) })
    await clock.advance(600)
    expect(outcome()).toEqual({ kind: 'success', result: '{"id":"c-1"}' })
    expect([seen.charges, steps.asked]).toEqual([
      1,
      ['begin charge', 'begin charge', 'begin charge', 'complete charge'],
    ])
  })

  it.each([
    ['', 'refused'],
    ['x'.repeat(201), 'refused'],
    [7, 'usage'],
  ])('refuses the name %s', async (name, code) => {
    const { start, clock, outcome, steps } = bench()
    start({ run: (_: unknown, ctx: HandlerContext) => ctx.once(name as string, () => 1) })
    await clock.settle()
    expect(outcome()).toMatchObject({ kind: 'fail', error: { code } })
    expect(steps.rows.size).toBe(0)
  })
})
