// The books at the end, and the verdict: what became of every order, what the outage cost, and who was charged.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { auditBooks } from './audit.mjs'
import { judgeOutage } from './judge-outage.mjs'
import { historyOf, retriesSpent } from './outage.mjs'
import { bold, count, dim, good, headline, row, say, warn } from './print.mjs'

/** False when a promise was broken. */
export async function report({ store, log, orders, gateway, work, terms }) {
  const outage = await gateway.get('/outage')
  const ledger = await gateway.get('/ledger')
  const books = await auditBooks({ store, orders, ledger })
  becameOf(books)
  const isBorne = await bornOutage({ store, outage, ledger, held: work.held, terms })
  const met = work.killed ? jobsOf(readFileSync(log, 'utf8'), work.killed.pid) : []
  const isBalanced = balance(books, work, met)
  next(met, books, relative(process.cwd(), store))
  return isBorne && isBalanced
}

const meanings = {
  completed: 'charged',
  rejected: 'the card was declined: an expected end, nobody is woken',
  failed: 'stopped, and waiting for a person',
}

function becameOf({ byState, causes, poison }) {
  headline('what became of them')
  for (const [state, keys] of Object.entries(byState))
    row(state, `${count(keys.length).padStart(5)}  ${dim(meanings[state] ?? '')}`)
  if (causes.length > 0) headline('incidents by cause')
  for (const { times, kind, message } of causes) row(count(times), `${kind}  ${dim(message)}`)
  if (poison.length > 0) headline('dead letters')
  for (const { times, message } of poison)
    row(count(times), dim(message.replace('the variables do not fit: ', '')))
}

async function bornOutage({ store, outage, ledger, held, terms }) {
  headline('the outage', "the gateway's count against the breaker's history")
  if (outage.downAt === null) {
    warn('there was none: the work was done too soon')
    return false
  }
  const spent = await retriesSpent(store, outage)
  const { promises } = judgeOutage({
    outage,
    history: await historyOf(store),
    charges: ledger.charges,
    spent,
    held,
    terms,
  })
  for (const { kept, words } of promises) (kept ? good : warn)(words)
  return promises.every(({ kept }) => kept)
}

function balance(books, { killed }, met) {
  headline('the ledger')
  const { requests, repeats } = books.counts
  say(
    `  ${count(requests)} requests, ${count(repeats)} of them for a charge that was made already, unknown to the`,
  )
  say('  job: the gateway knew its key and answered with the first charge')
  if (killed) say(`  ${aftermath(met, books)}`)
  const faults = killed ? books.faults : ['no worker was killed on the way', ...books.faults]
  for (const fault of faults.slice(0, 10)) warn(fault)
  if (faults.length > 0) return false
  good(
    `${count(books.byState.completed.length)} orders completed, ${count(books.charges)} charges: each exactly once`,
  )
  return true
}

function aftermath(met, books) {
  const charged = met.filter((key) => books.repeated.includes(key)).length
  if (met.length === 0) return 'the killed process was between two payments'
  return `the killed process had ${met.length} under way, ${charged} of them charged; all were started again`
}

/** The supervisor names what the killed process was running. */
function jobsOf(log, pid) {
  const line = log.split('\n').find((line) => line.includes('SIGKILL') && line.includes(String(pid))) ?? ''
  return [...line.matchAll(/#(\d+)/g)].map(([, key]) => Number(key))
}

function next(met, books, store) {
  const shown = met.find((key) => books.repeated.includes(key)) ?? met[0] ?? books.repeated[0]
  headline('try next')
  const command = (words, why) => say(`  ${bold(`npx wf ${words} --store ${store}`)}  ${dim(why)}`)
  command('breakers show gateway', 'how the outage went')
  command('incidents list', 'who needs a person')
  if (shown) command(`jobs show ${shown}`, 'killed on the way, charged once')
  if (books.poisonKeys[0]) command(`dlq show ${books.poisonKeys[0]}`, 'can never succeed')
}
