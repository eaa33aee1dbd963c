// Makes everything ready that a run needs: wf itself built, the peers installed here, a redis-server.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installRedis } from './redis.mjs'

const bench = dirname(import.meta.dirname)
const root = dirname(bench)

/** Returns the names of the contenders that cannot take part, with why. */
export function setUp({ build, peers = true }) {
  if (build) run(process.execPath, [join(root, '.ci/up-to-date.mjs')], root)
  if (!peers) return {}
  if (!isInstalled()) {
    process.stderr.write('bench: npm ci in bench/ (plainjob, bullmq, better-sqlite3) …\n')
    run('npm', ['ci', '--no-audit', '--no-fund'], bench)
  }
  const missing = {}
  const why = installRedis()
  if (why) {
    process.stderr.write(`bench: ${why}\n`)
    missing.bullmq = why
  }
  return missing
}

function isInstalled() {
  const there = join(bench, 'node_modules/.package-lock.json')
  if (!existsSync(there)) return false
  const found = JSON.parse(readFileSync(there, 'utf8')).packages
  const wanted = JSON.parse(readFileSync(join(bench, 'package-lock.json'), 'utf8')).packages
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || found[path]?.version === version,
  )
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? error?.message}`)
}
