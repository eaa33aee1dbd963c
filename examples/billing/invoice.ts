/** Lesson 6, the invoice: an effect that may be repeated, because it writes a state instead of adding to it. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineHandler } from 'wfkit'
import { z } from 'zod'
import { keyOf, periodPattern } from './customers.ts'

export default defineHandler({
  type: 'invoice',
  variables: z.object({
    customer: z.string().min(1),
    period: z.string().regex(periodPattern),
    amount: z.number().positive(),
  }),
  timeout: '30s',

  async run({ variables: { customer, period, amount } }, ctx) {
    const number = keyOf('invoice', { customer, period })
    // The same file with the same words, however often: no step to remember, nothing to ask.
    const folder = join(process.env['INVOICES'] ?? 'invoices', period)
    await mkdir(folder, { recursive: true })
    const file = join(folder, `${customer}.txt`)
    await writeFile(
      `${file}.part`,
      `invoice ${number}\n\n${customer} owes ${amount.toFixed(2)} EUR for ${period}.\n`,
    )
    await rename(`${file}.part`, file)

    // Exists if, and only if, this attempt completes the invoice: they are one transaction. Its key makes it one charge a
    // period, even if a person has the invoice written anew.
    ctx.enqueue(
      'charge',
      { customer, period, amount },
      { idempotencyKey: keyOf('charge', { customer, period }) },
    )
    return { number, file }
  },
})
