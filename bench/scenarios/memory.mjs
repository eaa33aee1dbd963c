import { contenders } from '../contenders/all.mjs'
import { drain } from '../lib/backlog.mjs'

const { bullmq, plainjob, wf } = contenders

const grid = [
  { contender: wf, durability: 'FULL', concurrency: 10, processes: 1, count: 100_000 },
  { contender: wf, durability: 'FULL', concurrency: 100, processes: 1, count: 100_000 },
  { contender: wf, durability: 'FULL', concurrency: 10, count: 100_000 },
  { contender: plainjob, durability: 'NORMAL', concurrency: 10, count: 40_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 10, count: 40_000 },
]

const name = ({ contender, concurrency, processes }) =>
  `${contender.name}${contender === wf && !processes ? ' --inline' : ''} c${concurrency}`

export const scenario = {
  about:
    'resident memory of the process that runs the jobs (for wf, unless inline, the child of its supervisor) while it drains, the highest of samples 50 ms apart',
  measurements: ({ place, jobs }) =>
    grid.map((row) => ({
      id: name(row),
      contender: row.contender.name,
      run: async () => {
        const { rss } = await drain({
          place,
          contender: row.contender,
          options: { ...row, contender: undefined, jobs: jobs(row.count), bytes: 200 },
        })
        return { rss }
      },
    })),
  floors: [10, 100].map((concurrency) => ({
    text: `wf c${concurrency}`,
    of: [`wf c${concurrency}`, 'rss'],
    atMost: 90,
    unit: ' MB',
  })),
}
