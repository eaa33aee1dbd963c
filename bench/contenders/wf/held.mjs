// Two types in one worker: one needs a dependency whose breaker is open, the other needs nothing.
export { bench } from './handler.mjs'

export const held = {
  type: 'held',
  dependencies: { bank: { timeout: '10s', breaker: { failures: 5, openFor: '30s' } } },
  run: (_job, ctx) => ctx.call('bank', async () => 1),
}
