import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/text/width.ts'
import { calls } from '../support/calls.ts'
import { cli, manifestCommands, type CliEnd } from '../support/cli.ts'
import { hostileStore, secret, unsafe } from '../support/hostile-store.ts'
import { differences, documented } from '../support/json-shapes.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'

const ids = Object.keys(calls).sort()
const commands = manifestCommands()

/** Two at a time: as many as the machine has cores. */
async function each<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...list]
  await Promise.all(
    [1, 2].map(async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
    }),
  )
}

const storeArgs = (args: readonly string[], location: string) =>
  args.includes('--store') ? {} : { store: location }

/** Dozens of processes each. */
describe('every command', () => {
  it('is walked here', () => {
    expect(commands.map(({ id }) => id).sort()).toEqual(ids)
  })

  it('says what it is for, in general and by examples', () => {
    for (const { id, summary, description, examples, flags } of commands) {
      expect([
        id,
        /^[A-Z][^.]*[^.]$/.test(summary ?? ''),
        Boolean(description),
        (examples?.length ?? 0) > 0,
      ]).toEqual([id, true, true, true])
      expect([id, (summary ?? '').split(' ').length <= 10]).toEqual([id, true])
      for (const flag of ['store', 'json', 'no-color']) expect(flags).toHaveProperty(flag)
      for (const [name, flag] of Object.entries(flags))
        expect([id, name, Boolean(flag.summary)]).toEqual([id, name, true])
    }
  })

  it('shows how it is typed in one line of whole words', async () => {
    await each(ids, async (id) => {
      const { code, out } = await cli([...id.split(':'), '--help'])
      const usage = /USAGE\n([\s\S]*?)\n\n/.exec(out)?.[1] ?? ''
      expect([id, code, usage]).toEqual([id, 0, expect.stringContaining(`wf ${id.replace(':', ' ')}`)])
      for (const line of new Set(out.split('\n')))
        if (/^ +\S.{20}/.test(line)) expect([id, out.split(`${line}\n`).length - 1]).toEqual([id, 1])
      expect([id, /\|\s*\]|\[\s*\||\[\s*\]/.test(usage)]).toEqual([id, false])
    })
  })

  // B135
  it('prints exactly one JSON document with --json, as docs/json.md describes it, and nothing but it', async () => {
    const store = await hostileStore()
    const sections = documented()
    await each(ids, async (id) => {
      const { works, lines } = calls[id] ?? { works: () => [], lines: false }
      const args = [...works(store), '--json']
      const end = await cli(args, { store: store.location })
      expect([id, end.code, lines ? '' : end.err]).toEqual([id, 0, ''])
      const documents = lines
        ? end.out
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as unknown)
        : [end.json()]
      for (const document of documents) expect(document).toBeTypeOf('object')
      const name = `wf ${id.replace(':', ' ')}`
      const shown =
        id === 'run-worker' ? [] : documents.flatMap((document) => differences(document, name, sections))
      expect([name, sections.has(name), [...new Set(shown)]]).toEqual([name, true, []])
      expect(unsafe.exec(end.out)?.[0]).toBeUndefined()
      expect([id, secret.exec(end.out)?.[0]]).toEqual([id, undefined])
    })
  })

  // B135
  it('prints its error as the one document, with the exit code that it has without --json', async () => {
    const { location } = await hostileStore()
    await each(ids, async (id) => {
      const args = calls[id]?.fails ?? []
      const [json, words] = [
        await cli([...args, '--json'], storeArgs(args, location)),
        await cli(args, storeArgs(args, location)),
      ]
      const { error } = json.json<{ error: { code: string; message: string; hint: string } }>()
      expect([id, json.code === 0, json.err, words.out]).toEqual([id, false, '', ''])
      expect(words.code).toBe(json.code)
      expect(error).toMatchObject({
        code: expect.any(String),
        message: expect.any(String),
        hint: expect.any(String),
      })
      expect(words.err).not.toMatch(/^\s+at .*:\d+:\d+/m)
      expect(words.err).toContain('wf: ')
    })
  })

  // B135
  it('keeps standard output clean whatever DEBUG and NODE_ENV say', async () => {
    const store = await hostileStore()
    const noisy = {
      store: store.location,
      env: { DEBUG: '*', NODE_ENV: 'development', NODE_OPTIONS: '--trace-warnings --pending-deprecation' },
    }
    const [fine, wrong, unknown] = await Promise.all([
      cli(['jobs', 'list', '--json'], noisy),
      cli(['jobs', 'show', '4711', '--json'], noisy),
      cli(['jobs', 'lits', '--json'], noisy),
    ])
    expect([fine.code, wrong.code, unknown.code]).toEqual([0, 4, 2])
    for (const end of [fine, wrong, unknown]) expect(end.json()).toBeTypeOf('object')
    expect(wrong.err).toContain('.js:')
  })

  // A39
  it('lets no control byte reach the terminal and no secret be read, whatever stands in the store, and fits 80 columns', async () => {
    const store = await hostileStore()
    const look = async (id: string): Promise<readonly [string, CliEnd]> => {
      const args = calls[id]?.works(store) ?? []
      return [id, await cli(args, { store: store.location, env: { COLUMNS: '80' } })]
    }
    const tables = ids.filter((id) => id.endsWith(':list'))
    await each(
      ids.filter((id) => id !== 'run-worker'),
      async (id) => {
        const [, end] = await look(id)
        const said = `${end.out}${end.err}`
        expect([id, end.code, unsafe.exec(said)?.[0]]).toEqual([id, 0, undefined])
        expect([id, secret.exec(said)?.[0]]).toEqual([id, undefined])
        if (tables.includes(id))
          expect([id, Math.max(...end.out.split('\n').map(displayWidth)) <= 80]).toEqual([id, true])
      },
    )
  })

  // B145
  it('shows of what a job carries the same to people as to scripts, cut or in full', async () => {
    const store = await hostileStore()
    const look = async (...args: readonly string[]) => (await cli(args, { store: store.location })).out
    for (const [noun, key] of [
      ['jobs', store.completed],
      ['jobs', store.failed],
      ['incidents', store.failed],
      ['dlq', store.dead],
    ] as const) {
      const { variables } = JSON.parse(await look(noun, 'show', String(key), '--json')) as {
        variables: unknown
      }
      const words = await look(noun, 'show', String(key), '--full')
      for (const line of JSON.stringify(variables, null, 2).split('\n'))
        if (/^[ -~]*$/.test(line)) expect(words).toContain(line)
      expect(words).toContain('"cvv": "***"')
      expect(words).toContain('"pin": "***"')
    }
  })

  // A39
  it('shows hostile words of its own command line as escapes', async () => {
    const { location } = await hostileStore()
    const words = '\u001b[2J\u009b31m\r'
    const tried = await Promise.all([
      cli([words], {}),
      cli(['jobs', 'show', words], { store: location }),
      cli(['jobs', 'list', '--state', words], { store: location }),
      cli(['jobs', 'list', `--${words}`], { store: location }),
      cli(['enqueue', words], { store: location }),
      cli(['jobs', 'list'], { store: join(temporaryDirectory(), words) }),
      cli(['run-worker', words], { store: location }),
    ])
    for (const end of tried) {
      expect(end.code).not.toBe(0)
      expect(unsafe.exec(end.out + end.err)?.[0]).toBeUndefined()
    }
  })
})
