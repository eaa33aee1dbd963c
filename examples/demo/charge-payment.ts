// The first lesson as it is, but for three numbers. Its breaker looks again after seconds, so that nobody has to watch an
// outage for half a minute. As many calls run at once as failures open it: those that are under way when the gateway goes
// down are enough to tell, and hardly another has to meet it. And a call is tried as often, so that the breaker speaks before
// any job has run out of tries and lost a retry.
import { defineHandler } from 'wfkit'
import lesson from '../charge-payment.ts'

const gateway = lesson.dependencies?.['gateway']
const lessons = typeof gateway?.retry === 'object' ? gateway.retry : {}

export default defineHandler({
  ...lesson,
  concurrency: 5,
  dependencies: {
    gateway: {
      ...gateway,
      bulkhead: 5,
      retry: { ...lessons, attempts: 5 },
      breaker: { ...gateway?.breaker, openFor: process.env['DEMO_OPEN_FOR'] ?? '3s' },
    },
  },
})
