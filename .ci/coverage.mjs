// The share of lines that tests reach, by folder, held against what is demanded. Lines that only run in processes of
// their own (supervisor, child, commands) count too: those processes leave V8's counts behind (cover-children.ts), which
// are mapped from dist back to src and laid over what the test runner itself has seen.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const demanded = { text: 95, domain: 95, store: 95, engine: 95, worker: 95 }

/** A sentence for every folder that falls short. Reads coverage/coverage-final.json and the counts in `children`. */
export async function coverageFaults(root, children) {
  const { default: istanbul } = await import('istanbul-lib-coverage')
  const runner = istanbul.createCoverageMap(
    JSON.parse(readFileSync(join(root, 'coverage/coverage-final.json'), 'utf8')),
  )
  const elsewhere = istanbul.createCoverageMap(await coverageOfChildren(root, children))
  const files = runner.files().map((file) => {
    const lines = runner.fileCoverageFor(file).getLineCoverage()
    const more = elsewhere.files().includes(file) ? elsewhere.fileCoverageFor(file).getLineCoverage() : {}
    const missed = Object.keys(lines).filter((line) => !(lines[line] > 0 || more[line] > 0))
    return { file: file.slice(root.length + 1), total: Object.keys(lines).length, missed }
  })
  return Object.entries(demanded).flatMap(([folder, percent]) => shortfall(folder, percent, files))
}

function shortfall(folder, percent, files) {
  const own = files.filter(({ file }) => file.startsWith(`src/${folder}/`))
  const total = own.reduce((sum, file) => sum + file.total, 0)
  const missed = own.reduce((sum, file) => sum + file.missed.length, 0)
  const reached = total === 0 ? 0 : (100 * (total - missed)) / total
  process.stdout.write(`   src/${folder}: ${reached.toFixed(1)} % of ${total} lines\n`)
  if (reached >= percent) return []
  const where = own
    .filter((file) => file.missed.length > 0)
    .map(({ file, missed }) => `${file}:${missed.join(',')}`)
  return [
    `src/${folder}: ${reached.toFixed(1)} % of lines are covered, ${percent} % are demanded\n${where.join('\n')}`,
  ]
}

async function coverageOfChildren(root, folder) {
  if (!existsSync(folder)) return {}
  const { mergeProcessCovs } = await import('@bcoe/v8-coverage')
  const { convert } = await import('ast-v8-to-istanbul')
  const { parseAstAsync } = await import('vite')
  // Scripts of the tests are built beside dist.
  const built = ['dist/', 'dist.tests/'].map((folder) => pathToFileURL(join(root, folder)).href)
  const counts = readdirSync(folder).flatMap((file) => {
    const result = countsIn(join(folder, file))
    return { result: result.filter(({ url }) => built.some((folder) => url.startsWith(folder))) }
  })
  const maps = await Promise.all(
    mergeProcessCovs(counts).result.map(async (coverage) => {
      const file = fileURLToPath(coverage.url)
      if (!existsSync(`${file}.map`)) return {}
      const code = readFileSync(file, 'utf8')
      const sourceMap = JSON.parse(readFileSync(`${file}.map`, 'utf8'))
      return convert({ ast: parseAstAsync(code), code, coverage, sourceMap, wrapperLength: 0 })
    }),
  )
  return Object.assign({}, ...maps)
}

/** None of a process that was killed while it wrote them. */
function countsIn(file) {
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text).result
  } catch {
    return []
  }
}
