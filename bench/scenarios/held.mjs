import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contenders } from '../contenders/all.mjs'
import { cpuShare, perform, start } from '../lib/processes.mjs'
import { openFile } from '../lib/wf-store.mjs'

const { wf } = contenders

const cli = join(import.meta.dirname, '../../bin/run.js')
const heldJobs = 500
const restMs = 10_000

export const scenario = {
  about: `${heldJobs} due jobs whose dependency's breaker is open for 10 minutes: what they cost another type, and a worker that has nothing else`,
  measurements: ({ place, jobs, scale }) => [
    { id: 'alone', contender: 'wf', run: () => beside({ place, jobs: jobs(40_000), held: 0, scale }) },
    {
      id: 'beside held',
      contender: 'wf',
      run: () => beside({ place, jobs: jobs(40_000), held: heldJobs, scale }),
    },
  ],
  floors: [
    {
      text: 'the other type beside held jobs, over alone',
      of: ['beside held', 'rate'],
      over: ['alone', 'rate'],
      atLeast: 0.9,
    },
    { text: 'CPU when only held jobs are left', of: ['beside held', 'idle'], atMost: 5, unit: ' %' },
  ],
}

async function beside({ place, jobs, held, scale }) {
  const folder = place.folder()
  const { address } = await wf.open(folder)
  const asked = {
    contender: 'wf',
    address,
    durability: 'FULL',
    concurrency: 10,
    jobs,
    keys: jobs + held + 1_000,
    olderKeys: 0,
  }
  await perform(folder, { ...asked, action: 'fill', bytes: 200 })
  if (held > 0) await perform(folder, { ...asked, action: 'fill', type: 'held', jobs: held, bytes: 200 })
  if (held > 0)
    execFileSync(process.execPath, [cli, 'breakers', 'trip', 'bank', '--for', '10m', '--store', address], {
      stdio: 'ignore',
    })
  place.settle()
  const worker = start(folder, {
    args: wf.command({ ...asked, handler: 'held.mjs' }),
    options: asked,
    env: wf.env(asked),
  })
  try {
    const [drained] = await worker.reports('drained')
    await sleep(1_000)
    const idle = await cpuShare(worker.pid, restMs * Math.min(1, scale))
    await worker.stop()
    check(address, { drained, jobs, held })
    return { rate: (jobs / drained.ms) * 1000, idle }
  } finally {
    worker.kill()
    place.clear(folder)
  }
}

/** Nothing of the held type was touched: no claim, no retry, no incident. */
function check(address, { drained, jobs, held }) {
  if (drained.once !== jobs || drained.repeated > 0)
    throw new Error(`of ${jobs} jobs ${drained.once} ran once, ${drained.repeated} more often`)
  const untouched =
    "SELECT count(*) FROM wf_jobs WHERE type = 'held' AND state = 'available' AND attempt = 0 AND retries = enqueued_retries"
  const left = openFile(address, (db) => db.prepare(untouched).pluck().get())
  if (left !== held) throw new Error(`${held - left} of ${held} held jobs were touched`)
}
