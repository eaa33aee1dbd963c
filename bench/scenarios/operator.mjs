import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contenders } from '../contenders/all.mjs'
import { withBacklog } from '../lib/backlog.mjs'
import { median } from '../lib/stats.mjs'
import { addCompleted, addIncidents } from '../lib/wf-store.mjs'

const spawns = 5
const preload = new URL('../lib/preload-memory.mjs', import.meta.url).href

const incidents = 20_000
const jobsPerIncident = 51
const rows = incidents * jobsPerIncident
const causes = 12

const commands = [
  {
    id: 'jobs list by state, error and variable',
    args: 'jobs list --state failed --error ETIMEDOUT --where variables.customer=7',
  },
  { id: 'incidents list by cause', args: 'incidents list --by cause' },
  { id: 'incidents list by error, found at once', args: 'incidents list --error ETIMEDOUT' },
  { id: 'incidents list by error, all read', args: 'incidents list --error nowhere' },
  { id: 'incidents list by pattern, all read', args: 'incidents list --error /(no|never)where.*[0-9]$/i' },
  { id: 'incidents list by variable, all read', args: 'incidents list --where variables.customer="nobody"' },
  { id: 'incidents list in another order', args: 'incidents list --sort type' },
  { id: 'jobs show', args: 'jobs show 510000' },
  { id: 'jobs list by error in every state', args: 'jobs list --error nowhere' },
  { id: 'jobs list in another order', args: 'jobs list --sort priority', slow: true },
  {
    id: 'jobs list by variable, a million read',
    args: 'jobs list --where variables.customer="nobody"',
    slow: true,
  },
]

export const scenario = {
  about: `commands of the person on call, from spawn to exit, in a store of ${(rows - incidents).toLocaleString('en')} completed jobs and ${incidents.toLocaleString('en')} incidents of ${causes} causes`,
  measurements: ({ place }) =>
    commands.map(({ id, args }) => ({ id, contender: 'wf', run: () => time(place, { args }) })),
  floors: commands
    .filter(({ slow }) => !slow)
    .flatMap(({ id }) => [
      { text: `${id}: time`, of: [id, 'ms'], atMost: 1000, unit: ' ms' },
      { text: `${id}: memory`, of: [id, 'rss'], atMost: 150, unit: ' MB' },
    ]),
}

/** One command in the large store, which all of a contender's measurements share: they only read. */
export function time(place, { contender = contenders.wf, args, scale = 1 }) {
  const rows = Math.round(incidents * scale) * jobsPerIncident
  const finish = (address) => {
    addCompleted(address, { rows, bytes: 200 })
    addIncidents(address, { every: jobsPerIncident, causes })
  }
  const options = {
    jobs: 0,
    bytes: 200,
    durability: 'NORMAL',
    finish,
    finishName: `incidents of ${rows}`,
    readOnly: true,
  }
  const use = ({ folder, store }) => {
    const report = join(folder, 'memory')
    const took = Array.from({ length: spawns }, () => {
      const startedAt = performance.now()
      const { status, stderr } = spawnSync(
        process.execPath,
        ['--import', preload, contender.program, ...args.split(' '), '--store', store.address],
        {
          encoding: 'utf8',
          env: { ...process.env, NODE_OPTIONS: '', WF_BENCH_MEMORY: report },
        },
      )
      if (status !== 0) throw new Error(`wf ${args} ended with ${status}:\n${stderr}`)
      const { maxRSS, cpuUs } = JSON.parse(readFileSync(report, 'utf8'))
      return { ms: performance.now() - startedAt, cpuMs: cpuUs / 1000, rss: maxRSS / 1024 }
    })
    const middle = (part) => median(took.map((each) => each[part]))
    return { ms: middle('ms'), cpuMs: middle('cpuMs'), rss: middle('rss') }
  }
  return withBacklog({ place, contender, options, use })
}
