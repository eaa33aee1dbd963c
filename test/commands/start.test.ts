import { long } from '../support/long.ts'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { calls } from '../support/calls.ts'
import { cli, root } from '../support/cli.ts'
import { hostileStore } from '../support/hostile-store.ts'
import { loadedBy } from '../support/loaded-modules.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

/** Files that an entry of the bundle imports statically, itself included. */
function importedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import) ?"(\.[^"]*)"/g))
    importedBy(resolve(dirname(file), target), seen)
  return seen
}

describe('starting', () => {
  it.each(['index.js', 'testing/index.js', 'worker-process.js', 'tui/reader-thread.js'])(
    'loads no command line with %s',
    (entry) => {
      const files = [...importedBy(join(root, 'dist', entry))]
      expect(files.length).toBeGreaterThan(1)
      expect(files.filter((file) => /chunks\/(?:framework|cli)\.js$/.test(file))).toEqual([])
    },
  )

  // B140
  it('comes with a manifest, in the package too', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
    expect(files).toContain('oclif.manifest.json')
    expect(readdirSync(root)).toContain('oclif.manifest.json')
  })

  // B140
  it('loads no command for --version and --help, and no package beside what was built in', async () => {
    expect(await loadedBy(['--version'])).toEqual({ own: ['cli/run.ts'], packages: [] })
    expect(await loadedBy(['--help'])).toEqual({ own: ['cli/help.ts', 'cli/run.ts'], packages: [] })
  })

  // B140
  it('a list loads neither what writes, nor what runs handlers, nor colours', async () => {
    const { location } = await seededStore()
    const { own, packages } = await loadedBy(['jobs', 'list'], location)
    expect(packages).toEqual(['better-sqlite3', 'bindings', 'file-uri-to-path'])
    expect(own.filter((path) => /^(worker|metrics|resilience|tui|http)\//.test(path))).toEqual([])
    expect(own.filter((path) => path.startsWith('commands/'))).toEqual(['commands/jobs/list.ts'])
    expect(own).not.toContain('store/sqlite/sqlite-store.ts')
  })

  // B140
  it('an inline worker of a module that Node.js reads by itself loads no transpiler', async () => {
    const { location } = await seededStore()
    const handler = join(temporaryDirectory(), 'noop.mjs')
    writeFileSync(handler, "export default { type: 'noop', run() {} }")
    const { own, packages } = await loadedBy(['run-worker', handler, '--inline', '--until-empty'], location)
    expect(own).toContain('worker/handler/native-import.ts')
    expect(packages).not.toContain('jiti')
  })

  it('names the sources in the trace of a DEBUG run', async () => {
    const { err } = await cli(['jobs', 'list'], {
      store: join(temporaryDirectory(), 'none.db'),
      env: { DEBUG: 'wf' },
    })
    expect(err).toMatch(/ at .*[\\/]src[\\/]store[\\/]sqlite[\\/]\S+\.ts:\d+:\d+/)
  })

  it('shows its commands when nothing is typed, and those of a topic', async () => {
    const [all, topic, help] = await Promise.all([cli([]), cli(['jobs']), cli(['help', 'jobs', 'list'])])
    expect(all.out).toContain('run-worker')
    expect(topic.out).toContain('jobs retry')
    expect(help).toMatchObject({
      code: 2,
      err: 'wf: unknown command "help"\n    try: wf jobs list --help\n',
    })
  })

  // B135 B139
  it('takes flags without a verb for a slip, not for a question for help', async () => {
    for (const args of [
      ['jobs', '--json'],
      ['--json'],
      ['--json', 'jobs', 'list'],
      ['incidents', '--type', 'mail', '--json'],
    ]) {
      const end = await cli(args)
      expect([args, end.code, end.err]).toEqual([args, 2, ''])
      expect(end.json()).toMatchObject({
        error: { code: 'usage', message: expect.stringContaining('unknown command') },
      })
    }
    const end = await cli(['jobs', '--limit', '5'])
    expect(end).toMatchObject({ code: 2, out: '' })
    expect(end.err).toContain('did you mean wf jobs')
    expect(await cli(['jobs', '--help'])).toMatchObject({ code: 0, err: '' })
  })

  // B140
  it('every command loads the heavy packages that it needs, and no other', async () => {
    const store = await hostileStore()
    const heavy = ['better-sqlite3', 'jiti', 'ink', 'react', 'pino', 'yoga-layout']
    const needs: Readonly<Record<string, readonly string[]>> = {
      completion: [],
      'run-worker': ['better-sqlite3', 'pino'],
    }
    // Init reads the settings that it has written, and a worker the options of its handlers.
    const checks = ['init', 'run-worker']
    for (const [id, { works }] of Object.entries(calls).filter(
      ([id], index) => long || id in needs || index % 4 === 0,
    )) {
      const { own, packages } = await loadedBy(works(store), store.location)
      expect([id, own.includes('text/schema.ts')]).toEqual([id, checks.includes(id)])
      expect([id, packages.filter((name) => heavy.includes(name))]).toEqual([
        id,
        needs[id] ?? ['better-sqlite3'],
      ])
    }
  })
})
