// A plainjob worker process. One of its workers runs one job at a time, so concurrency is that many workers on one queue.
import { defineWorker } from 'plainjob'
import { createProbe } from '../../lib/probe.mjs'
import { options } from '../../lib/report.mjs'
import { openQueue, silent } from './connect.mjs'

process.once('SIGTERM', () => process.exit(0))
const queue = openQueue(options)
const probe = createProbe()
const workers = Array.from({ length: options.concurrency }, () =>
  defineWorker(
    'bench',
    async (job) => {
      probe.ran(job.id, options.latency ? JSON.parse(job.data).sentUs : 0)
    },
    // Its default of one second would only lengthen waits that it could avoid.
    { queue, logger: silent, pollIntervall: 10, onCompleted: () => probe.done() },
  ),
)
await probe.started()
for (const worker of workers) void worker.start()
