import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { cli, type CliEnd } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'

/** A store that a command made, with one job in it, and that nobody has open. */
async function smallStore(): Promise<string> {
  const path = join(temporaryDirectory(), 'wf.db')
  expect((await cli(['enqueue', 'mail', '{"to":"ada"}', '--store', path])).code).toBe(0)
  return path
}

const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
const beside = (path: string) => readdirSync(join(path, '..')).sort()

function alter(path: string, sql: string): void {
  const db = new Database(path)
  db.exec(sql)
  db.pragma('journal_mode = DELETE')
  db.close()
}

const codeOf = (end: CliEnd) =>
  end.json<{ error: { code: string; message: string; hint: string } }>().error.code

describe('a store of another version', () => {
  // A36
  it('refuses a newer one, whoever asks, and leaves every byte of it', async () => {
    const path = await smallStore()
    alter(path, "INSERT INTO wf_migrations (version, name, applied_at) VALUES (999, 'from the future', 0)")
    const [bytes, files] = [digest(path), beside(path)]
    const asked = await Promise.all(
      [
        ['jobs', 'list'],
        ['enqueue', 'mail'],
        ['incidents', 'resolve'],
        ['db', 'migrate'],
        ['db', 'status'],
      ].map((args) => cli([...args, '--json'], { store: path })),
    )
    expect(asked.map(({ code }) => code)).toEqual([8, 8, 8, 8, 8])
    expect(asked.map(codeOf)).toEqual(Array.from({ length: 5 }, () => 'schema_newer'))
    expect(digest(path)).toBe(bytes)
    expect(beside(path)).toEqual(files)
  })

  it('db migrate says what it found', async () => {
    const path = await smallStore()
    const end = await cli(['db', 'migrate', '--json'], { store: path })
    expect(end.code).toBe(0)
    expect(end.json()).toMatchObject({ location: path, changed: false })
    expect((await cli(['db', 'migrate'], { store: path })).out).toContain('up to date at schema version')
    const none = join(temporaryDirectory(), 'none.db')
    expect((await cli(['db', 'migrate'], { store: none })).code).toBe(3)
    expect(existsSync(none)).toBe(false)
  })

  it('db status says where it is and what is in it', async () => {
    const path = await smallStore()
    const end = await cli(['db', 'status', '--json'], { store: path })
    expect(end.json()).toMatchObject({
      location: path,
      jobs: { available: 1 },
      workers: { alive: 0, gone: 0 },
    })
    expect((await cli(['db', 'status'], { store: path })).out).toContain('1 available')
  })
})

describe('a store that cannot be read', () => {
  // B088
  it('is told from an empty one, and never made by looking', async () => {
    const folder = temporaryDirectory()
    const missing = join(folder, 'sub', 'wf.db')
    const noise = join(folder, 'noise.db')
    writeFileSync(noise, 'this is no database at all, but long enough to be one. '.repeat(100))
    const empty = join(folder, 'empty.db')
    writeFileSync(empty, '')
    const foreign = join(folder, 'foreign.db')
    alter(foreign, 'CREATE TABLE customers (id INTEGER PRIMARY KEY)')
    mkdirSync(join(folder, 'directory.db'))
    const looks = await Promise.all(
      [missing, noise, empty, foreign, join(folder, 'directory.db')].map((path) =>
        cli(['jobs', 'list', '--json'], { store: path }),
      ),
    )
    expect(looks.map(({ code }) => code)).toEqual([3, 3, 3, 3, 3])
    expect(looks.map(codeOf)).toEqual([
      'store_missing',
      'store_corrupt',
      'store_missing',
      'store_missing',
      'store_unavailable',
    ])
    for (const end of looks)
      expect(end.json<{ error: { message: string } }>().error.message).toContain(folder)
    expect(existsSync(join(folder, 'sub'))).toBe(false)
    expect(readFileSync(empty)).toHaveLength(0)
  })

  // B088
  it.skipIf(process.getuid?.() !== 0)(
    'works for a user who may only read, or says which file and why',
    async () => {
      const readable = await smallStore()
      chmodSync(readable, 0o444)
      chmodSync(join(readable, '..'), 0o777)
      const look = await cli(['jobs', 'list', '--json'], { store: readable, uid: 65_534 })
      expect(look).toMatchObject({ code: 0, err: '' })
      expect(look.json<{ items: unknown[] }>().items).toHaveLength(1)

      const path = await smallStore()
      chmodSync(path, 0o444)
      chmodSync(join(path, '..'), 0o555)
      const other = { store: path, uid: 65_534 }
      const [closed, write] = await Promise.all([
        cli(['jobs', 'list', '--json'], other),
        cli(['enqueue', 'mail', '--json'], other),
      ])
      chmodSync(path, 0o000)
      const unseen = await cli(['jobs', 'list', '--json'], other)
      for (const end of [closed, write, unseen]) {
        expect(end).toMatchObject({ code: 3, err: '' })
        expect(end.out).toContain(path)
      }
      expect(codeOf(write)).toBe('store_read_only')
    },
  )
})

describe('where the store is', () => {
  it('the flag wins over WF_STORE, which wins over wf.config.json, which wins over ./wf.db', async () => {
    const cwd = temporaryDirectory()
    const where = async (args: readonly string[], env: Record<string, string> = {}) => {
      const { message } = (await cli(['jobs', 'list', '--json', ...args], { cwd, env })).json<{
        error: { message: string }
      }>().error
      return /no store at (\S+):/.exec(message)?.[1]?.replace(`${cwd}/`, '')
    }
    const found = [await where([])]
    writeFileSync(join(cwd, 'wf.config.json'), '{"store":"./file.db"}')
    found.push(
      await where([]),
      await where([], { WF_STORE: './env.db' }),
      await where(['--store', 'flag.db'], { WF_STORE: './env.db' }),
    )
    expect(found).toEqual(['wf.db', 'file.db', 'env.db', 'flag.db'])
  })

  // B137
  it('refuses a setting that cannot be read instead of falling back', async () => {
    const cwd = temporaryDirectory()
    for (const env of [{ WF_LEASE: 'abc' }, { WF_STORE: ' ' }, { WF_RETENTION_FINISHED: '-1' }] as Record<
      string,
      string
    >[]) {
      const end = await cli(['enqueue', 'mail'], { cwd, env })
      expect(end.code).toBe(2)
      expect(end.err).toContain(Object.keys(env)[0])
    }
    expect(readdirSync(cwd)).toEqual([])
  })
})
