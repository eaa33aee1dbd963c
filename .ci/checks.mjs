// The checks of .ci/run, one after the other. Tests count one by one, every other step as one check; a step that
// throws has failed and the next goes on, so that one run shows everything that is wrong.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coverageFaults } from './coverage.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const scratch = mkdtempSync(join(tmpdir(), 'wf-ci-'))
const results = { passed: 0, failed: 0, skipped: 0 }
// Tests start processes of other users too, and those write their counts here as well.
const countsOfChildren = mkdtempSync(join(tmpdir(), 'wf-counts-'))
chmodSync(countsOfChildren, 0o777)
const started = Date.now()

await check('install and build', () => run('node', ['.ci/up-to-date.mjs']))
await check('a second look finds nothing to do', async () => {
  const { words } = await run('node', ['.ci/up-to-date.mjs'])
  if (words !== '') throw new Error('up-to-date installed or built again what was up to date')
})
await check('style and layers', () => run('npm', ['run', '--silent', 'lint']))
await check('types', () => run('npm', ['run', '--silent', 'types']))
await tests()
await check('lines covered', async () => {
  const faults = await coverageFaults(root, countsOfChildren)
  if (faults.length > 0) throw new Error(faults.join('\n'))
})
await check('the packed tarball in an empty folder', tarball)
await check('the demo in short form', () => run('npm', ['run', '--silent', 'demo', '--', '--short']))

if (!process.env.KEEP)
  for (const folder of [scratch, countsOfChildren]) rmSync(folder, { recursive: true, force: true })
const { passed, failed, skipped } = results
process.stdout.write(
  `\n${seconds(started)} s${skipped > 0 ? `, ${skipped} tests skipped` : ''}\n${passed} passed, ${failed} failed\n`,
)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

async function check(name, work) {
  process.stdout.write(`\n── ${name}\n`)
  const before = Date.now()
  try {
    await work()
    results.passed += 1
    process.stdout.write(`   ok, ${seconds(before)} s\n`)
  } catch (error) {
    results.failed += 1
    process.stdout.write(`   FAILED after ${seconds(before)} s: ${error.message}\n`)
  }
}

async function tests() {
  const report = join(scratch, 'tests.json')
  let counted = false
  await check('tests', async () => {
    const reporters = ['--no-color', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const ended = run('npm', ['test', '--', '--coverage', ...reporters], {
      env: { COUNT_CHILDREN_IN: countsOfChildren },
    })
    const error = await ended.then(
      () => null,
      (reason) => reason,
    )
    if (!existsSync(report)) throw error ?? new Error('vitest left no report')
    const { numPassedTests, numFailedTests, numPendingTests, numTotalTests } = JSON.parse(
      readFileSync(report, 'utf8'),
    )
    results.passed += numPassedTests
    results.failed += numFailedTests
    results.skipped += numPendingTests
    counted = numTotalTests > 0
    // A leak, an unhandled rejection, a file that cannot be loaded: no test failed, and yet the run did.
    if (error) throw error
  })
  if (!counted) results.failed += 1
}

/** What a stranger does: install the package where nothing is, type the first minute of the README, and run the test that came with it. */
async function tarball() {
  const empty = mkdtempSync(join(scratch, 'empty-'))
  await run('npm', ['pack', '--silent', '--pack-destination', scratch])
  const packed = join(
    scratch,
    readdirSync(scratch).find((file) => file.endsWith('.tgz')),
  )
  const typed =
    /## Sixty seconds\n\n```\n([\s\S]+?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  const commands = typed.replace('npm install wfkit', `npm install --no-audit --no-fund ${packed}`)
  if (commands === typed) throw new Error('the first minute of the README does not install the package')
  await run('bash', ['-exc', commands], { cwd: empty })
  const shop = { cwd: join(empty, 'shop') }
  const { items } = JSON.parse(
    (await run('npx', ['wf', 'jobs', 'list', '--json'], { ...shop, quiet: true })).stdout,
  )
  if (items.length !== 1 || items[0].state !== 'completed')
    throw new Error(`one completed job was expected, not ${JSON.stringify(items)}`)
  await run('node', ['--import', 'jiti/register', '--test', 'hello.test.ts'], { ...shop, quiet: true })
}

/** Shows what a command says as it says it; rejects unless it ends with 0. */
function run(command, args, { cwd = root, quiet = false, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    let stdout = ''
    let all = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      all += text
      if (!quiet) process.stdout.write(text)
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      all += text
      if (!quiet) process.stdout.write(text)
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve({ stdout, words: all })
      else
        reject(
          new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}${quiet ? `: ${all}` : ''}`),
        )
    })
  })
}

function seconds(since) {
  return ((Date.now() - since) / 1000).toFixed(1)
}
