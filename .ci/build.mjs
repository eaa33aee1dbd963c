#!/usr/bin/env node
// Builds dist/ from src/ and oclif.manifest.json from dist/commands. Does nothing when nothing has changed.
//   node .ci/build.mjs [--force]
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const stamp = join(dist, '.build.json')
const manifestFile = join(root, 'oclif.manifest.json')

/** Whether dist and the manifest were made from the sources as they are now. */
export function isBuilt() {
  return existsSync(manifestFile) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()
}

/** Call it under the lock. Throws with what is wrong; what could be compiled is in dist all the same. */
export async function build() {
  const print = fingerprint()
  rmSync(stamp, { force: true })
  let mistakes = ''
  const staged = join(root, `dist.${process.pid}`)
  try {
    const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', root, '--outDir', staged], {
      encoding: 'utf8',
    })
    for (const file of sources().filter((file) => !/\.tsx?$/.test(file))) cpSync(join(root, 'src', file), join(staged, file))
    replace(staged)
    if (compiled.status !== 0) mistakes = `${compiled.stdout}${compiled.stderr}`
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
  await writeManifest()
  if (mistakes) throw new Error(`tsc found mistakes:\n${mistakes}`)
  write(stamp, print)
}

function sources() {
  return filesOf(join(root, 'src')).sort()
}

function fingerprint() {
  const hash = createHash('sha256').update(process.version)
  for (const file of ['package.json', 'tsconfig.json', '.ci/build.mjs', ...sources().map((file) => join('src', file))]) {
    const { mtimeMs, size } = statSync(join(root, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

/** File by file, each by an atomic rename, so that a wf that starts meanwhile never reads half a module. */
function replace(staged) {
  const fresh = new Set(filesOf(staged))
  for (const file of fresh) {
    const target = join(dist, file)
    if (existsSync(target) && readFileSync(target).equals(readFileSync(join(staged, file)))) continue
    mkdirSync(dirname(target), { recursive: true })
    renameSync(join(staged, file), target)
  }
  for (const file of filesOf(dist)) if (!fresh.has(file)) rmSync(join(dist, file))
}

function filesOf(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

async function writeManifest() {
  // Elsewhere oclif would look for the commands in src and load a TypeScript compiler.
  process.env.NODE_ENV = 'production'
  const { Plugin } = await import('@oclif/core')
  const plugin = new Plugin({ root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true })
  await plugin.load()
  const missing = sources()
    .filter((file) => /^commands\/.*\.tsx?$/.test(file))
    .map((file) =>
      file
        .slice('commands/'.length)
        .replace(/\.tsx?$/, '')
        .split('/')
        .join(':')
        .replace(/:index$/, ''),
    )
    .filter((id) => !plugin.manifest.commands[id])
  if (missing.length > 0) throw new Error(`oclif.manifest.json lacks ${missing.join(', ')}: src/commands holds commands and nothing else`)
  write(manifestFile, `${JSON.stringify(plugin.manifest, null, 2)}\n`)
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await withLock(root, async () => {
      if (process.argv.includes('--force') || !isBuilt()) await build()
    })
  } catch (error) {
    process.stderr.write(`build: ${error.detail ?? error.message}\n`)
    process.exitCode = 1
  }
}
