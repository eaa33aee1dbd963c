import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { writeManifest } from '../contenders/bare-oclif/manifest.mjs'
import { contenders } from '../contenders/all.mjs'
import { withBacklog } from '../lib/backlog.mjs'
import { median } from '../lib/stats.mjs'

const spawns = 10
const { program: wfProgram } = contenders.wf
const bareProgram = join(import.meta.dirname, '../contenders/bare-oclif/run.js')

const grid = [
  { id: 'wf --version', program: wfProgram, args: () => ['--version'] },
  { id: 'bare --version', program: bareProgram, args: () => ['--version'] },
  { id: 'bare hello', program: bareProgram, args: () => ['hello'] },
  { id: 'wf jobs list', program: wfProgram, args: (address) => ['jobs', 'list', '--store', address] },
  { id: 'bare list', program: bareProgram, args: (address) => ['list', '--store', address] },
]

export const scenario = {
  about: `a short command from spawn to exit, the median of ${spawns}; "bare" is the least oclif program, "bare list" loads better-sqlite3 and reads one number`,
  measurements: ({ place }) => grid.map((row) => ({ ...row, contender: 'wf', run: () => time(place, row) })),
  floors: [
    {
      text: 'wf --version over bare --version',
      of: ['wf --version', 'ms'],
      over: ['bare --version', 'ms'],
      atMost: 1.25,
    },
    { text: 'wf --version over bare hello', of: ['wf --version', 'ms'], over: ['bare hello', 'ms'] },
    {
      text: 'wf jobs list over bare list',
      of: ['wf jobs list', 'ms'],
      over: ['bare list', 'ms'],
      atMost: 1.25,
    },
  ],
}

export async function time(place, { contender = contenders.wf, program = contender.program, args }) {
  await writeManifest()
  return withBacklog({
    place,
    contender,
    options: { jobs: 100, bytes: 200, durability: 'FULL' },
    use({ store }) {
      const took = Array.from({ length: spawns }, () => {
        const startedAt = performance.now()
        const { status, stderr } = spawnSync(process.execPath, [program, ...args(store.address)], {
          encoding: 'utf8',
        })
        if (status !== 0)
          throw new Error(`${program} ${args(store.address).join(' ')} ended with ${status}:\n${stderr}`)
        return performance.now() - startedAt
      })
      return { ms: median(took) }
    },
  })
}
