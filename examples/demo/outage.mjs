// The outage: makes it, follows it, and asks afterwards what the store knows of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { count, row } from './print.mjs'
import { wf } from './processes.mjs'

const breaker = 'gateway'

/** Takes the gateway down for `downMs`; resolves when it is up again. Answers how many jobs waited at the end. */
export async function makeOutage({ gateway, store, downMs }) {
  const { downAt, cutOff, cutOffCharged } = await gateway.post('/down')
  row('outage', `the gateway is down: ${cutOff} payments cut off, ${cutOffCharged} of them already made`)
  const openedAt = await untilOpen(store, downAt + 15_000)
  if (openedAt)
    row('breaker', `open after ${openedAt - downAt} ms, for both processes: the jobs wait, nobody calls`)
  await sleep(Math.max(0, downAt + downMs - 1_000 - Date.now()))
  const held = await unfinished(store)
  await sleep(Math.max(0, downAt + downMs - Date.now()))
  const { refused } = await gateway.post('/up')
  row(
    'back',
    `after ${seconds(Date.now() - downAt)}; ${count(held)} jobs were waiting, ${refused.length} calls were made`,
  )
  return held
}

/** When the breaker opened, by its own account; null when it does not. */
async function untilOpen(store, latest) {
  while (Date.now() < latest) {
    const [opened] = await historyOf(store)
    if (opened) return opened.at
    await sleep(100)
  }
  return null
}

async function unfinished(store) {
  const { items } = JSON.parse(await wf(['types', 'list', '--json', '--store', store]))
  return items.reduce((sum, type) => sum + type.unfinished, 0)
}

/** Oldest first; nothing while it was never opened. */
export async function historyOf(store) {
  const shown = await wf([
    'breakers',
    'show',
    breaker,
    '--history',
    '1000',
    '--json',
    '--store',
    store,
  ]).catch(() => null)
  return shown === null
    ? []
    : JSON.parse(shown)
        .history.map((change) => ({ ...change, at: Date.parse(change.at) }))
        .reverse()
}

/** Attempts that failed, and so cost their job a retry, because the gateway was down. A card whose own bank is down is not the outage's. */
export async function retriesSpent(store, { downAt }) {
  const { items } = JSON.parse(await wf(['jobs', 'list', '--limit', '100000', '--json', '--store', store]))
  const failed = items.filter(({ failures }) => failures > 0)
  const shown = await Promise.all(
    failed.map(({ key }) => wf(['jobs', 'show', String(key), '--json', '--store', store])),
  )
  const fails = shown
    .flatMap((job) => JSON.parse(job).attempts)
    .filter(({ outcome, error }) => outcome === 'fail' && error.code !== 'BANK_DOWN')
  return fails.filter(({ finishedAt }) => Date.parse(finishedAt) >= downAt).length
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`
}
