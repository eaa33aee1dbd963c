import { setTimeout as sleep } from 'node:timers/promises'
import { contenders } from '../contenders/all.mjs'
import { withBacklog } from '../lib/backlog.mjs'
import { cpuShare, perform, start } from '../lib/processes.mjs'
import { quantile } from '../lib/stats.mjs'

const { bullmq, wf } = contenders

const warmUp = 30
const idleMs = 10_000

export const scenario = {
  about:
    'one job now and then between two processes that have nothing else to do: from the call of enqueue to the start of the handler',
  measurements: ({ place, jobs, scale }) => [
    {
      id: 'wf FULL',
      contender: 'wf',
      run: () => latency({ place, contender: wf, durability: 'FULL', jobs: jobs(400), scale }),
    },
    {
      id: 'bullmq everysec',
      contender: 'bullmq',
      run: () => latency({ place, contender: bullmq, durability: 'everysec', jobs: jobs(400), scale }),
    },
    {
      id: 'wf FULL, busy neighbour',
      contender: 'wf',
      run: () => besideBusy({ place, jobs: jobs(150_000), scale }),
    },
  ],
  floors: [
    { text: 'p50 over BullMQ', of: ['wf FULL', 'p50'], over: ['bullmq everysec', 'p50'], atMost: 1 },
    { text: 'p99 over BullMQ', of: ['wf FULL', 'p99'], over: ['bullmq everysec', 'p99'], atMost: 1 },
    { text: 'CPU of the idle worker', of: ['wf FULL', 'idle'], atMost: 0.5, unit: ' %' },
    {
      text: 'CPU of an idle worker beside a busy one of another type',
      of: ['wf FULL, busy neighbour', 'idle'],
      atMost: 3,
      unit: ' %',
    },
  ],
}

export function latency({ place, contender, durability, jobs, scale }) {
  return withBacklog({
    place,
    contender,
    options: { jobs: 1, bytes: 200, durability, concurrency: 10 },
    async use({ folder, store }) {
      const asked = {
        contender: contender.name,
        address: store.address,
        durability,
        concurrency: 10,
        jobs: jobs + warmUp + 1,
      }
      const worker = await startIdle({ folder, contender, asked: { ...asked, latency: true } })
      try {
        await perform(folder, { ...asked, action: 'trickle', jobs: jobs + warmUp, bytes: 200, gapMs: 20 })
        const idle = await cpuShare(worker.pid, idleMs * Math.min(1, scale))
        await worker.stop()
        const [{ latenciesUs, once, repeated }] = worker.said('exit')
        if (once !== jobs + warmUp + 1 || repeated > 0)
          throw new Error(`${once} jobs ran once, ${repeated} more often`)
        // The first is the one that waited for the worker to start; then both sides warm up.
        const measured = latenciesUs.slice(1 + warmUp)
        return { p50: quantile(measured, 0.5) / 1000, p99: quantile(measured, 0.99) / 1000, idle }
      } finally {
        worker.kill()
      }
    },
  })
}

/** A worker of another type drains a backlog in the same store all the while. */
function besideBusy({ place, jobs, scale }) {
  return withBacklog({
    place,
    contender: wf,
    options: { jobs, bytes: 200, durability: 'FULL', concurrency: 10 },
    async use({ folder, store }) {
      const asked = {
        contender: 'wf',
        address: store.address,
        durability: 'FULL',
        concurrency: 10,
        jobs,
        keys: jobs + 1000,
      }
      await perform(folder, { ...asked, action: 'fill', jobs: 1, bytes: 200, type: 'idle' })
      const idler = await startIdle({ folder, contender: wf, asked: { ...asked, type: 'idle' } })
      const busy = await startIdle({ folder, contender: wf, asked })
      try {
        const idle = await cpuShare(idler.pid, (idleMs / 3) * Math.min(1, scale))
        if (busy.said('drained').length > 0)
          throw new Error('the busy worker ran out of jobs: its backlog is too small')
        return { idle }
      } finally {
        busy.kill()
        idler.kill()
      }
    },
  })
}

/** A worker process that has run its first job, so that it is up and watching. */
async function startIdle({ folder, contender, asked }) {
  const options = { ...asked, firstReport: true, exitReport: true }
  const worker = start(folder, { args: contender.command(options), options, env: contender.env?.(options) })
  await worker.reports('first', { timeoutMs: 30_000 })
  await sleep(500)
  return worker
}
