// npm run demo [-- --short]
//
// A few thousand real orders, two worker processes, a payment gateway that misbehaves, a kill -9 and an outage on the way.
// Ends with the books: what became of every order, what the outage cost, and whether each completed order was charged
// exactly once. Exit 1 when a promise was broken.
import { readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { count, dim, headline, row, say } from './print.mjs'
import { root, startGateway, startWorkers, wf } from './processes.mjs'
import { report } from './report.mjs'
import { watchWork } from './work.mjs'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: process.env.WF_DEMO === 'short' } },
})
const scale = values.short
  ? { orders: 500, slow: '20-100', openFor: '1s', downMs: 2_500 }
  : { orders: 3_000, slow: '20-120', openFor: '3s', downMs: 10_000 }
/** Of the handler, examples/charge-payment.ts, and of the workers. */
const terms = { processes: 2, failures: 5, probes: 1, atOnce: 5 }

const folder = join(root, '.demo')
const store = join(folder, 'wf.db')
const log = join(folder, 'worker.log')
const handler = join(root, 'examples/demo/charge-payment.ts')
const orders = readFileSync(join(root, 'examples/data/orders.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(0, scale.orders)

const started = Date.now()
await rm(folder, { recursive: true, force: true })
await mkdir(folder)

headline('wf demo', `${count(orders.length)} orders, two worker processes, a kill -9 and an outage`)
const gateway = await startGateway(scale.slow)
try {
  row('gateway', `answers in ${scale.slow} ms: mostly yes, some no, some 503, some nothing`)
  const before = Date.now()
  await wf(['enqueue', 'charge-payment', '-', '--bulk', '--store', store], {
    input: `${orders.join('\n')}\n`,
  })
  row('enqueued', `${count(orders.length)} jobs in ${seconds(before)}, every one on disk`)
  const workers = startWorkers({
    store,
    handler,
    log,
    env: { PAYMENT_GATEWAY: gateway.url, DEMO_OPEN_FOR: scale.openFor },
  })
  const work = await watchWork({ workers, gateway, store, orders: orders.length, downMs: scale.downMs })
  if (work.ended !== 0 && work.ended !== 10)
    throw new Error(`wf run-worker ended with ${work.ended}:\n${readFileSync(log, 'utf8').slice(-2000)}`)
  if (!(await report({ store, log, orders, gateway, work, terms }))) process.exitCode = 1
  say(dim(`\n  ${seconds(started)}, and the log of the workers is in ${relative(process.cwd(), log)}`))
} finally {
  gateway.stop()
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}
