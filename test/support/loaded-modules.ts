/** What a run of the built wf loaded. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { cli, root } from './cli.ts'
import { temporaryDirectory } from './open-test-store.ts'

export interface Loaded {
  /** Modules of ours, as paths in src, whatever chunks they are in. */
  own: readonly string[]
  /** Names of packages that stayed outside dist. */
  packages: readonly string[]
}

/** Everything that a run of wf loaded, as V8 reports it. */
export async function loadedBy(args: readonly string[], store?: string): Promise<Loaded> {
  const reports = temporaryDirectory()
  const preload = join(root, 'test/support/loaded-scripts.cjs')
  const end = await cli(args, {
    env: { NODE_OPTIONS: `--require ${preload}`, LOADED_SCRIPTS: reports },
    ...(store === undefined ? {} : { store }),
  })
  expect(end.code, end.err).toBe(0)
  const files = readdirSync(reports)
    .flatMap((report) => JSON.parse(readFileSync(join(reports, report), 'utf8')) as string[])
    .flatMap((url) => {
      if (url.startsWith('file:')) return [url]
      return url.startsWith('/') ? [pathToFileURL(url).href] : []
    })
  const paths = files.map((url) => fileURLToPath(url))
  return {
    own: [...new Set(paths.filter((path) => path.startsWith(join(root, 'dist'))).flatMap(sourcesOf))].sort(),
    packages: [
      ...new Set(
        paths.flatMap((path) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1] ?? []),
      ),
    ].sort(),
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
