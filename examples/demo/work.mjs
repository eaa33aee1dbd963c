// Follows the work until the workers say that nothing is left, and troubles it on the way: a kill -9, then an outage.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeOutage } from './outage.mjs'
import { count, row, sparkline } from './print.mjs'
import { wf } from './processes.mjs'

/** Answers how the workers ended, and what the troubles met. */
export async function watchWork({ workers, gateway, store, orders, downMs }) {
  const work = { startedAt: Date.now(), perTick: [], charged: 0 }
  const trouble = troubles({ work, gateway, store, orders, downMs })
  // Looked at where it is awaited, below.
  trouble.catch(() => {})
  for (let tick = 1; ; tick++) {
    const ended = await Promise.race([workers.ended, sleep(100)])
    const counts = await gateway.get('/counts')
    if (tick % 5 === 0 || ended !== undefined) progress(work, counts)
    if (ended === undefined) continue
    work.isOver = true
    const took = `${((Date.now() - work.startedAt) / 1_000).toFixed(1)} s`
    row(
      'worked',
      `${sparkline(work.perTick, { all: true }).trimEnd()}  ${took}${ended === 10 ? ', and some orders need a person' : ''}`,
    )
    return { ended, ...(await trouble) }
  }
}

/** One after the other: the outage is to meet two processes that work. */
async function troubles({ work, gateway, store, orders, downMs }) {
  const isDone = (part) => () => work.isOver || work.charged > orders * part
  const charged = async () => {
    work.charged = Math.max(work.charged, (await gateway.get('/counts')).charges)
  }
  await until(isDone(0.1), charged)
  const [victim] = await atWork(store)
  await until(isDone(0.25), charged)
  if (!victim || work.isOver) return { killed: null, held: 0 }
  process.kill(victim.pid, 'SIGKILL')
  row('kill -9', `worker process ${victim.pid}, in the middle of its payments`)
  await until(
    () => work.isOver || work.charged > orders * 0.75 || work.isWhole,
    async () => {
      await charged()
      const pids = (await atWork(store)).map(({ pid }) => pid)
      work.isWhole = pids.length === 2 && !pids.includes(victim.pid)
    },
  )
  await until(isDone(0.4), charged)
  return { killed: victim, held: work.isOver ? 0 : await makeOutage({ gateway, store, downMs }) }
}

async function until(isSo, look) {
  while (!isSo()) {
    await sleep(50)
    await look()
  }
}

/** Worker processes, the killed not among them once their supervisor has noticed. */
async function atWork(store) {
  const { items } = JSON.parse(await wf(['workers', 'list', '--json', '--store', store]))
  return items.filter(({ quarantine }) => !quarantine)
}

function progress(work, { charges, declined, unavailable }) {
  work.perTick.push(charges - (work.shown ?? 0))
  work.shown = charges
  const words = `charged ${count(charges)} · declined ${count(declined)} · 503 ${count(unavailable)}`
  row('working', `${sparkline(work.perTick)}  ${words}`, { passing: true })
}
