import { long } from '../support/long.ts'
import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, shell } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'
import { seededStore } from '../support/seeded-store.ts'

async function crowded(count: number): Promise<string> {
  const { location, engine } = await seededStore()
  const type = `a-type-with-a-rather-long-name-${'x'.repeat(60)}`
  for (let left = count; left > 0; left -= 1_000)
    await engine.enqueue(Array.from({ length: Math.min(left, 1_000) }, () => ({ type })))
  return location
}

describe('a reader that goes away', () => {
  // B132
  it('is no fault: nothing on standard error, exit 0', async () => {
    const location = await crowded(3_000)
    const readers = ['head -1', 'true', '(sleep 0.2; exit)']
    const commands = [
      'jobs list --limit 3000',
      'jobs list --limit 3000 --json',
      'jobs list --limit 3000 --ids',
      'types list',
      '--help',
      'tail --json --since 1d --for 1ms',
      'stats',
      'metrics',
      'completion zsh',
    ]
    for (const command of long ? commands : commands.slice(0, 5)) {
      const line = readers
        .map((reader) => `wf ${command} | ${reader} >/dev/null; echo "\${PIPESTATUS[0]}"`)
        .join('; ')
      const end = await shell(line, { env: { WF_STORE: location } })
      expect([command, end.out, end.err]).toEqual([command, '0\n0\n0\n', ''])
    }
  })

  // B132
  it('of keys is told on standard error when there are more than were asked for', async () => {
    const location = await crowded(60)
    const end = await cli(['jobs', 'list', '--ids'], { store: location })
    expect([end.code, end.out.trim().split('\n').length, end.err]).toEqual([
      0,
      50,
      'there are more: --limit, or --cursor 11\n',
    ])
    expect(await cli(['jobs', 'list', '--ids', '--limit', '60'], { store: location })).toMatchObject({
      code: 0,
      err: '',
    })
  })

  // B132
  it('and closed streams do not stop a command from doing its work', async () => {
    const cwd = temporaryDirectory()
    const end = await shell(
      'wf enqueue mail >&-; echo $?; wf enqueue mail 2>&-; echo $?; wf enqueue mail | true; wf jobs list --ids',
      { cwd },
    )
    expect(end.out.match(/^\d+$/gm)).toEqual(['0', '0', '3', '2', '1'])
  })
})

describe('a worker whose log nobody reads', () => {
  it.each(['supervised', 'inline'])(
    // B132
    'works on, and its exit code is that of its work (%s)',
    async (how) => {
      const { location, store } = await seededStore()
      const folder = temporaryDirectory()
      writeFileSync(
        join(folder, 'h.mjs'),
        "export default { type: 'mail', run() { console.log('said', 'much') } }\n",
      )
      const work = `wf run-worker h.mjs --until-empty${how === 'inline' ? ' --inline' : ''}`
      const readers = ['| true', '>&-', '2>&- >&-', '>/dev/full 2>/dev/full']
      for (const [index, reader] of readers.entries()) {
        const end = await shell(
          `wf enqueue mail >/dev/null && ${work} ${reader}; echo "\${PIPESTATUS[0]}" >&2`,
          {
            cwd: folder,
            env: { WF_STORE: location, WF_LOG_LEVEL: 'debug' },
          },
        )
        expect([reader, end.err.split('\n').filter((line) => !line.startsWith('said'))]).toEqual([
          reader,
          ['0', ''],
        ])
        expect([reader, (await store.jobs({ states: ['completed'] }, { limit: 10 })).items.length]).toEqual([
          reader,
          index + 1,
        ])
      }
    },
    60_000,
  )
})

describe('output that cannot be written', () => {
  // B133
  it('ends with 1 and one line of words, never as if all were there, help and version too', async () => {
    const { location, raised } = await seededStore()
    await raised()
    for (const command of [
      '--help',
      '--version',
      'jobs',
      'jobs list --help',
      'jobs list',
      'jobs list --json',
      'stats',
      'enqueue mail',
    ]) {
      const end = await shell(`wf ${command} >/dev/full`, { env: { WF_STORE: location } })
      const words = /^wf: cannot write to standard output: ENOSPC[^\n]*\n$/
      expect([command, end.code, end.err]).toEqual([command, 1, expect.stringMatching(words)])
    }
  })
})

describe('large output', () => {
  // B133
  it('reaches a slow pipe to its last byte, as it does a file', async () => {
    const location = await crowded(13_000)
    const file = join(temporaryDirectory(), 'out.json')
    const end = await shell(
      `wf jobs list --json --limit 100000 > "${file}"; echo $?; wf jobs list --json --limit 100000 | (sleep 0.5; sha256sum); echo "\${PIPESTATUS[0]}"`,
      { env: { WF_STORE: location } },
    )
    const bytes = readFileSync(file)
    expect(bytes.length).toBeGreaterThan(8_000_000)
    expect(JSON.parse(bytes.toString()).items).toHaveLength(13_000)
    expect(end.out).toBe(`0\n${createHash('sha256').update(bytes).digest('hex')}  -\n0\n`)
  })

  // B133
  it('keeps the exit code of an error whose document is large', async () => {
    const { location } = await seededStore()
    const lines = Array.from({ length: 1_500 }, (_, index) => `oops ${index} ${'x'.repeat(100)}`)
    const end = await shell(`wf enqueue mail --bulk --json | (sleep 0.3; cat); exit "\${PIPESTATUS[0]}"`, {
      env: { WF_STORE: location },
      input: ['{}', ...lines].join('\n'),
    })
    expect(end.code).toBe(6)
    expect(end.out.length).toBeGreaterThan(65_536)
    expect(end.json<{ refusals: unknown[]; refused: number }>()).toMatchObject({ refused: 1_500 })
  })
})

describe('colours', () => {
  // B136
  it('stay out of pipes unless they are forced, and the state is always a word', async () => {
    const { location, raised } = await seededStore()
    await raised()
    // Seconds that pass between two of the processes must not show.
    const db = new Database(location)
    db.prepare('UPDATE wf_incidents SET created_at = 0').run()
    db.close()
    const list = (env: Record<string, string>, ...args: readonly string[]) =>
      cli(['incidents', 'list', ...args], { store: location, env })
    const [plain, forced, refused, off, never] = await Promise.all([
      list({}),
      list({ FORCE_COLOR: '1' }),
      list({ FORCE_COLOR: '1' }, '--no-color'),
      list({ FORCE_COLOR: '0' }),
      list({ NO_COLOR: '1', TERM: 'dumb' }),
    ])
    expect(forced.out).toContain('\u001b[31mraised')
    for (const end of [plain, refused, off, never]) expect(end.out).not.toContain('\u001b')
    expect(forced.out.replace(/\u001b\[\d+m/g, '')).toBe(plain.out)
    const json = await list({ FORCE_COLOR: '3' }, '--json')
    expect(json.out).not.toContain('\u001b')
    const wrong = await cli(['incidents', 'list', '--limit', 'x'], {
      store: location,
      env: { FORCE_COLOR: '3' },
    })
    expect(wrong.err).toContain('\u001b[31m')
  })
})
