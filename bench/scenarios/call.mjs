import { contenders } from '../contenders/all.mjs'
import { perform, start } from '../lib/processes.mjs'
import { median, quantile } from '../lib/stats.mjs'

const { wf } = contenders

export const scenario = {
  about:
    'what a call costs that goes through bulkhead, retry, shared breaker and time limit while all are closed',
  measurements: ({ place, jobs }) => [
    { id: 'ctx.call', contender: 'wf', run: () => called({ place, calls: jobs(100_000) }) },
  ],
  floors: [{ text: 'over the bare function, median', of: ['ctx.call', 'callUs'], atMost: 10, unit: ' µs' }],
}

async function called({ place, calls }) {
  const folder = place.folder()
  const store = await wf.open(folder)
  const asked = { contender: 'wf', address: store.address, durability: 'FULL', type: 'calls', calls }
  await perform(folder, { ...asked, action: 'fill', jobs: 1, bytes: 20 })
  place.settle()
  const worker = start(folder, {
    args: wf.command({ ...asked, handler: 'calls.mjs' }),
    options: asked,
    env: wf.env(asked),
  })
  try {
    const [{ bareUs, throughUs }] = await worker.reports('called', { timeoutMs: 120_000 })
    await worker.stop()
    const over = throughUs.map((us, index) => us - bareUs[index])
    return { callUs: median(over), p90Us: quantile(over, 0.9), bareUs: median(bareUs) }
  } finally {
    worker.kill()
    place.clear(folder)
  }
}
