// Sits in the handler of every contender's worker and notes, as cheaply as it can, what ran, how often, and when.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineUs, options, report } from './report.mjs'

const loopResolutionMs = 1

/** `jobs`: how many there are to run; `olderKeys`: the highest key there was before; `keys`: how many may come above it. */
export function createProbe() {
  const { jobs = 0, keys = jobs + 1000, olderKeys = 0, latency = false, exitReport = false } = options
  const runs = new Uint8Array(keys + 1)
  const latenciesUs = []
  const loop = monitorEventLoopDelay({ resolution: loopResolutionMs })
  let ran = 0
  let done = 0
  let startedAt = 0
  let cpuBefore

  function tally() {
    let once = 0
    let repeated = 0
    for (const times of runs) {
      if (times === 1) once += 1
      else if (times > 1) repeated += 1
    }
    return { ran, once, repeated, latenciesUs }
  }

  if (exitReport) process.once('exit', () => report('exit', tally()))

  if (options.loopDelay) loop.enable()

  return {
    /** Await it right before the worker takes its first job: the loop must have turned before its delay can be seen. */
    async started() {
      await sleep(20)
      startedAt = Date.now()
      cpuBefore = process.cpuUsage()
    },
    /** The handler of job `key` starts. True for the last of them. */
    ran(key, sentUs) {
      if (latency) latenciesUs.push(machineUs() - sentUs)
      runs[key - olderKeys] += 1
      ran += 1
      if (ran === 1) {
        cpuBefore ??= process.cpuUsage()
        if (options.firstReport) report('first', { atUs: machineUs() })
      }
      return ran === jobs
    },
    /** A completion is durable. */
    done() {
      done += 1
      if (done === 1 && options.firstReport) report('done', { atUs: machineUs() })
      if (done === jobs) this.drained(() => startedAt)
    },
    /** The last completion is durable. `firstClaimAt` answers the epoch ms of the first claim. */
    drained(firstClaimAt) {
      const endedAt = Date.now()
      if (done === 0 && options.firstReport) report('done', { atUs: machineUs() })
      const { user, system } = process.cpuUsage(cpuBefore)
      const ms = endedAt - firstClaimAt()
      // A loop that never turned while jobs ran has its delay recorded at its next turn.
      setTimeout(() => {
        loop.disable()
        const loopDelay = {
          p99: loop.percentile(99) / 1e6 - loopResolutionMs,
          max: loop.max / 1e6 - loopResolutionMs,
        }
        report('drained', {
          ms,
          cpuMs: (user + system) / 1000,
          ...(options.loopDelay ? { loopDelay } : {}),
          ...tally(),
        })
      }, 10)
    },
  }
}
