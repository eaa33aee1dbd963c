/**
 * A handler that blocks the event loop keeps its process from noticing that the supervisor is gone. A small thread
 * notices instead, and ends a process that has not ended by itself in the time that an orphan has.
 */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../clock.ts'

/** Longer than an orphan whose event loop runs takes to leave, and together with the interval within five seconds. */
const watch = { everyMs: 500, patienceMs: 4500 }

/** Not needed while the process starts, and not to slow it down then. */
const startInMs = 1000

const script = new URL('./child-orphan-thread.js', import.meta.url)

export function watchParent(clock: Clock): void {
  const parent = process.ppid
  const start = () => {
    const thread = new Worker(script, {
      workerData: { parent, ...watch },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
    })
    // Without it the process is as good as before threads: nothing depends on it.
    thread.on('error', () => {})
    thread.unref()
  }
  clock.after(startInMs, start, { unref: true })
}
