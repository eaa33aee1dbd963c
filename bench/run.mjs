#!/usr/bin/env node
// wf beside its peers and the raw store: every measurement in a process of its own on a fresh store, interleaved
// (A B C A B C …), medians of the rounds, ratios beside the floors. See README.md.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { calmly } from './lib/calm.mjs'
import { judge } from './lib/floors.mjs'
import { openPlace } from './lib/place.mjs'
import { printFloors, printResults } from './lib/print.mjs'
import { setUp } from './lib/setup.mjs'

const usage = `node bench/run.mjs [scenario …] [--rounds 5] [--only text,text] [--scale 1] [--calm 5] [--big] [--list] [--no-build]
node bench/run.mjs compare --base DIR [--floor 0.95] [--rounds 10] [--only …] [--scale …] [--calm …] [--list] [--no-build]
  compare   this checkout beside another one that is built: the ratio of each speed, with its 95 % interval
  --floor   the ratio below which a speed falls short: when its whole interval lies below it, the exit code is 1
  --only    only measurements whose name contains one of these
  --scale   multiplies the number of jobs (0.1 for a quick look; below 1 nothing is worth quoting)
  --calm    waits for others to be quiet, and measures again up to so many times when they were not
  --big     the scenarios that take minutes and gigabytes too`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    base: { type: 'string' },
    floor: { type: 'string', default: '0.95' },
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    big: { type: 'boolean', default: false },
    calm: { type: 'string', default: '1' },
    'no-build': { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const folder = join(import.meta.dirname, 'scenarios')
const names = readdirSync(folder)
  .map((file) => file.replace(/\.mjs$/, ''))
  .sort()
const comparing = positionals[0] === 'compare'
const unknown = positionals.slice(comparing ? 1 : 0).filter((name) => comparing || !names.includes(name))
if (values.help || unknown.length > 0 || comparing !== (values.base !== undefined)) {
  console.error(`${usage}\n  scenarios: ${names.join(', ')}`)
  process.exit(values.help ? 0 : 2)
}

const rounds = Number(values.rounds ?? (comparing ? 10 : 5))
const only = values.only?.split(',')
const scale = Number(values.scale)
const missing = values.list ? {} : setUp({ build: !values['no-build'], peers: !comparing })
const place = openPlace()
const report = {
  at: new Date().toISOString(),
  node: process.version,
  cores: cpus().length,
  cpu: cpus()[0]?.model,
  memoryMb: totalmem() / 2 ** 20,
  rounds,
  scale,
}
report.scenarios = {}
let broken = 0

if (comparing) {
  const { compare } = await import('./compare.mjs')
  const options = {
    base: values.base,
    floor: Number(values.floor),
    list: values.list,
    calm: Number(values.calm),
  }
  process.exit(await compare({ place, rounds, only, scale, report, progress, ...options }))
}

for (const name of positionals.length > 0 ? positionals : names) {
  const { scenario } = await import(join(folder, `${name}.mjs`))
  const context = { place, jobs: (count) => Math.max(50, Math.round(count * scale)), big: values.big, scale }
  const measurements = scenario
    .measurements(context)
    .filter(({ contender }) => !missing[contender])
    .filter(({ id }) => !only || only.some((text) => id.includes(text)))
  console.log(`${name}: ${scenario.about}`)
  if (values.list) {
    for (const { id } of measurements) console.log(`  ${id}`)
    continue
  }
  const results = await interleave(measurements)
  const floors = judge(scenario.floors, results).filter(({ value }) => value !== null || !only)
  printResults(results)
  printFloors(floors)
  report.scenarios[name] = { results, floors }
  save()
}
process.exitCode = broken > 0 ? 1 : 0

async function interleave(measurements) {
  const results = {}
  for (let round = 1; round <= rounds; round += 1) {
    for (const { id, run } of measurements) {
      progress(`  round ${round}/${rounds}  ${id}`)
      try {
        const result = await calmly(run, {
          tries: Number(values.calm),
          waiting: (why) => progress(`  round ${round}/${rounds}  ${id}  ${why}`),
        })
        results[id] = [...(results[id] ?? []), result]
      } catch (error) {
        broken += 1
        progress('')
        process.stderr.write(`  ${id} failed: ${error.message}\n`)
      }
    }
  }
  progress('')
  return results
}

function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

function save() {
  const target = join(import.meta.dirname, 'results')
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`)
}
