// A handler that calls a dependency many times, with everything closed, beside the same function called bare: what a
// call through ctx.call costs. Batches of both by turns, so that a slow moment of the machine hits both.
import { setImmediate as turn } from 'node:timers/promises'
import { options, report } from '../../lib/report.mjs'

const { calls = 100_000, batch = 1_000 } = options

export const bench = {
  type: 'calls',
  timeout: '5m',
  dependencies: {
    bank: {
      timeout: '10s',
      retry: { attempts: 3, delay: '100ms' },
      breaker: { failures: 5, openFor: '30s' },
      bulkhead: 10,
    },
  },
  async run(_job, ctx) {
    const answer = async () => 1
    const bare = () => answer(ctx.signal)
    const through = () => ctx.call('bank', answer)
    const us = { bare: [], through: [] }
    for (let done = 0; done < calls; done += batch) {
      us.bare.push(await timed(bare))
      us.through.push(await timed(through))
    }
    // The first batches run before anything is compiled.
    report('called', { bareUs: us.bare.slice(20), throughUs: us.through.slice(20) })
  },
}

/** Microseconds a call, one awaited after the other. */
async function timed(call) {
  await turn()
  const from = process.hrtime.bigint()
  for (let index = 0; index < batch; index += 1) await call()
  return Number(process.hrtime.bigint() - from) / 1000 / batch
}
