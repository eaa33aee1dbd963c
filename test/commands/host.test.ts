/** Holds the host that runs most commands of these tests (support/cli-host.mjs) against processes of their own. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, type CliEnd } from '../support/cli.ts'
import { freshFolder } from '../support/processes.ts'

const lines = [
  ['--version'],
  ['--help'],
  ['jobs', '--help'],
  ['jobs', 'list'],
  ['jobs', 'list', '--json'],
  ['jobs', 'list', '--limit', '0'],
  ['jobs', 'list', '--nope'],
  ['jobs', 'show', '99'],
  ['jobs', 'shoe'],
  ['nope'],
  ['incidents', 'resolve', '--yes'],
  ['stats', '--json', '--no-color'],
  ['db', 'status'],
]

describe('a command in the host', () => {
  it.each(lines)('prints and ends as in a process of its own: wf %s %s %s', async (...args) => {
    const cwd = freshFolder()
    const store = join(cwd, 'wf.db')
    await cli(['enqueue', 'hello', '{}'], { store, cwd })
    const env = { COLUMNS: '100', WF_STORE: store }
    const words = args.filter((word) => word !== undefined)
    const own = await cli(words, { cwd, env, ownProcess: true })
    expect(seen(await cli(words, { cwd, env }))).toEqual(seen(own))
  })
})

/** Without what changes from one second to the next. */
function seen({ code, out, err }: CliEnd) {
  const steady = (text: string) =>
    text.replace(/\d+(\.\d+)? ?(ms|s)\b/g, '<time>').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
  return { code, out: steady(out), err: steady(err) }
}
