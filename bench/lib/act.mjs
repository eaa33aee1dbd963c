// What a producer does, the same for every contender: node act.mjs, with contender, action and its numbers in WF_BENCH.
import { setTimeout as sleep } from 'node:timers/promises'
import { payload } from './payload.mjs'
import { machineUs, options, report } from './report.mjs'

const { connect } = await import(`../contenders/${options.contender}/producer.mjs`)
const producer = await connect(options)

const actions = {
  /** A backlog, not measured. */
  async fill({ jobs, bytes, batch = 1000, spec = {} }) {
    await inBatches(jobs, batch, (first, count) => producer.addMany(variablesOf(first, count, bytes), spec))
    return {}
  },

  /** One awaited after the other. */
  async one({ jobs, bytes }) {
    const list = variablesOf(0, jobs, bytes)
    const startedUs = machineUs()
    for (const variables of list) await producer.add(variables)
    return { ms: (machineUs() - startedUs) / 1000 }
  },

  async bulk({ jobs, bytes, batch }) {
    const list = variablesOf(0, jobs, bytes)
    const startedUs = machineUs()
    await inBatches(jobs, batch, (first, count) => producer.addMany(list.slice(first, first + count), {}))
    return { ms: (machineUs() - startedUs) / 1000 }
  },

  /** One now and then, the gaps uneven; how long each took, as its caller sees it. */
  async trickle({ jobs, bytes, gapMs }) {
    const tookUs = []
    for (let n = 0; n < jobs; n += 1) {
      await sleep(gapMs * (0.5 + ((n * 7) % 10) / 10))
      const variables = payload(n, bytes)
      const startedUs = machineUs()
      variables.sentUs = startedUs
      await producer.add(variables)
      tookUs.push(machineUs() - startedUs)
    }
    return { tookUs }
  },

  counts: () => producer.counts(),
}

async function inBatches(jobs, batch, add) {
  for (let first = 0; first < jobs; first += batch) await add(first, Math.min(batch, jobs - first))
}

function variablesOf(first, count, bytes) {
  return Array.from({ length: count }, (_, index) => payload(first + index, bytes))
}

report('acted', await actions[options.action](options))
await producer.close()
