import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contenders } from '../contenders/all.mjs'
import { withBacklog } from '../lib/backlog.mjs'
import { onTerminal } from '../lib/terminal.mjs'
import { addCompleted, addIncidents, openFile } from '../lib/wf-store.mjs'

const program = join(import.meta.dirname, '../../bin/run.js')
const rows = 1_020_000
const incidents = 20_000
const types = 7
/** Ten at once of each type, each for so long: some 5,000 jobs a second where the machine can bear it. */
const jobMs = 12

const handlers = `const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export default Array.from({ length: ${types} }, (_, index) => ({ type: 'bench-' + index, concurrency: 10, run: () => sleep(${jobMs}) }))`

export const scenario = {
  about: `wf dashboard --refresh 1s on a terminal of 120×40, in a store of a million waiting jobs and ${incidents.toLocaleString('en')} incidents: its CPU, and how long keys take; "busy" beside a worker, "idle" without one`,
  measurements: ({ place }) =>
    [true, false].map((busy) => ({
      id: busy ? 'busy' : 'idle',
      contender: 'wf',
      run: () => watch(place, busy),
    })),
  floors: [
    { text: 'CPU of the dashboard beside a worker', of: ['busy', 'cpu'], atMost: 10, unit: ' %' },
    { text: 'CPU of the dashboard on an idle store', of: ['idle', 'cpu'], atMost: 1, unit: ' %' },
    { text: 'a key, 95 of 100, beside a worker', of: ['busy', 'keyP95'], atMost: 100, unit: ' ms' },
  ],
}

function watch(place, busy) {
  const finish = (address) => {
    addCompleted(address, { rows, bytes: 200 })
    addIncidents(address, { every: rows / incidents, causes: 50 })
    openFile(address, (db) => {
      db.pragma('synchronous = OFF')
      db.prepare(
        `UPDATE wf_jobs SET state = 'available', finished_at = NULL, started_at = NULL, attempt = 0, worker_id = NULL, type = 'bench-' || (key % ${types}) WHERE state = 'completed'`,
      ).run()
      db.pragma('wal_checkpoint(TRUNCATE)')
    })
  }
  const options = { jobs: 0, bytes: 200, durability: 'NORMAL', finish, finishName: 'a million waiting' }
  const use = async ({ folder, store }) => {
    const worker = busy ? startWorker(folder, store.address) : null
    if (worker) await sleep(3_000)
    const screen = await onTerminal({
      folder,
      command: `${process.execPath} ${program} dashboard --store ${store.address}`,
      ready: /live/,
    })
    try {
      // Everything has been looked at once, and is as fast as it gets.
      for (let index = 0; index < 10; index++) await turn(screen, index)
      screen.type('1')
      await sleep(5_000)
      const [from, before] = [performance.now(), attempts(store.address)]
      const cpu = await screen.cpuPercent(20)
      const perSecond = ((attempts(store.address) - before) / (performance.now() - from)) * 1_000
      if (busy && perSecond < 100)
        throw new Error(`the worker beside it did ${perSecond.toFixed(0)} jobs a second`)
      const took = []
      for (let index = 0; index < 60; index++) took.push(await turn(screen, index))
      took.sort((a, b) => a - b)
      return { perSecond, readyMs: screen.readyMs, cpu, keyP50: took[30], keyP95: took[57] }
    } finally {
      screen.kill()
      worker?.kill()
      if (worker) await once(worker, 'exit')
    }
  }
  return withBacklog({ place, contender: contenders.wf, options, use })
}

/** That workers have counted so far. */
function attempts(address) {
  return openFile(address, (db) => db.prepare('SELECT coalesce(sum(count), 0) FROM wf_stats').pluck().get())
}

/** To another screen and back, as a person turns them. */
async function turn(screen, index) {
  const ms = await screen.press(index % 2 ? '5' : '2', index % 2 ? /\[5 Jobs/ : /\[2 Incidents/)
  await sleep(300)
  return ms
}

function startWorker(folder, address) {
  const file = join(folder, 'handlers.mjs')
  writeFileSync(file, handlers)
  return spawn(process.execPath, [program, 'run-worker', file, '--store', address], { stdio: 'ignore' })
}
