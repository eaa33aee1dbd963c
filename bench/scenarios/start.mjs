import { contenders } from '../contenders/all.mjs'
import { withBacklog } from '../lib/backlog.mjs'
import { start } from '../lib/processes.mjs'
import { machineUs } from '../lib/report.mjs'

const { wf, plainjob } = contenders

export const scenario = {
  about: 'from the spawn of a worker process, with one job waiting, to that job being done',
  measurements: ({ place }) => [
    {
      id: 'wf run-worker --inline',
      contender: 'wf',
      run: () => firstDone({ place, contender: wf, durability: 'FULL' }),
    },
    {
      id: 'wf run-worker',
      contender: 'wf',
      run: () => firstDone({ place, contender: wf, durability: 'FULL', processes: 1 }),
    },
    {
      id: 'plainjob script',
      contender: 'plainjob',
      run: () => firstDone({ place, contender: plainjob, durability: 'NORMAL' }),
    },
  ],
  floors: [
    {
      text: 'wf run-worker --inline over plainjob',
      of: ['wf run-worker --inline', 'ms'],
      over: ['plainjob script', 'ms'],
      atMost: 2,
    },
    {
      text: 'wf run-worker (supervisor and child) over plainjob',
      of: ['wf run-worker', 'ms'],
      over: ['plainjob script', 'ms'],
    },
  ],
}

export function firstDone({ place, contender, durability, processes }) {
  return withBacklog({
    place,
    contender,
    options: { jobs: 1, bytes: 200, durability },
    async use({ folder, store }) {
      const options = {
        contender: contender.name,
        address: store.address,
        durability,
        concurrency: 10,
        jobs: 1,
        firstReport: true,
        processes,
      }
      const args = contender.command(options)
      const startedUs = machineUs()
      const worker = start(folder, { args, options, env: contender.env?.(options) })
      try {
        const [{ atUs }] = await worker.reports('done', { timeoutMs: 30_000 })
        return { ms: (atUs - startedUs) / 1000 }
      } finally {
        await worker.stop()
      }
    },
  })
}
