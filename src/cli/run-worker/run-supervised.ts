/** The usual way to run: a supervisor here, the handlers in child processes. */
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { forkChild } from '../../worker/supervisor/child-process.ts'
import { Supervisor } from '../../worker/supervisor/supervisor.ts'
import { watchSources } from './source-watch.ts'
import type { Run, RunParts } from './run-options.ts'

const entry = fileURLToPath(new URL('../../worker-process.js', import.meta.url))

export function superviseRun(parts: RunParts): Run {
  const { files, types, concurrency, maxJobs, config, clock, watch, place, logLevel, countedAs } = parts
  const { leaseMs, renewalMs, hangMs, loadMs, sizes } = config
  const supervisor = new Supervisor({
    ...parts,
    fork: () => forkChild(entry),
    host: hostname(),
    lease: { leaseMs, renewMs: renewalMs },
    hangMs,
    patient: watch,
    setup: { files, types, concurrency, maxJobs, loadMs, location: place, logLevel, sizes, countedAs },
  })
  const ended = supervisor.run()
  if (!watch) return { drain: () => supervisor.drain(), stopNow: () => supervisor.stopNow(), ended }
  const reload = () => {
    parts.log.info('a module changed; loading anew')
    supervisor.reload()
  }
  const unwatch = watchSources(files, clock, reload)
  return {
    drain: () => supervisor.drain(),
    stopNow: () => supervisor.stopNow(),
    ended: ended.finally(unwatch),
  }
}
