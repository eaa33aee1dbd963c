// This checkout beside another one ("base") in one run: each measurement of both by turns, first one first and then the
// other, so that a slow minute of the machine hits both. What counts is the ratio of the two within a round.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { drain } from './lib/backlog.mjs'
import { calmly } from './lib/calm.mjs'
import { printRatios } from './lib/print.mjs'
import { ratioOf } from './lib/stats.mjs'

/** The contenders read the folder of the base when they are loaded. */
async function rows({ base, place, jobs, scale }) {
  process.env.WF_BENCH_BASE = resolve(base)
  const [{ contenders }, drains, enqueues, { latency }, { firstDone }, cli, operator] = await Promise.all([
    import('./contenders/all.mjs'),
    import('./scenarios/drain.mjs'),
    import('./scenarios/enqueue.mjs'),
    import('./scenarios/latency.mjs'),
    import('./scenarios/start.mjs'),
    import('./scenarios/cli.mjs'),
    import('./scenarios/operator.mjs'),
  ])
  const isOwn = ({ contender }) => contender === contenders.wf
  const drained = drains.grid.filter(isOwn).map(({ durability, concurrency, count }) => ({
    id: `drain ${durability} c${concurrency}`,
    run: (contender) =>
      drain({
        place,
        contender,
        options: { jobs: jobs(count), bytes: 200, durability, concurrency },
      }),
  }))
  const enqueued = enqueues.grid.filter(isOwn).flatMap(({ durability, one, bulk }) =>
    [
      { action: 'one', count: one },
      { action: 'bulk', count: bulk, batch: 1000 },
    ].map(({ action, count, batch }) => ({
      id: `enqueue ${durability} ${action}`,
      run: (contender) =>
        enqueues.enqueue({
          place,
          contender,
          options: { action, jobs: jobs(count), bytes: 200, batch, durability },
        }),
    })),
  )
  const short = (id, args) => ({ id, run: (contender) => cli.time(place, { contender, args }) })
  const list = [
    ...drained,
    ...enqueued,
    {
      id: 'latency',
      run: (contender) => latency({ place, contender, durability: 'FULL', jobs: jobs(400), scale }),
    },
    {
      id: 'memory of a worker process',
      run: async (contender) => {
        const options = { durability: 'FULL', concurrency: 10, processes: 1, jobs: jobs(100_000), bytes: 200 }
        const { rss } = await drain({ place, contender, options })
        return { rss }
      },
    },
    { id: 'start, --inline', run: (contender) => firstDone({ place, contender, durability: 'FULL' }) },
    {
      id: 'start',
      run: (contender) => firstDone({ place, contender, durability: 'FULL', processes: 1 }),
    },
    short('--version', () => ['--version']),
    short('jobs list', (address) => ['jobs', 'list', '--store', address]),
    {
      id: 'incidents list --by cause',
      run: (contender) => operator.time(place, { contender, args: 'incidents list --by cause', scale }),
    },
  ]
  return { list, contenders: { base: contenders.base, own: contenders.wf } }
}

/** Memory of the drains is left to its own measurement, which has a supervisor as in production. */
const compared = { drain: ['rate', 'cpuUs'] }

/** Runs all rounds, prints the ratios and returns the exit code: 1 when a speed falls short of `floor`, or a measurement fails. */
export async function compare({ place, rounds, only, scale, report, progress, base, floor, list, calm }) {
  const jobs = (count) => Math.max(50, Math.round(count * scale))
  const all = await rows({ base, place, jobs, scale })
  const chosen = all.list.filter(({ id }) => !only || only.some((text) => id.includes(text)))
  if (list) {
    for (const { id } of chosen) console.log(`  ${id}`)
    return 0
  }
  const results = Object.fromEntries(chosen.map(({ id }) => [id, []]))
  let broken = 0
  for (let round = 1; round <= rounds; round += 1) {
    for (const { id, run } of chosen) {
      const pair = {}
      for (const side of round % 2 === 1 ? ['base', 'own'] : ['own', 'base']) {
        const note = (more) => progress(`  round ${round}/${rounds}  ${id}  ${side}  ${more}`)
        note('')
        try {
          pair[side] = await calmly(() => run(all.contenders[side]), { tries: calm, waiting: note })
        } catch (error) {
          broken += 1
          progress('')
          process.stderr.write(`  ${id} of ${side} failed: ${error.message}\n`)
        }
      }
      if (pair.base && pair.own) results[id].push(pair)
    }
    if (!process.stderr.isTTY) process.stderr.write(`  round ${round} of ${rounds} done\n`)
    save({ ...report, base, floor, results })
  }
  progress('')
  const ratios = Object.entries(results)
    .filter(([, pairs]) => pairs.length > 0)
    .flatMap(([id, pairs]) => ratiosOf(id, pairs, floor))
  printRatios(ratios, floor)
  return broken > 0 || ratios.some(({ isShort }) => isShort) ? 1 : 0
}

/** Each value of a measurement as the ratio of speeds: above 1 this checkout is the better one. */
function ratiosOf(id, pairs, floor) {
  const keys = compared[id.split(' ')[0]] ?? Object.keys(pairs[0].own)
  return keys.map((key) => {
    const series = pairs.map(({ base, own }) =>
      key === 'rate' ? own[key] / base[key] : base[key] / own[key],
    )
    const ratio = ratioOf(series)
    return {
      id,
      key,
      base: pairs.map(({ base }) => base[key]),
      own: pairs.map(({ own }) => own[key]),
      ...ratio,
      isShort: ratio.high !== null && ratio.high < floor,
    }
  })
}

function save(document) {
  const target = join(import.meta.dirname, 'results')
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'compare.json'), `${JSON.stringify(document, null, 2)}\n`)
}
