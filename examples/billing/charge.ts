/** Lesson 6, the charge: three executions further and further apart, then a dead letter, and the customer is told. */
import { BusinessError, defineHandler, IncidentError } from 'wfkit'
import { z } from 'zod'
import { customers, keyOf, periodPattern } from './customers.ts'

export default defineHandler({
  type: 'charge',
  variables: z.object({
    customer: z.string().min(1),
    period: z.string().regex(periodPattern),
    amount: z.number().positive(),
  }),

  // Three executions. After the nth failure it waits base · n²: an hour, then four. A bank that is down overnight is met
  // again in the morning, not sixty times in between.
  retries: 3,
  backoff: { strategy: 'quadratic', base: process.env['BILLING_BACKOFF'] ?? '1h', max: '12h' },
  // After the third nobody is woken: it is set aside with its variables. `wf dlq list` is read in office hours, and
  // `wf dlq retry` gives it three more.
  onExhausted: 'dead-letter',
  businessErrors: ['CARD_DECLINED'],
  timeout: '20s',

  // A bank that is down is the customer's trouble, and costs a retry. A gateway that is down is ours, and costs none.
  dependencies: {
    gateway: {
      timeout: '5s',
      retry: { isTransient: other },
      breaker: { isSuccessful: (error) => isAnswer(error) || undefined },
    },
  },

  async run({ variables: { customer, period, amount } }, ctx) {
    const key = keyOf('charge', { customer, period })
    const card = customers.find(({ id }) => id === customer)?.card
    if (card === undefined) throw new IncidentError(`there is no ${customer}`)
    // If this attempt is the last, declined or dead. An attempt that will be tried again leaves none behind.
    ctx.enqueue(
      'reminder',
      { customer, period, amount },
      { when: 'stopped', idempotencyKey: keyOf('reminder', { customer, period }) },
    )
    return ctx.call('gateway', (signal) =>
      charge({ orderId: key, amount, currency: 'EUR', card }, { key, signal }),
    )
  },
})

/** `key` says what is paid for, not which job asks: two jobs that got here by mistake would still be one charge. */
async function charge(
  order: object,
  { key, signal }: { key: string; signal: AbortSignal },
): Promise<{ chargeId: string }> {
  const gateway = process.env['PAYMENT_GATEWAY'] ?? 'http://127.0.0.1:4010'
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  const answer = await fetch(`${gateway}/charges`, {
    method: 'POST',
    body: JSON.stringify(order),
    headers,
    signal,
  })
  if (answer.ok) return z.object({ chargeId: z.string() }).parse(await answer.json())
  const { code, message } = z
    .object({ code: z.string(), message: z.string().default('') })
    .parse(await answer.json())
  if (answer.status === 402) throw new BusinessError(code, message)
  throw Object.assign(new Error(message || `the gateway answered ${answer.status}`), {
    status: answer.status,
    code,
  })
}

const isAnswer = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'BANK_DOWN'

/** Not tried again within the attempt: a bank is not back in a moment. Everything else is left to the usual rule. */
function other(error: unknown): false | undefined {
  return isAnswer(error) ? false : undefined
}
