/** Lesson 6, the reminder: an effect that cannot be repeated and cannot be asked about, noted before and after. */
import { appendFile } from 'node:fs/promises'
import { defineHandler } from 'wfkit'
import { z } from 'zod'
import { keyOf, periodPattern } from './customers.ts'

export default defineHandler({
  type: 'reminder',
  variables: z.object({
    customer: z.string().min(1),
    period: z.string().regex(periodPattern),
    amount: z.number().positive(),
  }),
  retries: 10,
  backoff: { strategy: 'exponential', base: '1m', max: '1h' },

  async run({ variables: { customer, period, amount } }, ctx) {
    const text = `${customer}: we could not charge ${amount.toFixed(2)} EUR for ${period}. Please look at your card.`
    // The intent is stored before the mail, its result after. Where a process died in between, nobody knows: the next
    // attempt sends it again, the log says so, and `wf jobs show` too. A mail twice is better here than none.
    return ctx.once('mail', async () => {
      await appendFile(process.env['OUTBOX'] ?? 'outbox.txt', `${text}\n`)
      return { sent: keyOf('reminder', { customer, period }) }
    })
  },
})
