/**
 * A handler that blocks the event loop keeps its process from noticing that the supervisor is gone. A small thread
 * notices instead, and ends a process that has not ended by itself in the time that an orphan has.
 */
import { Worker } from 'node:worker_threads'

/** Longer than an orphan whose event loop runs takes to leave, and together with the interval within five seconds. */
const watch = { everyMs: 500, patienceMs: 4500 }

const script = new URL('./parent-watchdog-thread.js', import.meta.url)

/** To be called before the first handler runs: one that never yields would keep the thread from being started. */
export function watchParent(): void {
  const thread = new Worker(script, {
    workerData: { parent: process.ppid, ...watch },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  // Without it an orphan that is stuck stays until it yields; nothing else depends on it.
  thread.on('error', () => {})
  thread.unref()
}
