#!/usr/bin/env node
// Builds dist/ from src/ and oclif.manifest.json from dist/commands. Does nothing when nothing has changed.
//   node .ci/build.mjs [--force]
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.mjs'
import { withLock } from './lock.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const stamp = join(dist, '.build.json')
const manifestFile = join(root, 'oclif.manifest.json')

/** Whether dist and the manifest were made from the sources as they are now. */
export function isBuilt() {
  return existsSync(manifestFile) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()
}

/** Call it under the lock. Throws with what is wrong; what could be made is in dist all the same. */
export async function build() {
  const print = fingerprint()
  rmSync(stamp, { force: true })
  const staged = join(root, `dist.${process.pid}`)
  let mistakes = ''
  try {
    const [declared] = await Promise.all([
      declarations(staged),
      bundle({ root, outDir: staged, sources: sources() }),
    ])
    mistakes = declared
    for (const file of sources().filter((file) => !/\.tsx?$/.test(file)))
      cpSync(join(root, 'src', file), join(staged, file))
    replace(staged)
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
  await writeManifest()
  if (mistakes) throw new Error(`tsc found mistakes:\n${mistakes}`)
  write(stamp, print)
}

/** Those that somebody who imports the package can come to. Answers what tsc found wrong. */
async function declarations(staged) {
  const outDir = `${staged}.types`
  const typescript = join(root, 'node_modules/typescript/bin/tsc')
  try {
    const said = await output(process.execPath, [
      typescript,
      '-p',
      root,
      '--emitDeclarationOnly',
      '--outDir',
      outDir,
    ])
    const reached = new Set(['index.d.ts', join('testing', 'index.d.ts')])
    for (const file of reached) {
      const text = readFileSync(join(outDir, file), 'utf8')
      for (const [, path] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.(?:tsx?|js)['"]/g))
        reached.add(join(dirname(file), `${path}.d.ts`))
      write(join(staged, file), text)
    }
    return said
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

/** What a program says, if it does not end well. */
function output(command, args) {
  return new Promise((resolve, reject) => {
    execFile(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error)
      else resolve(error ? `${stdout}${stderr}` : '')
    })
  })
}

function sources() {
  return filesOf(join(root, 'src')).sort()
}

function fingerprint() {
  const hash = createHash('sha256').update(process.version)
  for (const file of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.ci/build.mjs',
    '.ci/bundle.mjs',
    ...sources().map((file) => join('src', file)),
  ]) {
    const { mtimeMs, size } = statSync(join(root, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex')
}

/** File by file, each by an atomic rename, so that a wf that starts meanwhile never reads half a module. */
function replace(staged) {
  const fresh = new Set(filesOf(staged))
  // What is shared before what imports it.
  for (const file of [...fresh].sort(
    (a, b) => Number(b.startsWith('chunks')) - Number(a.startsWith('chunks')),
  )) {
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
  if (missing.length > 0)
    throw new Error(
      `oclif.manifest.json lacks ${missing.join(', ')}: src/commands holds commands and nothing else`,
    )
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
