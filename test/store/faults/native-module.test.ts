import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app.ts'
import { loadConfig } from '../../../src/config.ts'
import { root } from '../../support/processes.ts'

/** The package as it is installed, with a native module of its own that a test can spoil. */
const installed = mkdtempSync(join(tmpdir(), 'wf-installed-'))
const native = join(installed, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node')
/** Of the test's own, made with the module that works. */
const store = join(installed, 'wf.db')
const original = readFileSync(join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))

beforeAll(() => {
  for (const name of ['dist', 'bin', 'package.json', 'oclif.manifest.json'])
    cpSync(join(root, name), join(installed, name), { recursive: true })
  const modules = join(installed, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== 'better-sqlite3')
      symlinkSync(realpathSync(join(root, 'node_modules', name)), join(modules, name))
  }
  for (const name of ['lib', 'package.json']) {
    cpSync(join(root, 'node_modules/better-sqlite3', name), join(modules, 'better-sqlite3', name), {
      recursive: true,
    })
  }
  mkdirSync(join(native, '..'), { recursive: true })
})
afterAll(() => rmSync(installed, { recursive: true, force: true }))

const spoilt: Readonly<Record<string, () => void>> = {
  'is of another ABI': () => writeFileSync(native, original),
  'is missing': () => rmSync(native, { force: true }),
  'was cut while it was written': () => {
    writeFileSync(native, original)
    truncateSync(native, 30)
  },
  'is of another platform': () => writeFileSync(native, 'MZ not an ELF file'),
}

/** What the loader of Node.js says of a module of another ABI, word for word; a whole module of another one is not at hand. */
const otherAbi = join(installed, 'other-abi.cjs')
writeFileSync(
  otherAbi,
  `process.dlopen = (_, file) => {
    const words = \`The module '\${file}'\\nwas compiled against a different Node.js version using\\nNODE_MODULE_VERSION 108. This version of Node.js requires\\nNODE_MODULE_VERSION \${process.versions.modules}. Please try re-compiling or re-installing\\nthe module (for instance, using \\\`npm rebuild\\\` or \\\`npm install\\\`).\`
    throw Object.assign(new Error(words), { code: 'ERR_DLOPEN_FAILED' })
  }`,
)

interface End {
  code: number | null
  out: string
  err: string
}

function wf(options: string, ...args: string[]): Promise<End> {
  const child = spawn(process.execPath, [join(installed, 'bin/run.js'), ...args], {
    cwd: installed,
    env: { ...process.env, NO_COLOR: '1', DEBUG: '', NODE_ENV: '', NODE_OPTIONS: options },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString()
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })))
}

describe('where the native module', () => {
  beforeAll(async () => {
    const made = await openStore({
      location: store,
      mode: 'write',
      create: true,
      config: await loadConfig({}),
    })
    await made.close()
  })

  // B099
  it.each(Object.entries(spoilt))(
    '%s, help and version work, and every other command says in one line what to do',
    async (what, spoil) => {
      spoil()
      const run = (...args: string[]) =>
        wf(what === 'is of another ABI' ? `--require ${otherAbi}` : '', ...args)
      const handler = join(installed, 'handler.mjs')
      const unmade = join(installed, 'unmade.db')
      writeFileSync(handler, 'export default async function handler() {}')
      const [version, help, ...others] = await Promise.all([
        run('--version'),
        run('--help'),
        run('enqueue', 't', '{}', '--store', unmade),
        run('run-worker', handler, '--until-empty', '--store', unmade),
      ])
      expect(existsSync(unmade)).toBe(false)
      for (const end of [version, help]) expect(end).toMatchObject({ code: 0, err: '' })
      const { message, hint } = expectTold(await run('jobs', 'list', '--json', '--store', store))
      expect(message).toContain(`Node.js ${process.version}`)
      expect(message).not.toContain('\n')
      if (what === 'is of another ABI') expect(message).toMatch(/built for ABI 108$/)
      expect(hint).toContain('npm rebuild better-sqlite3')
      for (const end of others) {
        expect(end.code, end.err).toBe(3)
        expect(end.err).toContain(`Node.js ${process.version}`)
        expect(end.err).toContain(`ABI ${process.versions.modules}`)
        expect(end.err).toContain('npm rebuild better-sqlite3')
        expect(end.err).not.toMatch(/^\s+at /m)
      }
    },
  )
})

function expectTold({ code, out, err }: End): { message: string; hint: string } {
  expect(code, err).toBe(3)
  const { error } = JSON.parse(out) as { error: { code: string; message: string; hint: string } }
  expect(error.code).toBe('store_unavailable')
  return error
}
