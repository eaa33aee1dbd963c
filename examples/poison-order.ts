/**
 * Lesson 2: orders that can never succeed.
 *
 *   npx wf enqueue import-order '{"orderId":"o-1","lines":[{"sku":"tea","quantity":2,"price":4.5}],"total":9}'
 *   npx wf enqueue import-order '{"orderId":"o-2","lines":"none"}'
 *   npx wf run-worker examples/poison-order.ts --until-empty
 *   npx wf dlq list
 */
import { IncidentError, PoisonError, defineHandler } from 'wfkit'
import { z } from 'zod'

const line = z.object({
  sku: z.string().min(1),
  quantity: z.int().positive(),
  price: z.number().nonnegative(),
})

/** Stands for a real catalogue. */
const catalogue = new Set(['tea', 'coffee', 'cocoa'])

export default defineHandler({
  type: 'import-order',

  // The first net. An order whose shape is wrong is poison: the handler does not start, no retry is spent, and the
  // job stops with an incident (someone should know) and a dead letter (a copy to look at, mend or throw away).
  variables: z.object({ orderId: z.string(), lines: z.array(line).min(1), total: z.number() }),

  retries: 3,
  timeout: '5s',

  run({ variables: { orderId, lines, total } }, ctx) {
    // The second net, for what a schema cannot see. These variables will be as wrong tomorrow as they are today:
    // say so, and nobody waits for retries that cannot help.
    const sum = lines.reduce((all, { quantity, price }) => all + quantity * price, 0)
    if (Math.abs(sum - total) > 0.005)
      throw new PoisonError(`order ${orderId}: the lines come to ${sum}, the order says ${total}`)

    // Not poison: the order is fine and *we* lack something. A person can add the article and run the job again with
    // `wf incidents resolve KEY`, so it stops as an incident and leaves no dead letter.
    const unknown = lines.map(({ sku }) => sku).filter((sku) => !catalogue.has(sku))
    if (unknown.length > 0)
      throw new IncidentError(`order ${orderId}: no such article: ${unknown.join(', ')}`)

    ctx.log.info('imported', { orderId, lines: lines.length })
    return { orderId, lines: lines.length, total }
  },
})

// What to do with a dead letter:
//
//   npx wf dlq show KEY                          what came in, what was wrong, how often
//   npx wf dlq retry KEY --set lines='[…]'       mend the variables and run the same job again, history kept
//   npx wf dlq discard KEY --reason 'test data'  it will never run
//
// Twenty poison or incident ends in a row without one success pause the whole type (`wf types list`): then it is more
// likely that a release is broken than that twenty producers are, and the rest of the queue should not pay for it.
