import { contenders } from '../contenders/all.mjs'
import { withBacklog } from '../lib/backlog.mjs'
import { perform, start } from '../lib/processes.mjs'
import { quantile } from '../lib/stats.mjs'

const { bullmq, plainjob, wf } = contenders

const grid = [
  { contender: wf, durability: 'FULL', concurrency: 10, backlog: 120_000 },
  { contender: wf, durability: 'FULL', concurrency: 100, backlog: 200_000 },
  { contender: wf, durability: 'NORMAL', concurrency: 10, backlog: 200_000 },
  { contender: plainjob, durability: 'NORMAL', concurrency: 10, backlog: 60_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 10, backlog: 40_000 },
]

const name = ({ contender, durability, concurrency }) => `${contender.name} ${durability} c${concurrency}`

export const scenario = {
  about:
    'a lone producer enqueues one job each 10 ms or so while a worker process drains a backlog; how long its call takes',
  measurements: ({ place, jobs }) =>
    grid.map((row) => ({
      id: name(row),
      contender: row.contender.name,
      run: () => beside({ place, ...row, backlog: jobs(row.backlog), jobs: jobs(300) }),
    })),
  floors: grid
    .filter(({ contender }) => contender === wf)
    .map((row) => ({ text: `${name(row)}, p99`, of: [name(row), 'p99'], atMost: 40, unit: ' ms' })),
}

function beside({ place, contender, durability, concurrency, backlog, jobs }) {
  return withBacklog({
    place,
    contender,
    options: { jobs: backlog, bytes: 200, durability, concurrency },
    async use({ folder, store }) {
      const total = backlog + jobs
      const asked = {
        contender: contender.name,
        address: store.address,
        durability,
        concurrency,
        jobs: total,
        firstReport: true,
      }
      const worker = start(folder, {
        args: contender.command(asked),
        options: asked,
        env: contender.env?.(asked),
      })
      try {
        await worker.reports('first')
        const { tookUs } = await perform(folder, { ...asked, action: 'trickle', jobs, bytes: 200, gapMs: 10 })
        if (worker.said('drained').length > 0)
          throw new Error('the worker ran out of jobs: its backlog is too small')
        return {
          p50: quantile(tookUs, 0.5) / 1000,
          p99: quantile(tookUs, 0.99) / 1000,
          max: Math.max(...tookUs) / 1000,
        }
      } finally {
        worker.kill()
      }
    },
  })
}
