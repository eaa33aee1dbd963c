/**
 * Kills this process when its supervisor is gone and it hasn't exited in time. Runs in a thread, because a handler may block the event
 * loop.
 */
import { Worker } from 'node:worker_threads'

/** Longer than the shutdown of an orphan takes, and with the interval within five seconds. */
const watch = { everyMs: 500, patienceMs: 4500 }

const script = new URL('./parent-watchdog-thread.js', import.meta.url)

/** Call before the first handler runs: one that never yields would keep the thread from starting. */
export function watchParent(): void {
  const thread = new Worker(script, {
    workerData: { parent: process.ppid, ...watch },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  // Nothing else depends on the thread.
  thread.on('error', () => {})
  thread.unref()
}
