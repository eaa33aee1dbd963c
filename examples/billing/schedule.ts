/**
 * Lesson 6: a month's work, enqueued once however often this is run: by hand, by cron, by two machines at once.
 *
 *   npx jiti examples/billing/schedule.ts 2026-11
 *   npx jiti examples/billing/schedule.ts 2026-11      nothing to do
 *   node examples/demo/gateway.mjs --port 4010 &
 *   npx wf run-worker examples/billing/invoice.ts examples/billing/charge.ts examples/billing/reminder.ts --until-empty
 *   npx wf jobs list
 *
 * Each invoice enqueues its charge, and a charge that cannot be made enqueues a reminder.
 */
import { argv, exit, stderr, stdout } from 'node:process'
import { openClient } from 'wfkit'
import { customers, keyOf, periodPattern, pricePerSeat } from './customers.ts'

const period = argv[2] ?? new Date().toISOString().slice(0, 7)
if (!periodPattern.test(period)) {
  stderr.write(`${period} is no month; write it as 2026-11\n`)
  exit(2)
}

const wf = await openClient()
const results = await wf.enqueueMany(
  customers.map(({ id: customer, seats }) => ({
    type: 'invoice',
    variables: { customer, period, amount: Math.round(seats * pricePerSeat * 100) / 100 },
    // The same type, key and variables are the same job: a second run is answered with the first. The same key with
    // another amount is refused, because somebody changed the price after the month had been billed.
    idempotencyKey: keyOf('invoice', { customer, period }),
  })),
)
await wf.close()

const accepted = results.flatMap((result) => (result.status === 'accepted' ? [result.job] : []))
const enqueued = accepted.filter(({ duplicate }) => !duplicate).length
const there = accepted.length - enqueued
stdout.write(
  enqueued === 0 && there > 0
    ? `${period}: nothing to do, all ${there} invoices were enqueued before\n`
    : `${period}: ${enqueued} invoices enqueued${there > 0 ? `, ${there} were there already` : ''}\n`,
)
for (const result of results)
  if (result.status === 'refused') stderr.write(`refused: ${result.error.message}\n`)
exit(results.length === accepted.length ? 0 : 1)
