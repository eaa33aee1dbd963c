import { setTimeout as sleep } from 'node:timers/promises'
import { contenders } from '../contenders/all.mjs'
import { drain, withBacklog } from '../lib/backlog.mjs'
import { perform, start } from '../lib/processes.mjs'
import { addCompleted, openFile, workersUp } from '../lib/wf-store.mjs'

const { wf } = contenders
const durability = 'FULL'
const bytes = 200
const concurrencies = [10, 100]

const stores = [
  { id: 'nothing else', rows: 0 },
  { id: '1,000,000 completed', rows: 1_000_000, kind: 'completed', slower: 0.2 },
  { id: '5,000,000 completed', rows: 5_000_000, kind: 'completed', slower: 0.4, big: true },
  { id: '500,000 waiting of the best priority', rows: 500_000, kind: 'waiting', slower: 0.2 },
]

export const scenario = {
  about:
    'a drain in a store that holds a lot already, FULL; and half a million jobs that fall due at the same instant',
  measurements: ({ place, jobs, big, scale }) => [
    ...stores
      .filter((store) => big || !store.big)
      .flatMap(({ id, rows, kind }) =>
        concurrencies.map((concurrency) => ({
          id: `c${concurrency} ${id}`,
          contender: 'wf',
          run: () =>
            beside({
              place,
              concurrency,
              jobs: jobs(20_000),
              rows: Math.round(rows * Math.min(1, scale)),
              kind,
            }),
        })),
      ),
    { id: '500,000 due at once', contender: 'wf', run: () => dueAtOnce({ place, jobs: jobs(500_000) }) },
  ],
  floors: [
    ...stores
      .filter(({ slower }) => slower)
      .flatMap(({ id, slower }) =>
        concurrencies.map((concurrency) => ({
          text: `${id}, c${concurrency}: its rate over that in an empty store`,
          of: [`c${concurrency} ${id}`, 'rate'],
          over: [`c${concurrency} nothing else`, 'rate'],
          atLeast: 1 - slower,
        })),
      ),
    {
      text: '500,000 due at once: the longest transaction',
      of: ['500,000 due at once', 'longest'],
      atMost: 50,
      unit: ' ms',
    },
  ],
}

const prepared = {
  async completed({ folder, address, rows }) {
    await perform(folder, { contender: 'wf', action: 'fill', address, durability: 'NORMAL', jobs: 0 })
    addCompleted(address, { rows, bytes })
  },
  waiting: ({ folder, address, rows }) =>
    perform(folder, {
      contender: 'wf',
      action: 'fill',
      address,
      durability: 'NORMAL',
      jobs: rows,
      bytes,
      spec: { delay: '24h', priority: 1000 },
    }),
}

function beside({ place, concurrency, jobs, rows, kind }) {
  const options = { jobs, bytes, durability, concurrency, olderKeys: rows }
  if (kind) {
    options.prepare = (folder, address) => prepared[kind]({ folder, address, rows })
    options.prepareName = kind
  }
  return drain({ place, contender: wf, options })
}

/** Not to the end: the worker works at it for some seconds. All are waiting when it comes, and all are due. */
function dueAtOnce({ place, jobs }) {
  const options = {
    jobs,
    bytes,
    durability,
    concurrency: 100,
    spec: { delay: '24h' },
    finish: makeDue,
    finishName: 'due',
  }
  return withBacklog({
    place,
    contender: wf,
    options,
    async use({ folder, store }) {
      const asked = {
        contender: 'wf',
        address: store.address,
        durability,
        concurrency: 100,
        jobs: 0,
        keys: jobs + 1000,
        exitReport: true,
      }
      const preload = new URL('../lib/preload-transactions.mjs', import.meta.url).href
      const worker = start(folder, {
        args: ['--import', preload, ...wf.command(asked)],
        options: asked,
        env: wf.env(asked),
      })
      try {
        await workersUp(store.address, 1)
        await sleep(5000)
        await worker.stop()
        const [{ ran, repeated }] = worker.said('exit')
        const done = openFile(store.address, (db) =>
          db.prepare("SELECT count(*) FROM wf_jobs WHERE state = 'completed'").pluck().get(),
        )
        if (ran < 100 || repeated > 0 || done !== ran)
          throw new Error(`${ran} runs, ${repeated} jobs more than once, ${done} completed`)
        const [{ p50, p99, longest }] = worker.said('transactions')
        return { p50, p99, longest, rate: ran / 5 }
      } finally {
        worker.kill()
      }
    },
  })
}

function makeDue(address) {
  openFile(address, (db) => db.prepare("UPDATE wf_jobs SET run_at = 1000 WHERE state = 'waiting'").run())
}
