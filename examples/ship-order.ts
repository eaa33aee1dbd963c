/**
 * Lesson 5: when the second half of a job cannot be done, the first half is undone.
 *
 *   npx wf enqueue ship-order '{"orderId":"o-1","amount":30,"item":"tea"}'
 *   npx wf enqueue ship-order '{"orderId":"o-2","amount":20,"item":"rum"}'
 *   npx wf run-worker examples/ship-order.ts --until-empty
 *
 * There is no rum. The second order is charged, cannot be shipped, stops, and is refunded by a job of its own.
 */
import { BusinessError, defineHandler } from 'wfkit'
import { z } from 'zod'

const stock = new Set(['tea', 'coffee'])

export const shipOrder = defineHandler({
  type: 'ship-order',
  variables: z.object({ orderId: z.string().min(1), amount: z.number().positive(), item: z.string() }),
  retries: 3,
  backoff: { strategy: 'fixed', delay: '200ms' },
  businessErrors: ['OUT_OF_STOCK'],

  async run({ variables: { orderId, amount, item } }, ctx) {
    // Once in the life of the job, however often it has to try the shipping.
    const charge = await ctx.once('charge', async () => ({ chargeId: `ch-${ctx.idempotencyKey}`, amount }))

    // Said before what may fail. The refund exists if this attempt is the one that stops the job (failed, dead or
    // rejected), in the very transaction that stops it; an attempt that is tried again leaves none behind. Its key makes
    // it one refund even if a person lets the job run once more and it stops again.
    ctx.enqueue(
      'refund-order',
      { orderId, ...charge },
      { when: 'stopped', idempotencyKey: `refund-${charge.chargeId}` },
    )

    if (!stock.has(item)) throw new BusinessError('OUT_OF_STOCK', `no ${item} is left`)
    return { ...charge, shipped: item }
  },
})

export const refundOrder = defineHandler({
  type: 'refund-order',
  variables: z.object({ orderId: z.string(), chargeId: z.string(), amount: z.number() }),
  // Money that is owed is not given up on: twenty executions, up to five minutes apart, then a person.
  retries: 20,
  async run({ variables: { chargeId, amount } }, ctx) {
    return ctx.once('refund', async () => ({ refunded: amount, chargeId }))
  },
})
