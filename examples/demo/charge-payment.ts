// The first lesson as it is, but for two numbers. Its breaker looks again after seconds, so that nobody has to watch an
// outage for half a minute; and as many calls run at once as failures open it, so that when the gateway goes down no more
// than those five of each process can meet it before the breaker holds.
import { defineHandler } from 'wfkit'
import lesson from '../charge-payment.ts'

const gateway = lesson.dependencies?.['gateway']

export default defineHandler({
  ...lesson,
  concurrency: 5,
  dependencies: { gateway: { ...gateway, bulkhead: 5, breaker: { ...gateway?.breaker, openFor: process.env['DEMO_OPEN_FOR'] ?? '3s' } } },
})
