/**
 * Lesson 1: charging a card from a job.
 *
 *   node examples/demo/gateway.mjs --port 4010 &
 *   npx wf enqueue charge-payment '{"orderId":"o-1","amount":30,"currency":"EUR","card":"tok_visa"}'
 *   npx wf run-worker examples/charge-payment.ts --until-empty
 */
import { BusinessError, defineHandler } from 'wfkit'
import { z } from 'zod'

export default defineHandler({
  // The type is the queue: `wf enqueue charge-payment …` ends up here.
  type: 'charge-payment',

  // Checked before the handler starts. What fails can never succeed, so it is set aside as a dead letter at once
  // (`wf dlq list`) and costs no retries. What passes arrives below with these types.
  variables: z.object({
    orderId: z.string().min(1),
    amount: z.number().positive(),
    currency: z.enum(['EUR', 'GBP', 'USD']),
    card: z.string().startsWith('tok_'),
  }),

  // Five executions in all. Between them 500 ms, 1 s, 2 s, 4 s, each give or take 20 % so that a crowd does not come
  // back at once. When none is left, the job stops as an incident and waits for a person (`wf incidents list`).
  retries: 5,
  backoff: { strategy: 'exponential', base: '500ms', factor: 2, max: '1m' },

  // The limit of one attempt. Shortly before it, ctx.signal aborts.
  timeout: '10s',

  // At most this many at once in each worker process: the gateway is not ours to flood.
  concurrency: 10,

  // An expected end: no retry, nobody is paged, the job comes to rest as `rejected`. A code that is not listed here
  // is a surprise, and becomes an incident.
  businessErrors: ['CARD_DECLINED'],

  async run({ variables }, ctx) {
    const gateway = process.env['PAYMENT_GATEWAY'] ?? 'http://127.0.0.1:4010'
    const answer = await fetch(`${gateway}/charges`, {
      method: 'POST',
      body: JSON.stringify(variables),
      headers: {
        'content-type': 'application/json',
        // The same for every attempt of this job, and of no other job in the world. A worker can die after the
        // gateway took the money and before the answer was stored: the next attempt then asks with the same key, and
        // a gateway that honours it answers with the first charge instead of making a second.
        'idempotency-key': ctx.idempotencyKey,
      },
      // Ends the request when the time is up, when the worker shuts down, or when someone cancels the job.
      signal: ctx.signal,
    })

    if (answer.status === 402) {
      const { code, message } = z.object({ code: z.string(), message: z.string() }).parse(await answer.json())
      throw new BusinessError(code, message)
    }
    // Any other throw spends one retry: 503 now may be 201 in a second.
    if (!answer.ok) throw new Error(`the gateway answered ${answer.status}`)

    // What is returned is stored with the job: `wf jobs show KEY`.
    return z.object({ chargeId: z.string() }).parse(await answer.json())
  },
})
