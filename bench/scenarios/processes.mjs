import { contenders } from '../contenders/all.mjs'
import { withBacklog } from '../lib/backlog.mjs'
import { start } from '../lib/processes.mjs'
import { drained, holdType, openFile, releaseType, workersUp } from '../lib/wf-store.mjs'

const { wf } = contenders
const grid = [1, 2, 8].flatMap((processes) => [10, 100].map((concurrency) => ({ processes, concurrency })))

const name = ({ processes, concurrency }) =>
  `c${concurrency} ${processes} ${processes === 1 ? 'process' : 'processes'}`

export const scenario = {
  about:
    'worker processes that share one file, FULL: all jobs a second together, and the share of the slowest of what it would get evenly',
  measurements: ({ place, jobs }) =>
    grid.map((row) => ({
      id: name(row),
      contender: 'wf',
      run: () => together({ place, ...row, jobs: jobs(40_000) }),
    })),
  floors: [10, 100].flatMap((concurrency) => [
    {
      text: `two over one, c${concurrency}`,
      of: [`c${concurrency} 2 processes`, 'rate'],
      over: [`c${concurrency} 1 process`, 'rate'],
      atLeast: 0.8,
    },
    {
      text: `the slower one's share of two, c${concurrency}`,
      of: [`c${concurrency} 2 processes`, 'slowest'],
      atLeast: 30,
      unit: ' %',
    },
    {
      text: `eight over one, c${concurrency}`,
      of: [`c${concurrency} 8 processes`, 'rate'],
      over: [`c${concurrency} 1 process`, 'rate'],
      atLeast: 0.5,
    },
  ]),
}

function together({ place, processes, concurrency, jobs }) {
  const options = { jobs, bytes: 200, durability: 'FULL', concurrency }
  return withBacklog({
    place,
    contender: wf,
    options,
    async use({ folder, store }) {
      const asked = {
        ...options,
        contender: 'wf',
        address: store.address,
        jobs: 0,
        keys: jobs + 1000,
        exitReport: true,
      }
      holdType(store.address)
      const workers = Array.from({ length: processes }, () =>
        start(folder, { args: wf.command(asked), options: asked, env: wf.env(asked) }),
      )
      try {
        await workersUp(store.address, processes)
        releaseType(store.address)
        await drained(store.address)
        await Promise.all(workers.map((worker) => worker.stop()))
        const runs = workers.map((worker) => worker.said('exit')[0])
        return {
          ...judged({ address: store.address, jobs, runs }),
          slowest: (Math.min(...runs.map(({ ran }) => ran)) / jobs) * 100,
        }
      } finally {
        for (const worker of workers) worker.kill()
      }
    },
  })
}

function judged({ address, jobs, runs }) {
  const started = runs.reduce((sum, { ran }) => sum + ran, 0)
  const { completed, ms } = openFile(address, (db) =>
    db
      .prepare(
        "SELECT count(*) AS completed, max(finished_at) - min(started_at) AS ms FROM wf_jobs WHERE state = 'completed' AND attempt = 1",
      )
      .get(),
  )
  if (started !== jobs || completed !== jobs)
    throw new Error(`of ${jobs} jobs ${completed} are completed in one attempt, after ${started} runs`)
  return { rate: (jobs / ms) * 1000 }
}
