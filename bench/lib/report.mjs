// How a measured process talks to the runner: JSON lines in a file of its own, so that it works in any process
// whatever its standard streams and channels are used for. Nothing here may cost anything while jobs run.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the runner asked of this process. */
export const options = JSON.parse(process.env.WF_BENCH ?? '{}')

export function report(kind, fields = {}) {
  appendFileSync(
    join(options.reports, `${process.pid}.jsonl`),
    `${JSON.stringify({ kind, pid: process.pid, ...fields })}\n`,
  )
}

/** Microseconds of the machine's monotonic clock: comparable between processes. */
export function machineUs() {
  return Number(process.hrtime.bigint() / 1000n)
}
