// npm run demo [-- --short]
//
// A few thousand real orders, two worker processes, a payment gateway that misbehaves, and a kill -9 on the way. Ends with
// the books: what became of every order, and whether each completed one was charged exactly once. Exit 1 if not.
import { readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { auditBooks } from './audit.mjs'
import { bold, count, dim, good, headline, row, say, sparkline, warn } from './print.mjs'
import { root, startGateway, startWorkers, wf } from './processes.mjs'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: process.env.WF_DEMO === 'short' } } })
const scale = values.short ? { orders: 300, slow: '10-60' } : { orders: 3000, slow: '40-240' }

const folder = join(root, '.demo')
const store = join(folder, 'wf.db')
const handler = join(root, 'examples/charge-payment.ts')
const orders = readFileSync(join(root, 'examples/data/orders.jsonl'), 'utf8').trimEnd().split('\n').slice(0, scale.orders)

const started = Date.now()
await rm(folder, { recursive: true, force: true })
await mkdir(folder)

headline('wf demo', `${count(orders.length)} orders, two worker processes, one gateway that misbehaves, one kill -9`)
const gateway = await startGateway(scale.slow)
try {
  row('gateway', `${gateway.url}  answers in ${scale.slow} ms, sometimes 503, sometimes 402, sometimes not at all`)
  await enqueue()
  const workers = startWorkers({ store, handler, gateway: gateway.url, log: join(folder, 'worker.log') })
  const kill = await watch(workers)
  await report(kill)
} finally {
  gateway.stop()
}

async function enqueue() {
  const before = Date.now()
  await wf(['enqueue', 'charge-payment', '-', '--bulk', '--store', store], { input: `${orders.join('\n')}\n` })
  row('enqueued', `${count(orders.length)} jobs in ${seconds(before)}, every one on disk`)
}

/** Follows the work until the workers say that nothing is left; kills one of them when a third is charged. */
async function watch(workers) {
  const work = { before: Date.now(), perTick: [], charged: 0 }
  let kill = null
  for (;;) {
    const ended = await Promise.race([workers.ended, sleep(500)])
    const counts = await gateway.get('/counts')
    work.perTick.push(counts.charges - work.charged)
    work.charged = counts.charges
    progress(work, counts)
    if (ended !== undefined) {
      row('worked', `${sparkline(work.perTick)}  ${seconds(work.before)}, exit ${ended}`)
      if (ended !== 0 && ended !== 10)
        throw new Error(`wf run-worker ended with ${ended}; see ${relative(process.cwd(), join(folder, 'worker.log'))}`)
      return kill
    }
    if (!kill && counts.charges > orders.length / 3) kill = await killOne()
  }
}

async function killOne() {
  const { items } = JSON.parse(await wf(['workers', 'list', '--json', '--store', store]))
  const victim = items.filter(({ running }) => running > 0).sort((a, b) => b.running - a.running)[0]
  if (!victim) return null
  const running = JSON.parse(await wf(['jobs', 'list', '--state', 'running', '--json', '--store', store]))
  process.kill(victim.pid, 'SIGKILL')
  const held = running.items.filter(({ workerId }) => workerId === victim.id).map(({ key }) => key)
  row('kill -9', `worker process ${victim.pid}, in the middle of ${victim.running} payments`)
  return { pid: victim.pid, held }
}

function progress(work, counts) {
  const { charges, declined, unavailable, answersLost } = counts
  const words = `charged ${count(charges)} · declined ${count(declined)} · 503 ${count(unavailable)} · answers lost ${count(answersLost)}`
  row('working', `${sparkline(work.perTick)}  ${words}`, { passing: true })
}

async function report(kill) {
  const books = await auditBooks({ store, orders, ledger: await gateway.get('/ledger') })
  headline('what became of them')
  for (const [state, keys] of Object.entries(books.byState)) row(state, count(keys.length))
  if (books.causes.length > 0) {
    headline('incidents by cause')
    for (const { times, kind, message } of books.causes) row(count(times), `${kind}  ${dim(message)}`)
  }
  headline('dead letters')
  for (const { times, message } of books.poison) row(count(times), dim(message))
  headline('the ledger')
  const { requests, repeats } = books.counts
  say(`  ${count(requests)} requests, ${count(repeats)} of them repeats of a charge whose answer was lost: answered with the first charge`)
  for (const fault of books.faults.slice(0, 10)) warn(fault)
  if (kill === null) warn('no worker was killed on the way')
  if (books.faults.length > 0 || kill === null) process.exitCode = 1
  else good(`every completed order was charged exactly once, and no other order was charged (${count(books.byState.completed.length)} of each)`)
  next(kill, books)
  say(dim(`  ${seconds(started)}`))
}

function next(kill, books) {
  const at = `--store ${relative(process.cwd(), store)}`
  const retried = books.repeated.find((key) => kill?.held.includes(key)) ?? books.repeated[0] ?? 1
  headline('try next')
  say(`  ${bold(`npx wf incidents list ${at}`)}`)
  say(`  ${bold(`npx wf jobs show ${retried} ${at}`)}   ${dim('a payment whose first answer never came')}`)
  say(`  ${bold(`npx wf dlq show ${books.poisonKeys[0] ?? 1} ${at}`)}`)
  say()
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}
