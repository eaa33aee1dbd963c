import { describe, expect, it } from 'vitest'
import { WfError } from '../../../src/errors.ts'
import type { ChildOptions, HandlerContext } from '../../../src/worker/handler/define-handler.ts'
import { bench, outcomeOf } from '../run-one.ts'

/** What `use` throws inside a handler. */
async function refusalIn(use: (ctx: HandlerContext) => void): Promise<WfError> {
  let refusal: unknown
  const run = (_: unknown, ctx: HandlerContext) => {
    try {
      use(ctx)
    } catch (error) {
      refusal = error
    }
  }
  await outcomeOf({ run })
  if (!(refusal instanceof WfError)) throw new Error(`it was not refused, but gave ${String(refusal)}`)
  return refusal
}

describe('the context', () => {
  it('knows its attempt, and one idempotency key for all attempts of a job', async () => {
    const seen: unknown[] = []
    const run = (_: unknown, ctx: HandlerContext) => void seen.push([ctx.attempt, ctx.idempotencyKey])
    await outcomeOf({ run }, { key: 12, attempt: 1 })
    await outcomeOf({ run }, { key: 12, attempt: 2 })
    await outcomeOf({ run }, { key: 13, attempt: 1 })
    expect(seen).toEqual([
      [1, 'wf-job-12-store-1'],
      [2, 'wf-job-12-store-1'],
      [1, 'wf-job-13-store-1'],
    ])
  })

  it('tells the time that is left, never less than none', async () => {
    const { start, clock } = bench()
    const left: number[] = []
    start({
      timeout: 10_000,
      async run(_: unknown, { timeLeftMs }: HandlerContext) {
        left.push(timeLeftMs())
        await clock.sleep(4_000)
        left.push(timeLeftMs())
        await clock.sleep(9_000)
        left.push(timeLeftMs())
      },
    })
    await clock.advance(20_000)
    expect(left).toEqual([10_000, 6_000, 0])
  })

  it('logs with the job, its type and the attempt on every line', () => {
    const { start, log } = bench()
    start(
      { run: (_: unknown, ctx: HandlerContext) => ctx.log.info('charging', { amount: 3 }) },
      { key: 9, attempt: 2 },
    )
    expect(log.lines).toEqual([
      { level: 'info', message: 'charging', job: 9, type: 'a', attempt: 2, amount: 3 },
    ])
  })

  it('works when its methods are taken off it', async () => {
    const { start, outcome, ends, log, progress } = bench()
    start({
      run(_: unknown, { enqueue, progress: tell, log: words, signal, timeLeftMs }: HandlerContext) {
        enqueue('b', {})
        tell(0.5)
        words.warn('x')
        return [signal.aborted, timeLeftMs() > 0]
      },
    })
    expect(outcome()).toEqual({ kind: 'success', result: '[false,true]' })
    expect(ends[0]?.attempt.children).toHaveLength(1)
    expect([log.lines.length, progress.length]).toEqual([1, 1])
  })
})

describe('ctx.enqueue', () => {
  // A18
  it('keeps children for the settlement of the attempt, with the job as their parent', async () => {
    const { start, ends, clock } = bench()
    start(
      {
        run(_: unknown, ctx: HandlerContext) {
          ctx.enqueue('send-mail', { to: 'x' })
          ctx.enqueue('refund', {}, { when: 'stopped', priority: 5, delay: '10s', idempotencyKey: 'k' })
        },
      },
      { key: 77 },
    )
    expect(ends[0]?.attempt.children).toMatchObject([
      {
        type: 'send-mail',
        variables: '{"to":"x"}',
        parentKey: 77,
        when: 'success',
        priority: 0,
        runAt: clock.now(),
      },
      {
        type: 'refund',
        parentKey: 77,
        when: 'stopped',
        priority: 5,
        runAt: clock.now() + 10_000,
        idempotency: { key: 'k' },
      },
    ])
  })

  it.each<[string, unknown, unknown, object]>([
    ['an empty type', '', {}, {}],
    ['variables that are no object', 'b', 5, {}],
    ['a BigInt in the variables', 'b', { id: 1n }, {}],
    ['a priority that is no number', 'b', {}, { priority: 'high' }],
    ['an unknown option', 'b', {}, { retry: 3 }],
    ['another when', 'b', {}, { when: 'failed' }],
  ])('refuses %s where it is called', async (_, type, variables, options) => {
    const refusal = await refusalIn((ctx) =>
      ctx.enqueue(type as string, variables as object, options as ChildOptions),
    )
    expect(refusal.code).toBe('invalid_job')
    expect(refusal.hint).not.toBe('')
  })

  it('takes 100 jobs an attempt and refuses the next', async () => {
    const refusal = await refusalIn((ctx) => {
      for (let child = 0; child < 101; child++) ctx.enqueue('b', { child })
    })
    expect(refusal.message).toContain('at most 100')
  })

  // B063
  it('refuses what a handler enqueues after its timeout, and keeps no progress of it', async () => {
    const { start, clock, ends, progress } = bench()
    const refusals: unknown[] = []
    start({
      timeout: 1_000,
      async run(_: unknown, ctx: HandlerContext) {
        await clock.sleep(5_000)
        ctx.progress(0.9)
        try {
          ctx.enqueue('b', {})
        } catch (error) {
          refusals.push(error)
        }
      },
    })
    await clock.advance(10_000)
    expect(ends).toHaveLength(1)
    expect(ends[0]).toMatchObject({
      outcome: { kind: 'fail', category: 'timeout' },
      attempt: { children: [] },
    })
    expect(refusals).toMatchObject([
      { code: 'refused', message: 'attempt 1 of job 12 is over: it can enqueue nothing any more' },
    ])
    expect(progress).toEqual([])
  })
})

describe('ctx.progress', () => {
  it('passes on how far the attempt is', async () => {
    const { start, progress } = bench()
    start(
      { run: (_: unknown, ctx: HandlerContext) => ctx.progress(0.25, 'row 25 of 100') },
      { key: 5, attempt: 3 },
    )
    expect(progress).toEqual([{ jobKey: 5, attempt: 3, fraction: 0.25, note: 'row 25 of 100' }])
  })

  it.each([Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY, '0.5', null])('refuses %s', async (fraction) => {
    expect((await refusalIn((ctx) => ctx.progress(fraction as number))).message).toContain(
      'a number from 0 to 1',
    )
  })

  // B076
  it('takes child jobs with variables up to the limit that is set, and no byte more', async () => {
    const { start, ends, clock } = bench({ sizes: { variablesBytes: 2_000, resultBytes: 1 } })
    const text = 'x'.repeat(2_000 - '{"a":""}'.length)
    const refused: unknown[] = []
    start({
      run(_: unknown, ctx: HandlerContext) {
        ctx.enqueue('child', { a: text })
        try {
          ctx.enqueue('child', { a: `${text}x` })
        } catch (error) {
          refused.push(error)
        }
      },
    })
    await clock.settle()
    expect(ends[0]?.attempt.children).toHaveLength(1)
    expect(refused).toMatchObject([
      { code: 'invalid_job', message: expect.stringContaining('has 2,001 bytes') },
    ])
  })
})
