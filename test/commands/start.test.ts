import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cli, root } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

interface Loaded {
  /** Modules of ours, as paths in src, whatever chunks they are in. */
  own: readonly string[]
  /** Names of packages that stayed outside dist. */
  packages: readonly string[]
}

/** Everything that a run of wf loaded, as V8 reports it. */
async function loadedBy(args: readonly string[], store?: string): Promise<Loaded> {
  const folder = temporaryDirectory()
  const end = await cli(args, { env: { NODE_V8_COVERAGE: folder }, ...(store === undefined ? {} : { store }) })
  expect(end.code, end.err).toBe(0)
  const files = readdirSync(folder).flatMap((file) => {
    const report = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] }
    return report.result.map(({ url }) => url).filter((url) => url.startsWith('file:'))
  })
  const paths = files.map((url) => fileURLToPath(url))
  return {
    own: [...new Set(paths.filter((path) => path.startsWith(join(root, 'dist'))).flatMap(sourcesOf))].sort(),
    packages: [...new Set(paths.flatMap((path) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1] ?? []))].sort(),
  }
}

function sourcesOf(built: string): readonly string[] {
  if (!existsSync(`${built}.map`)) return []
  const { sources } = JSON.parse(readFileSync(`${built}.map`, 'utf8')) as { sources: string[] }
  const inSource = sources.map((source) =>
    relative(join(root, 'src'), resolve(dirname(built), source))
      .split('\\')
      .join('/'),
  )
  return inSource.filter((source) => !source.startsWith('..'))
}

describe('starting', () => {
  it('B140 comes with a manifest, in the package too', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
    expect(files).toContain('oclif.manifest.json')
    expect(readdirSync(root)).toContain('oclif.manifest.json')
  })

  it('B140 loads no command for --version and --help, and no package beside what was built in', async () => {
    for (const args of [['--version'], ['--help']]) expect(await loadedBy(args)).toEqual({ own: ['cli/run.ts'], packages: [] })
  })

  it('B140 a list loads neither what writes, nor what runs handlers, nor colours', async () => {
    const { location } = await seededStore()
    const { own, packages } = await loadedBy(['jobs', 'list'], location)
    expect(packages).toEqual(['better-sqlite3', 'bindings', 'file-uri-to-path'])
    expect(own.filter((path) => /^(worker|metrics|resilience|tui|http)\//.test(path))).toEqual([])
    expect(own.filter((path) => path.startsWith('commands/'))).toEqual(['commands/jobs/list.ts'])
    expect(own).not.toContain('store/sqlite/sqlite-store.ts')
  })

  it('B140 an inline worker of a module that Node.js reads by itself loads no transpiler', async () => {
    const { location } = await seededStore()
    const handler = join(temporaryDirectory(), 'noop.mjs')
    writeFileSync(handler, "export default { type: 'noop', run() {} }")
    const { own, packages } = await loadedBy(['run-worker', handler, '--inline', '--until-empty'], location)
    expect(own).toContain('worker/native-import.ts')
    expect(packages).not.toContain('jiti')
  })

  it('names the sources in the trace of a DEBUG run', async () => {
    const { err } = await cli(['jobs', 'list'], { store: join(temporaryDirectory(), 'none.db'), env: { DEBUG: 'wf' } })
    expect(err).toMatch(/ at .*[\\/]src[\\/]store[\\/]sqlite[\\/]\S+\.ts:\d+:\d+/)
  })

  it('shows its commands when nothing is typed, and those of a topic', async () => {
    const [all, topic, help] = await Promise.all([cli([]), cli(['jobs']), cli(['help', 'jobs', 'list'])])
    expect(all.out).toContain('run-worker')
    expect(topic.out).toContain('jobs retry')
    expect(help).toMatchObject({ code: 2, err: 'wf: there is no command "help"\n    try: wf jobs list --help\n' })
  })
})
