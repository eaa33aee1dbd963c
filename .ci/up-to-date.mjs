#!/usr/bin/env node
// Makes a checkout ready to run: installs when the lock file asks for other packages than are there, builds when the
// sources are newer than dist. Says nothing and takes a moment when all is well. Any number may start at once.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, isBuilt } from './build.mjs'
import { withLock } from './lock.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const [major] = process.versions.node.split('.').map(Number)
if (major < 20) fail(`wf needs Node.js 20 or newer, and this is ${process.version}. Try: nvm install 20`)

if (!isInstalled() || !nativeLoads() || !isBuilt()) {
  await withLock(root, async () => {
    if (!isInstalled()) npm('ci', '--include=dev', '--no-audit', '--no-fund')
    if (!nativeLoads()) npm('rebuild', 'better-sqlite3')
    if (isBuilt()) return
    say('building dist')
    await build()
  }).catch((error) => fail(error.detail ?? error.message))
}

/** npm's own note of what lies in node_modules, held against the lock file. */
function isInstalled() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const there = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages
    return Object.entries(wanted).every(([path, { version, integrity, optional, peer }]) => {
      if (path === '') return true
      const found = there[path]
      return found ? found.version === version && found.integrity === integrity : Boolean(optional || peer)
    })
  } catch {
    return false
  }
}

/** An install that broke off, or another Node.js since, leaves a binary that is missing or of the wrong kind. */
function nativeLoads() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3')
    new Database(':memory:').close()
    return true
  } catch {
    return false
  }
}

function npm(...args) {
  say(`npm ${args[0]} (better-sqlite3 may compile for a minute or two)`)
  const ended = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (ended.status !== 0) fail(`npm ${args.join(' ')} failed:\n${ended.stderr ?? ended.error?.message}`)
}

function say(words) {
  process.stderr.write(`wf: ${words} …\n`)
}

function fail(words) {
  process.stderr.write(`wf: ${words}\n`)
  process.exit(1)
}
