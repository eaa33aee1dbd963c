// How much of the machine others use while something is measured: a measurement among noisy neighbours is worth nothing.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const ticksPerSecond = 100
const mostCores = 0.25
const lookMs = 400

/** Runs `measure` when the machine is quiet, and again when it did not stay so; after `tries` takes what there is. */
export async function calmly(measure, { tries, waiting }) {
  if (tries <= 1) return measure()
  for (let attempt = 1; ; attempt += 1) {
    await untilQuiet({ looks: tries * 20, waiting })
    const before = usage()
    const result = await measure()
    if (attempt >= tries || others(before, usage()) <= mostCores) return result
    waiting('again: others were busy')
  }
}

async function untilQuiet({ looks, waiting }) {
  for (let look = 0; look < looks; look += 1) {
    const before = usage()
    await sleep(lookMs)
    if (others(before, usage()) <= mostCores) return
    waiting('waiting for a quiet machine')
  }
}

function others(before, after) {
  const seconds = after.at - before.at
  return (after.busy - before.busy - (after.own - before.own)) / ticksPerSecond / seconds
}

/** Ticks of CPU: of the whole machine, and of this process with all the children that have ended. */
function usage() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const own = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(11, 15).map(Number)
  return {
    at: performance.now() / 1000,
    busy: user + nice + system + irq + softirq,
    own: own.reduce((sum, ticks) => sum + ticks, 0),
  }
}
