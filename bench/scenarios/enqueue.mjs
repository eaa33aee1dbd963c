import { contenders } from '../contenders/all.mjs'
import { perform } from '../lib/processes.mjs'

const { bullmq, plainjob, raw, wf } = contenders

export const grid = [
  { contender: wf, durability: 'FULL', one: 3_000, bulk: 50_000 },
  { contender: raw, durability: 'FULL', one: 3_000, bulk: 50_000 },
  { contender: plainjob, durability: 'FULL', one: 3_000, bulk: 50_000 },
  { contender: bullmq, durability: 'everysec', one: 3_000, bulk: 20_000 },
  { contender: wf, durability: 'NORMAL', one: 10_000, bulk: 50_000 },
  { contender: raw, durability: 'NORMAL', one: 10_000, bulk: 50_000 },
  { contender: plainjob, durability: 'NORMAL', one: 10_000, bulk: 50_000 },
]

export const scenario = {
  about: 'a producer enqueues jobs of 200 bytes: one awaited after the other, and 1,000 a call',
  measurements: ({ place, jobs }) =>
    grid.flatMap(({ contender, durability, one, bulk }) => [
      {
        id: `${contender.name} ${durability} one`,
        contender: contender.name,
        run: () =>
          enqueue({ place, contender, options: { action: 'one', jobs: jobs(one), bytes: 200, durability } }),
      },
      {
        id: `${contender.name} ${durability} bulk`,
        contender: contender.name,
        run: () =>
          enqueue({
            place,
            contender,
            options: { action: 'bulk', jobs: jobs(bulk), bytes: 200, batch: 1000, durability },
          }),
      },
    ]),
  floors: ['FULL', 'NORMAL'].flatMap((durability) => [
    {
      text: `one awaited enqueue over raw, ${durability}`,
      of: [`wf ${durability} one`, 'rate'],
      over: [`raw ${durability} one`, 'rate'],
      ...(durability === 'FULL' ? { atLeast: 0.8 } : {}),
    },
    {
      text: `bulk over raw, ${durability}`,
      of: [`wf ${durability} bulk`, 'rate'],
      over: [`raw ${durability} bulk`, 'rate'],
      ...(durability === 'FULL' ? { atLeast: 0.6 } : {}),
    },
  ]),
}

export async function enqueue({ place, contender, options }) {
  const folder = place.folder()
  const store = await contender.open(folder)
  const asked = { ...options, contender: contender.name, address: store.address }
  try {
    place.settle()
    const { ms } = await perform(folder, asked)
    const { completed, unfinished } = await perform(folder, { ...asked, action: 'counts' })
    if (completed + unfinished !== options.jobs)
      throw new Error(`${completed + unfinished} of ${options.jobs} jobs are in the store`)
    return { rate: (options.jobs / ms) * 1000 }
  } finally {
    await store.close()
    place.clear(folder)
  }
}
