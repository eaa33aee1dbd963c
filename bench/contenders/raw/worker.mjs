// The ceiling: one transaction completes the last batch and claims the next, handlers start after the commit.
// No validation, no context, no timeouts, no statistics, no log.
import { setImmediate as turn } from 'node:timers/promises'
import { createProbe } from '../../lib/probe.mjs'
import { options } from '../../lib/report.mjs'
import { openRaw } from './connect.mjs'

process.once('SIGTERM', () => process.exit(0))
const { concurrency } = options
const db = await openRaw(options)
const probe = createProbe()

const next = db.prepare(
  `SELECT key, attempt FROM wf_jobs WHERE type = 'bench' AND state = 'available' AND crashes < 2 AND run_at <= ?
   ORDER BY priority DESC, run_at, key LIMIT ?`,
)
const take = db.prepare(
  `UPDATE wf_jobs SET state = 'running', worker_id = 'raw#1', started_at = ?, run_until = ?, attempt = attempt + 1 WHERE key = ? AND state = 'available'`,
)
const read = db.prepare('SELECT variables FROM wf_job_data WHERE job_key = ?').pluck()
const complete = db.prepare(
  `UPDATE wf_jobs SET state = 'completed', run_until = NULL, finished_at = ? WHERE key = ? AND state = 'running' AND attempt = ?`,
)

const exchange = db.transaction((ended) => {
  const now = Date.now()
  for (const { key, attempt } of ended) complete.run(now, key, attempt + 1)
  const jobs = next.all(now, concurrency)
  for (const job of jobs) {
    take.run(now, now + 360_000, job.key)
    job.variables = read.get(job.key)
  }
  return jobs
}).immediate

async function handle(key) {
  probe.ran(key, 0)
}

await probe.started()
let held = exchange([])
while (held.length > 0) {
  await Promise.all(held.map(({ key, variables }) => handle(key, JSON.parse(variables))))
  const ended = held
  held = exchange(ended)
  for (const _ of ended) probe.done()
  await turn()
}
db.close()
// Stays until it is told to go, as a worker does.
setInterval(() => {}, 1000)
