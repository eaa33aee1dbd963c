// Two types in one worker: one needs a dependency whose breaker is open, the other needs nothing.
import { bench as quick } from './handler.mjs'

export const bench = quick

export const held = {
  type: 'held',
  dependencies: { bank: { timeout: '10s', breaker: { failures: 5, openFor: '30s' } } },
  run: (_job, ctx) => ctx.call('bank', async () => 1),
}
