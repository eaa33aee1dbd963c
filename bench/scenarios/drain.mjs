import { contender as bullmq } from '../contenders/bullmq/contender.mjs'
import { contender as plainjob } from '../contenders/plainjob/contender.mjs'
import { drain } from '../lib/backlog.mjs'

const grid = [
  { contender: plainjob, durability: 'NORMAL', concurrency: 1, count: 10_000 },
  { contender: plainjob, durability: 'NORMAL', concurrency: 10, count: 10_000 },
  { contender: plainjob, durability: 'FULL', concurrency: 1, count: 2_000 },
  { contender: plainjob, durability: 'FULL', concurrency: 10, count: 2_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 1, count: 4_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 10, count: 12_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 100, count: 12_000 },
]

const name = ({ contender, durability, concurrency }) => `${contender.name} ${durability} c${concurrency}`

export const scenario = {
  about: 'one worker process drains a backlog of no-op async handlers; jobs/s from the first claim to the last durable completion',
  measurements: ({ place, jobs }) =>
    grid.map((row) => ({
      id: name(row),
      contender: row.contender.name,
      run: () =>
        drain({
          place,
          contender: row.contender,
          options: { jobs: jobs(row.count), bytes: 200, durability: row.durability, concurrency: row.concurrency, loopDelay: true },
        }),
    })),
  floors: [],
}
