import { afterEach, describe, expect, it, vi } from 'vitest'
import { DetailedError, reportError, toWfError } from '../../src/cli/errors.ts'
import { exitCodeOf } from '../../src/cli/exit-codes.ts'
import { createOutput } from '../../src/terminal/output.ts'
import { WfError } from '../../src/errors.ts'
import { memorySinks } from '../support/memory-sinks.ts'

async function report(error: unknown, { json = false } = {}) {
  const sinks = memorySinks()
  const output = await createOutput({ sinks, env: {}, json, noColour: true })
  return { code: reportError(error, output, 'jobs list'), out: sinks.out.text, err: sinks.err.text }
}

describe('an error', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it('is told in a line what, a line why and a line what to try', async () => {
    const error = new WfError('store_full', 'the store cannot be used\nthe disk is full', {
      hint: 'free some space',
    })
    expect(await report(error)).toEqual({
      code: 3,
      out: '',
      err: 'wf: the store cannot be used\n    the disk is full\n    try: free some space\n',
    })
  })

  it('is one document with --json, and nothing else', async () => {
    const { code, out, err } = await report(
      new DetailedError('wait_timeout', 'too long', { hint: 'wait', details: { key: 7 } }),
      { json: true },
    )
    expect([code, err]).toEqual([7, ''])
    expect(JSON.parse(out)).toEqual({
      error: { code: 'wait_timeout', message: 'too long', hint: 'wait', key: 7 },
    })
  })

  it('prints a stack of an unexpected error only with DEBUG, with secrets masked', async () => {
    expect((await report(new TypeError('x is not a function'))).err).toBe(
      'wf: x is not a function\n    try: run it again with DEBUG=wf to see the stack\n',
    )
    vi.stubEnv('DEBUG', 'wf')
    expect((await report(new TypeError('x is not a function'))).err).toContain('errors.test.ts')
    expect((await report(new TypeError('password=hunter2 \u001b[2J'))).err).not.toMatch(/hunter2|\u001b/)
  })

  it.each([null, undefined, 'text', 7])('may be %j', async (thrown) => {
    expect(await report(thrown)).toMatchObject({ code: 1, out: '' })
  })

  it('shows no secret and no control character of what caused it', async () => {
    const { err } = await report(
      new WfError('usage', 'cannot reach https://u:hunter2@host \u001b[2J', {
        cause: new Error('password=hunter2'),
      }),
    )
    expect(err).not.toContain('hunter2')
    expect(err).not.toContain('\u001b')
  })
})

describe('a complaint of the framework', () => {
  const complaint = (message: string, members: object) =>
    toWfError(Object.assign(new Error(message), { oclif: { exit: 2 } }, members), 'jobs list')

  it.each([
    ['--ids=true cannot also be provided when using --bulk', '--ids cannot be combined with --bulk'],
    [
      '--ids=a b cannot also be provided when using --bulk\n  --bulk=true cannot also be provided when using --ids',
      '--ids cannot be combined with --bulk',
    ],
    ['All of the following must be provided when using --add: --set', '--add needs --set'],
    ['Missing required flag type', '--type is missing'],
    ['Flag --limit expects a value', '--limit needs a value'],
    ['Something new happened', 'something new happened'],
  ])('%s is told in our words', (message, words) => {
    const framed = `The following error occurred:\n  \u001b[2m${message}\u001b[22m\nSee more help with --help`
    expect(complaint(framed, {}).message).toBe(words)
  })

  it('about flags names the flag that was meant', () => {
    const error = complaint('Nonexistent flag: --limt', {
      flags: ['--limt=5'],
      parse: { input: { flags: { limit: {}, type: {} } } },
    })
    expect(error).toMatchObject({
      code: 'usage',
      message: 'unknown flag --limt=5',
      hint: 'did you mean --limit? wf jobs list --help lists them all',
    })
  })

  it('about arguments names them', () => {
    expect(complaint('Missing 1 required arg', { args: [{ name: 'key' }] }).message).toBe('KEY is missing')
    expect(complaint('Unexpected argument', { args: ['stray'] }).message).toContain('"stray"')
  })

  it('loses its decoration', () => {
    expect(
      complaint(
        'The following error occurred:\n  \u001b[2m--a cannot also be provided when using --b\u001b[22m\nSee more help with --help',
        {},
      ).message,
    ).toBe('--a cannot be combined with --b')
    expect(complaint('Flag --limit expects a value', {}).message).toBe('--limit needs a value')
  })
})

describe('exit codes', () => {
  // B139
  it('tell apart what a script must tell apart', () => {
    const codes = {
      usage: 2,
      store_missing: 3,
      store_locked: 3,
      store_corrupt: 3,
      outcome_unknown: 3,
      not_found: 4,
      conflict: 5,
      partly_done: 6,
      wait_timeout: 7,
      schema_newer: 8,
      schema_older: 8,
      job_not_successful: 10,
      handler_load_failed: 11,
      backlog_full: 12,
      unexpected: 1,
    } as const
    for (const [code, exit] of Object.entries(codes))
      expect([code, exitCodeOf(code as keyof typeof codes)]).toEqual([code, exit])
  })
})
