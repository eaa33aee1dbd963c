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
  let victim = null
  let killed = null
  for (let tick = 1; ; tick++) {
    const ended = await Promise.race([workers.ended, sleep(100)])
    const counts = await gateway.get('/counts')
    if (tick % 5 === 0 || ended !== undefined) progress(work, counts)
    if (ended !== undefined) return finish(work, ended, killed)
    if (!victim && counts.charges > orders.length / 10) victim = await oneOf()
    if (victim && !killed && counts.charges > orders.length / 3) {
      process.kill(victim.pid, 'SIGKILL')
      killed = victim
      row('kill -9', `worker process ${victim.pid}, while it charges cards`)
    }
  }
}

function finish(work, ended, killed) {
  row('worked', `${sparkline(work.perTick)}  ${seconds(work.before)}${ended === 10 ? ', and some orders need a person' : ''}`)
  const log = readFileSync(join(folder, 'worker.log'), 'utf8')
  if (ended !== 0 && ended !== 10) throw new Error(`wf run-worker ended with ${ended}:\n${log.slice(-2000)}`)
  return killed && { held: jobsOf(log, killed.pid) }
}

/** The supervisor names what the killed process was running. */
function jobsOf(log, pid) {
  const line = log.split('\n').find((line) => line.includes('SIGKILL') && line.includes(String(pid))) ?? ''
  return [...line.matchAll(/#(\d+)/g)].map(([, key]) => Number(key))
}

/** A worker process that is at work. */
async function oneOf() {
  const { items } = JSON.parse(await wf(['workers', 'list', '--json', '--store', store]))
  return items.find(({ quarantine }) => !quarantine) ?? null
}

function progress(work, counts) {
  work.perTick.push(counts.charges - work.charged)
  work.charged = counts.charges
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
  say(`  ${count(requests)} requests, ${count(repeats)} of them for a charge that had been made and was not known to be: the same charge again`)
  if (kill) say(`  ${aftermath(kill.held, books)}`)
  const faults = kill ? books.faults : ['no worker was killed on the way', ...books.faults]
  for (const fault of faults.slice(0, 10)) warn(fault)
  if (faults.length > 0) process.exitCode = 1
  else
    good(
      `every completed order was charged exactly once, and no other order was charged: ${count(books.byState.completed.length)} and ${count(books.charges)}`,
    )
  next(kill?.held ?? [], books)
}

function aftermath(held, books) {
  const charged = held.filter((key) => books.repeated.includes(key)).length
  if (held.length === 0) return 'the killed process was between two payments'
  return `the killed process was in the middle of ${held.length}, ${charged} of them charged already; all of them were started again`
}

function next(held, books) {
  const at = `--store ${relative(process.cwd(), store)}`
  const shown = held.find((key) => books.repeated.includes(key)) ?? held[0] ?? books.repeated[0]
  headline('try next')
  say(`  ${bold(`npx wf incidents list ${at}`)}`)
  if (shown) say(`  ${bold(`npx wf jobs show ${shown} ${at}`)}   ${dim('started twice, charged once')}`)
  say(`  ${bold(`npx wf dlq show ${books.poisonKeys[0]} ${at}`)}`)
  say(dim(`\n  ${seconds(started)}, and the log of the workers is in ${relative(process.cwd(), folder)}/worker.log`))
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`
}
