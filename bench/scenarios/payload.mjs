import { contenders } from '../contenders/all.mjs'
import { drain } from '../lib/backlog.mjs'

const { raw, wf } = contenders

const sizes = [200, 2000]
const concurrencies = [10, 100]

export const scenario = {
  about: 'the same drain with variables of 200 bytes and of 2 kB, FULL',
  measurements: ({ place, jobs }) =>
    [wf, raw].flatMap((contender) =>
      concurrencies.flatMap((concurrency) =>
        sizes.map((bytes) => ({
          id: `${contender.name} c${concurrency} ${bytes} B`,
          contender: contender.name,
          run: () =>
            drain({
              place,
              contender,
              options: { jobs: jobs(20_000), bytes, durability: 'FULL', concurrency },
            }),
        })),
      ),
    ),
  floors: concurrencies.map((concurrency) => ({
    text: `2 kB over 200 B, c${concurrency}`,
    of: [`wf c${concurrency} 2000 B`, 'rate'],
    over: [`wf c${concurrency} 200 B`, 'rate'],
    atLeast: 0.5,
  })),
}
