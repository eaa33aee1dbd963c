import { contenders } from '../contenders/all.mjs'
import { drain } from '../lib/backlog.mjs'

const { bullmq, plainjob, wf } = contenders

const grid = [
  { contender: wf, durability: 'FULL', concurrency: 10, workMs: 0, count: 60_000 },
  { contender: wf, durability: 'FULL', concurrency: 100, workMs: 0, count: 50_000 },
  { contender: wf, durability: 'FULL', concurrency: 100, workMs: 1, count: 60_000 },
  { contender: plainjob, durability: 'NORMAL', concurrency: 10, workMs: 0, count: 10_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 100, workMs: 0, count: 12_000 },
]

const name = ({ contender, durability, concurrency, workMs }) =>
  `${contender.name} ${durability} c${concurrency}${workMs ? ` sleeping ${workMs} ms` : ''}`

export const scenario = {
  about: 'how late a 1 ms timer fires in the worker process while it drains quick handlers',
  measurements: ({ place, jobs }) =>
    grid.map((row) => ({
      id: name(row),
      contender: row.contender.name,
      run: () =>
        drain({
          place,
          contender: row.contender,
          options: { ...row, contender: undefined, jobs: jobs(row.count), bytes: 200, loopDelay: true },
        }),
    })),
  floors: grid
    .filter(({ contender }) => contender === wf)
    .flatMap((row) => [
      { text: `${name(row)}, p99`, of: [name(row), 'loopP99'], atMost: 20, unit: ' ms' },
      { text: `${name(row)}, max`, of: [name(row), 'loopMax'], atMost: 50, unit: ' ms' },
    ]),
}
