import { contenders } from '../contenders/all.mjs'
import { drain } from '../lib/backlog.mjs'

const { wf, plainjob, bullmq, raw } = contenders

/** Jobs enough for two seconds or three: half a second of it is the warming up of the compiler, for everyone. */
export const grid = [
  { contender: wf, durability: 'FULL', concurrency: 1, count: 10_000 },
  { contender: wf, durability: 'FULL', concurrency: 10, count: 50_000 },
  { contender: wf, durability: 'FULL', concurrency: 100, count: 100_000 },
  { contender: wf, durability: 'NORMAL', concurrency: 1, count: 30_000 },
  { contender: wf, durability: 'NORMAL', concurrency: 10, count: 100_000 },
  { contender: wf, durability: 'NORMAL', concurrency: 100, count: 100_000 },
  { contender: plainjob, durability: 'NORMAL', concurrency: 1, count: 25_000 },
  { contender: plainjob, durability: 'NORMAL', concurrency: 10, count: 25_000 },
  { contender: plainjob, durability: 'FULL', concurrency: 1, count: 5_000 },
  { contender: plainjob, durability: 'FULL', concurrency: 10, count: 5_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 1, count: 6_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 10, count: 20_000 },
  { contender: bullmq, durability: 'everysec', concurrency: 100, count: 20_000 },
  { contender: raw, durability: 'FULL', concurrency: 1, count: 10_000 },
  { contender: raw, durability: 'FULL', concurrency: 10, count: 50_000 },
  { contender: raw, durability: 'FULL', concurrency: 100, count: 100_000 },
  { contender: raw, durability: 'NORMAL', concurrency: 1, count: 30_000 },
  { contender: raw, durability: 'NORMAL', concurrency: 10, count: 100_000 },
  { contender: raw, durability: 'NORMAL', concurrency: 100, count: 100_000 },
]

const rate = (measurement) => [measurement, 'rate']

/** plainjob at its better: ten of its workers in one process, or one. */
const plain = (durability) => [rate(`plainjob ${durability} c1`), rate(`plainjob ${durability} c10`)]

export const name = ({ contender, durability, concurrency }) =>
  `${contender.name} ${durability} c${concurrency}`

export const scenario = {
  about:
    'one worker process drains a backlog of no-op async handlers; jobs/s from the first claim to the last durable completion',
  measurements: ({ place, jobs }) =>
    grid.map((row) => ({
      id: name(row),
      contender: row.contender.name,
      run: () =>
        drain({
          place,
          contender: row.contender,
          options: {
            jobs: jobs(row.count),
            bytes: 200,
            durability: row.durability,
            concurrency: row.concurrency,
          },
        }),
    })),
  floors: [
    {
      text: 'FULL c10 over plainjob at its own NORMAL',
      of: rate('wf FULL c10'),
      over: plain('NORMAL'),
      atLeast: 1.5,
      aim: 2,
    },
    { text: 'FULL c10 over plainjob at FULL', of: rate('wf FULL c10'), over: plain('FULL'), atLeast: 6 },
    {
      text: 'FULL c10 over BullMQ c10',
      of: rate('wf FULL c10'),
      over: rate('bullmq everysec c10'),
      atLeast: 2,
    },
    {
      text: 'FULL c100 over plainjob at its own NORMAL',
      of: rate('wf FULL c100'),
      over: plain('NORMAL'),
      atLeast: 3,
      aim: 4,
    },
    {
      text: 'FULL c100 over BullMQ c100',
      of: rate('wf FULL c100'),
      over: rate('bullmq everysec c100'),
      atLeast: 3,
      aim: 4,
    },
    { text: 'NORMAL c10 over plainjob', of: rate('wf NORMAL c10'), over: plain('NORMAL'), atLeast: 3 },
    { text: 'NORMAL c1 over plainjob', of: rate('wf NORMAL c1'), over: plain('NORMAL'), atLeast: 1 },
    { text: 'FULL c1 over raw', of: rate('wf FULL c1'), over: rate('raw FULL c1') },
    { text: 'FULL c10 over raw', of: rate('wf FULL c10'), over: rate('raw FULL c10') },
    { text: 'FULL c100 over raw', of: rate('wf FULL c100'), over: rate('raw FULL c100') },
  ],
}
