/** The files that `wf init` writes: a working handler, its test, the settings. */
import { basename } from 'node:path'

export interface InitFile {
  name: string
  /** What the file is, for the output. */
  what: string
  text: string
}

const handler = `// A handler for jobs of the type \`hello\`.
//
//   npx wf enqueue hello '{"name":"Ada"}'
//   npx wf run-worker hello.ts
import { defineHandler, PoisonError } from 'wfkit'

export default defineHandler({
  // The type is the queue.
  type: 'hello',

  // Executions in all: each throw spends one, and the next attempt starts 1 s, 2 s, 4 s … later. After the last one wf
  // opens an incident: wf incidents list.
  retries: 3,

  // Limit of one attempt. ctx.signal aborts shortly before it: pass it to whatever you await.
  timeout: '30s',

  async run({ variables }, ctx) {
    const { name } = variables
    // A job whose variables can never succeed becomes a dead letter: wf dlq list. A schema, such as one of zod, checks
    // them for you and gives them types: \`variables: z.object({ name: z.string() })\`.
    if (typeof name !== 'string') throw new PoisonError('name is missing')

    // A worker can die at any moment, and the job then starts again: external effects can happen twice.
    // ctx.idempotencyKey is the same for all attempts; send it with each request.
    ctx.log.info(\`saying hello to \${name}\`)

    return { greeting: \`Hello, \${name}!\` }
  },
})
`

const test = `// node --import jiti/register --test hello.test.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runHandler } from 'wfkit/testing'
import hello from './hello.ts'

test('greets by name', async () => {
  const run = await runHandler(hello, { name: 'Ada' })
  assert.deepEqual(run.result, { greeting: 'Hello, Ada!' })
})

test('makes a job without a name a dead letter', async () => {
  const run = await runHandler(hello, {})
  assert.equal(run.incident, 'poison_message')
})
`

const config = `{
  "store": "./wf.db",
  "retention": { "finished": "7d", "deadLetters": "90d" }
}
`

/** @param directory absolute; names the package */
export function initFiles(directory: string, version: string): readonly InitFile[] {
  return [
    { name: 'hello.ts', what: 'a handler for jobs of the type hello', text: handler },
    { name: 'hello.test.ts', what: 'its test', text: test },
    { name: 'wf.config.json', what: 'settings', text: config },
    { name: 'package.json', what: 'scripts and dependencies', text: packageText(directory, version) },
  ]
}

function packageText(directory: string, version: string): string {
  const manifest = {
    name: packageName(basename(directory)),
    private: true,
    type: 'module',
    scripts: { worker: 'wf run-worker hello.ts', test: 'node --import jiti/register --test hello.test.ts' },
    dependencies: { wfkit: `^${version}` },
    devDependencies: { jiti: '^2.7.0' },
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Returns a valid package name: lower case, URL-safe. */
function packageName(folder: string): string {
  return (
    folder
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'jobs'
  )
}
