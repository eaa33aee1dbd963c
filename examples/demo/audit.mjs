// The books: what the store says became of every order, held against what the gateway's ledger says was charged.
import { wf } from './processes.mjs'

const states = ['completed', 'rejected', 'failed', 'dead', 'cancelled', 'available', 'waiting', 'running']

export async function auditBooks({ store, orders, ledger }) {
  const ids = (state) =>
    wf(['jobs', 'list', '--state', state, '--ids', '--limit', '100000', '--store', store])
  const lists = await Promise.all(
    states.map(async (state) => [state, (await ids(state)).split('\n').filter(Boolean).map(Number)]),
  )
  const byState = Object.fromEntries(lists.filter(([, keys]) => keys.length > 0))
  const incidents = await list(['incidents', 'list'], store)
  const deadLetters = await list(['dlq', 'list'], store)
  return {
    byState,
    counts: ledger.counts,
    charges: ledger.charges.length,
    faults: [...lost(byState, orders), ...unbalanced(byState, orders, ledger.charges)],
    causes: grouped(incidents, ({ kind, error }) => ({
      kind,
      message: kind === 'poison_message' ? 'see the dead letters' : error.message,
    })),
    poison: grouped(deadLetters, ({ errorMessage }) => ({ message: errorMessage })),
    poisonKeys: deadLetters.map(({ key }) => key),
    repeated: ledger.charges.filter(({ requests }) => requests > 1).map(({ key }) => jobKeyOf(key)),
  }
}

async function list(topic, store) {
  return JSON.parse(await wf([...topic, '--json', '--limit', '100000', '--store', store])).items
}

/** Every order has come to rest, in one place. */
function lost(byState, orders) {
  const keys = Object.values(byState).flat()
  const faults = []
  if (new Set(keys).size !== orders.length)
    faults.push(`${orders.length} orders came in, ${new Set(keys).size} are in the store`)
  if (keys.length !== new Set(keys).size) faults.push('an order is in two states')
  for (const state of ['available', 'waiting', 'running'])
    if (byState[state]) faults.push(`${byState[state].length} orders are still ${state}`)
  return faults
}

/** A completed order has exactly one charge, of its own amount; no other order has any. */
function unbalanced(byState, orders, charges) {
  const chargesOf = groupBy(charges, ({ key }) => jobKeyOf(key))
  const completed = [...(byState.completed ?? [])].sort((a, b) => a - b)
  const firstKey = Math.min(...Object.values(byState).flat())
  const faults = completed.flatMap((key) => {
    const [charge, ...more] = chargesOf.get(key) ?? []
    const order = JSON.parse(orders[key - firstKey])
    if (!charge) return [`job ${key} completed and was never charged`]
    if (more.length > 0) return [`job ${key} was charged ${more.length + 1} times`]
    if (charge.orderId !== order.orderId || charge.amount !== order.amount)
      return [`job ${key} was charged ${charge.amount} for ${charge.orderId}`]
    return []
  })
  const orderIds = charges.map(({ orderId }) => orderId)
  if (new Set(orderIds).size !== orderIds.length) faults.push('an order was charged under two keys')
  const done = new Set(completed)
  const stray = [...chargesOf.keys()].filter((key) => !done.has(key))
  return [...faults, ...stray.map((key) => `job ${key} was charged and did not complete`)]
}

/** `wf-job-<key>-<store id>` */
function jobKeyOf(idempotencyKey) {
  return Number(/^wf-job-(\d+)-/.exec(idempotencyKey)?.[1])
}

function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

function grouped(items, describe) {
  const groups = new Map()
  for (const item of items) {
    const what = describe(item)
    const id = JSON.stringify(what)
    groups.set(id, { ...what, times: (groups.get(id)?.times ?? 0) + 1 })
  }
  return [...groups.values()].sort((a, b) => b.times - a.times)
}
