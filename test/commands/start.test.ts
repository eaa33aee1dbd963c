import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cli, root } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

const dist = pathToFileURL(join(root, 'dist')).href

/** Every module that a run of wf loaded, as V8 reports it. */
async function loadedBy(args: readonly string[], store?: string): Promise<readonly string[]> {
  const folder = temporaryDirectory()
  const end = await cli(args, { env: { NODE_V8_COVERAGE: folder }, ...(store === undefined ? {} : { store }) })
  expect(end.code).toBe(0)
  return readdirSync(folder).flatMap((file) => {
    const report = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] }
    return report.result.map(({ url }) => url).filter((url) => url.startsWith('file:'))
  })
}

describe('starting', () => {
  it('B140 comes with a manifest, in the package too', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
    expect(files).toContain('oclif.manifest.json')
    expect(readdirSync(root)).toContain('oclif.manifest.json')
  })

  it('B140 loads no command for --version and --help', async () => {
    for (const args of [['--version'], ['--help']]) {
      const own = (await loadedBy(args)).filter((url) => url.startsWith(dist))
      expect(own).toEqual([])
    }
  })

  it('B140 a list loads neither what writes, nor what runs handlers, nor colours', async () => {
    const { location } = await seededStore()
    const loaded = await loadedBy(['jobs', 'list'], location)
    expect(loaded.filter((url) => /node_modules\/(jiti|zod|pino|chalk|p-retry)\//.test(url))).toEqual([])
    expect(loaded.filter((url) => /\/dist\/(worker|metrics|resilience)\//.test(url))).toEqual([])
    expect(loaded.filter((url) => url.includes('/dist/commands/'))).toHaveLength(1)
    expect(loaded.filter((url) => url.endsWith('/sqlite-store.js'))).toEqual([])
  })

  it('shows its commands when nothing is typed, and those of a topic', async () => {
    const [all, topic, help] = await Promise.all([cli([]), cli(['jobs']), cli(['help', 'jobs', 'list'])])
    expect(all.out).toContain('run-worker')
    expect(topic.out).toContain('jobs retry')
    expect(help).toMatchObject({ code: 2, err: 'wf: there is no command "help"\n    try: wf jobs list --help\n' })
  })
})
