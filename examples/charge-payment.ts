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
  timeout: '20s',

  // At most this many at once in each worker process.
  concurrency: 10,

  // An expected end: no retry, nobody is paged, the job comes to rest as `rejected`. A code that is not listed here
  // is a surprise, and becomes an incident.
  businessErrors: ['CARD_DECLINED'],

  // What the job calls, and how it bears its failures. Every number has a default; the names are yours.
  dependencies: {
    gateway: {
      // Of one try. It never gets more than the attempt has left.
      timeout: '5s',
      // What is gone in a moment (a 503, a reset connection, a timeout) is tried again at once, within the attempt. A
      // card whose own bank is down is not: that takes longer, and is the job's backoff.
      retry: { attempts: 3, delay: '200ms', isTransient: (error) => (isBankDown(error) ? false : undefined) },
      // Five failures in a row, in any worker process, and the gateway is down: for 30 s nobody calls it and no charge
      // starts. Then one does, as a probe; when it succeeds, the others follow, a few at first. None of them loses a
      // retry by that (`wf breakers list`). A bank that is down is an answer: the gateway is well.
      breaker: {
        failures: 5,
        openFor: '30s',
        isSuccessful: (error) => (isBankDown(error) ? true : undefined),
      },
      // At most ten calls at once from this process, whichever of its handlers make them.
      bulkhead: 10,
    },
  },

  async run({ variables }, ctx) {
    const answer = await ctx.call('gateway', (signal) =>
      charge(variables, { signal, idempotencyKey: ctx.idempotencyKey }),
    )
    // What is returned is stored with the job: `wf jobs show KEY`.
    return z.object({ chargeId: z.string() }).parse(answer)
  },
})

async function charge(
  order: object,
  { signal, idempotencyKey }: { signal: AbortSignal; idempotencyKey: string },
): Promise<unknown> {
  const gateway = process.env['PAYMENT_GATEWAY'] ?? 'http://127.0.0.1:4010'
  const answer = await fetch(`${gateway}/charges`, {
    method: 'POST',
    body: JSON.stringify(order),
    headers: {
      'content-type': 'application/json',
      // The same for every attempt of this job, and of no other job in the world. A worker can die after the gateway
      // took the money and before the answer was stored: the next try then asks with the same key, and a gateway that
      // honours it answers with the first charge instead of making a second.
      'idempotency-key': idempotencyKey,
    },
    // Ends the request when its time is up, when the worker shuts down, or when someone cancels the job.
    signal,
  })
  if (answer.ok) return answer.json()

  const refusal = z
    .object({ code: z.string(), message: z.string().default('') })
    .safeParse(await answer.json().catch(() => null))
  const code = refusal.data?.code ?? null
  // An answer, not a failure: it is not tried again, and the breaker takes it for a sign of life.
  if (answer.status === 402) throw new BusinessError(code ?? 'REFUSED', refusal.data?.message)
  // The status says what kind of failure it is, and the headers may say when to come back (Retry-After).
  throw Object.assign(new Error(`the gateway answered ${answer.status}`), {
    status: answer.status,
    code,
    headers: answer.headers,
  })
}

function isBankDown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'BANK_DOWN'
}
