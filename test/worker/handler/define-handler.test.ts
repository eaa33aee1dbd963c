import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  type ActivatedJob,
  type AnyHandler,
  defineHandler,
  type Handler,
  type HandlerContext,
} from '../../../src/worker/handler/define-handler.ts'

const order = z.object({
  orderId: z.string(),
  amount: z.coerce.number().positive(),
  note: z.string().optional(),
})

describe('defineHandler', () => {
  it('gives the handler back as it came', () => {
    const handler = { type: 'a', run: () => 1 }
    expect(defineHandler(handler)).toBe(handler)
  })

  it('takes the type of variables from what the schema puts out', () => {
    const handler = defineHandler({
      type: 'charge-payment',
      variables: order,
      async run(job, ctx) {
        expectTypeOf(job.variables).toEqualTypeOf<{
          orderId: string
          amount: number
          note?: string | undefined
        }>()
        expectTypeOf(job).toExtend<ActivatedJob<unknown>>()
        expectTypeOf(ctx).toEqualTypeOf<HandlerContext>()
        return { chargeId: job.variables.orderId, cents: job.variables.amount * 100 }
      },
    })
    expectTypeOf(handler).toEqualTypeOf<
      Handler<
        { orderId: string; amount: number; note?: string | undefined },
        { chargeId: string; cents: number }
      >
    >()
    expectTypeOf(handler).toExtend<AnyHandler>()
  })

  it('takes variables as a record of unknowns when there is no schema, and the result of a plain function', () => {
    const handler = defineHandler({
      type: 'plain',
      run(job) {
        expectTypeOf(job.variables).toEqualTypeOf<Record<string, unknown>>()
        return 42
      },
    })
    expectTypeOf(handler).toEqualTypeOf<Handler<Record<string, unknown>, number>>()
  })

  it('takes the type of variables from the annotated job when there is no schema', () => {
    const handler = defineHandler({
      type: 'annotated',
      run: async (job: ActivatedJob<{ to: string }>) => job.variables.to,
    })
    expectTypeOf(handler).toEqualTypeOf<Handler<{ to: string }, string>>()
  })

  it('refuses at compile time what is not an option and what is misspelled', () => {
    // @ts-expect-error an unknown option
    defineHandler({ type: 'a', run: () => 1, retry: 3 })
    // @ts-expect-error not one of the two words
    defineHandler({ type: 'a', run: () => 1, onExhausted: 'give-up' })
    // @ts-expect-error not a schema
    defineHandler({ type: 'a', run: () => 1, variables: { orderId: 'string' } })
    expect(true).toBe(true)
  })
})
