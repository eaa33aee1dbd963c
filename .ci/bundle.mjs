// What runs, made from src: a file for every module that something names by its path (commands, public entries, what
// processes and threads start with), and chunks of what they share. The packages that package.json lists under
// `dependencies` stay outside; whatever else src imports goes in, with its licence.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'

/** Beside the commands: the package's exports, the framework's hooks, and what is started by its path. */
const entries = [
  'index',
  'testing/index',
  'cli/run',
  'cli/command-not-found',
  'cli/help',
  'worker-process',
  'worker/child/parent-watchdog-thread',
  'tui/reader-thread',
]

/** What a module must be shared by to be loaded with all that are: a command then loads a few files instead of dozens. */
const sharers = 8

/** Writes modules, source maps and licences into `outDir`. `sources` are the files of src, relative to it. */
export async function bundle({ root, outDir, sources }) {
  const { rolldown } = await import('rolldown')
  const src = join(root, 'src')
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const outside = [...Object.keys(dependencies), ...neverReached]
  const inputs = [
    ...entries.map((entry) => `${entry}.ts`),
    ...sources.filter((file) => /^commands\/.*\.tsx?$/.test(slashed(file))),
  ]
  const built = await rolldown({
    input: Object.fromEntries(inputs.map((file) => [slashed(file).replace(/\.tsx?$/, ''), join(src, file)])),
    platform: 'node',
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    // The framework would look for its own package.json, which is not there, to compare versions of Node.js.
    transform: { target: 'node20', define: { 'process.env.OCLIF_DISABLE_ENGINE_WARNING': '"1"' } },
    plugins: [ownPlaces(src)],
    onLog: (level, log, handle) => log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT' && handle(level, log),
  })
  const { output } = await built.write({
    dir: outDir,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    // No hash: the names are in stack traces, by which incidents are grouped.
    chunkFileNames: 'chunks/[name].js',
    minifyInternalExports: false,
    comments: false,
    codeSplitting: { groups: groups(src) },
  })
  await built.close()
  // Nobody mends the framework from a trace.
  rmSync(join(outDir, 'chunks/framework.js.map'))
  writeFileSync(join(outDir, 'THIRD-PARTY-LICENSES.txt'), licences(output))
}

/** Loaded by the framework to run commands that are not compiled, or on Windows under Linux; for us it does not. */
const neverReached = ['typescript']

/** The command line must not come along with what the library and the workers' processes share, nor what calls need with what only reads. */
function groups(src) {
  const within = (pattern) => (id) => id.startsWith(src) && pattern.test(slashed(relative(src, id)))
  return [
    {
      name: 'framework',
      test: /[\\/]node_modules[\\/](?!wsl-utils|is-|zod|re2js|log-update|ansi-escapes|cli-cursor|restore-cursor|onetime|mimic-function|signal-exit|environment)/,
      priority: 3,
    },
    {
      name: 'base',
      test: within(
        /^(?!cli|terminal(?!\/time)|commands|tui|http|worker|metrics|resilience|engine\/breaker|views|text\/(width|truncate-middle))/,
      ),
      minShareCount: sharers,
      priority: 2,
    },
    {
      name: 'cli',
      test: within(/^(cli|terminal(?!\/time)|views|text\/(width|truncate-middle))/),
      minShareCount: sharers,
      priority: 1,
    },
  ]
}

/** A module that is part of a chunk still says `import.meta.url` as if it lay where its source does. */
function ownPlaces(src) {
  const mark = /"wf:place:(.+?)"/g
  return {
    name: 'own-places',
    transform(code, id) {
      if (!id.startsWith(src) || !code.includes('import.meta.url')) return null
      const own = slashed(relative(src, id)).replace(/\.tsx?$/, '.js')
      return { code: code.replaceAll('import.meta.url', `("wf:place:${own}")`), map: null }
    },
    renderChunk(code, { fileName }) {
      if (!code.includes('"wf:place:')) return null
      const place = (_, own) =>
        `new URL("${posix.relative(posix.dirname(fileName), own)}", import.meta.url).href`
      return { code: code.replace(mark, place), map: null }
    },
  }
}

/** The words of every package that went in. A package without a licence is no package to pass on. */
function licences(output) {
  const ids = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const folders = new Set(
    ids.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
  )
  const told = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    if (!file) throw new Error(`${name} goes into dist and comes without the words of its licence`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return ['Parts of these packages are in this folder, under the licences that follow.\n', ...told].join(
    `\n${'-'.repeat(80)}\n\n`,
  )
}

function slashed(path) {
  return path.split('\\').join('/')
}
