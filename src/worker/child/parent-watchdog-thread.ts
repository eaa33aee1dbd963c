/** The thread of parent-watchdog.ts: polls whether the parent process is still the same. */
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../clock.ts'

const { parent, everyMs, patienceMs } = workerData as { parent: number; everyMs: number; patienceMs: number }

let missingMs = 0
while (missingMs < patienceMs) {
  await systemClock.sleep(everyMs)
  missingMs = process.ppid === parent ? 0 : missingMs + everyMs
}
process.kill(process.pid, 'SIGKILL')
