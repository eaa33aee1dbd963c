// A BullMQ worker process. Its ids are 1, 2, 3 …; it keeps its finished jobs, as the others do.
import { Worker } from 'bullmq'
import { createProbe } from '../../lib/probe.mjs'
import { options } from '../../lib/report.mjs'
import { openConnection } from './connect.mjs'

process.once('SIGTERM', () => process.exit(0))
const probe = createProbe()
const worker = new Worker(
  'bench',
  async (job) => {
    probe.ran(Number(job.id), job.data.sentUs)
  },
  {
    connection: openConnection(options),
    concurrency: options.concurrency,
    autorun: false,
    ...options.bullmq,
  },
)
worker.on('completed', () => probe.done())
await worker.waitUntilReady()
await probe.started()
await worker.run()
