import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, root, shell } from '../support/cli.ts'
import { temporaryDirectory } from '../support/open-test-store.ts'

const written = ['hello.test.ts', 'hello.ts', 'package.json', 'wf.config.json']

describe('wf init', () => {
  it('writes what runs at once', async () => {
    const cwd = temporaryDirectory()
    const end = await shell(
      `wf init && wf enqueue hello '{"name":"Ada"}' && wf run-worker hello.ts --until-empty && wf jobs show 1 --json | tee shown.json`,
      { cwd },
    )
    expect(end).toMatchObject({ code: 0 })
    expect(end.err).toContain(`created the store ${join(cwd, 'wf.db')}`)
    expect(JSON.parse(readFileSync(join(cwd, 'shown.json'), 'utf8'))).toMatchObject({
      state: 'completed',
      result: { greeting: 'Hello, Ada!' },
    })
  })

  it('writes a test that passes', async () => {
    const cwd = temporaryDirectory()
    await cli(['init'], { cwd })
    mkdirSync(join(cwd, 'node_modules'))
    symlinkSync(root, join(cwd, 'node_modules/wfkit'))
    symlinkSync(join(root, 'node_modules/jiti'), join(cwd, 'node_modules/jiti'))
    const { NODE_OPTIONS: _, NODE_ENV: __, ...env } = process.env
    const run = spawnSync(process.execPath, ['--import', 'jiti/register', '--test', 'hello.test.ts'], {
      cwd,
      encoding: 'utf8',
      env,
    })
    expect([run.status, run.stdout.includes('# pass 2')]).toEqual([0, true])
  })

  it('never overwrites a file, and says which it left', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'package.json'), '{"name":"mine"}')
    writeFileSync(join(cwd, 'hello.ts'), '// mine')
    const first = (await cli(['init', '--json'], { cwd })).json()
    expect(first).toMatchObject({
      directory: cwd,
      created: ['hello.test.ts', 'wf.config.json'],
      kept: ['hello.ts', 'package.json'],
      store: join(cwd, 'wf.db'),
    })
    expect(readFileSync(join(cwd, 'hello.ts'), 'utf8')).toBe('// mine')
    expect(readFileSync(join(cwd, 'package.json'), 'utf8')).toBe('{"name":"mine"}')
    const again = await cli(['init'], { cwd })
    expect(again).toMatchObject({ code: 0, err: '' })
    for (const name of written) expect(again.out).toMatch(new RegExp(`kept +${name}`))
  })

  it('makes a folder of its own, with its store in it', async () => {
    const cwd = temporaryDirectory()
    const end = await cli(['init', 'My Shop'], { cwd })
    expect(end.code).toBe(0)
    expect(end.out).toContain("cd 'My Shop'")
    expect(readdirSync(join(cwd, 'My Shop')).sort()).toEqual([...written, 'wf.db'])
    expect(JSON.parse(readFileSync(join(cwd, 'My Shop', 'package.json'), 'utf8')).name).toBe('my-shop')
    expect(readdirSync(cwd)).toEqual(['My Shop'])
  })

  it('puts the store where a flag says, and names it in what comes next', async () => {
    const cwd = temporaryDirectory()
    const end = await cli(['init', 'shop', '--store', 'stores/a.db'], { cwd })
    expect(end.out).toContain(`wf jobs list --store ${join(cwd, 'stores/a.db')}`)
    expect([existsSync(join(cwd, 'stores/a.db')), existsSync(join(cwd, 'shop/wf.db'))]).toEqual([true, false])
  })

  it('says why it cannot write', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'file'), '')
    const end = await cli(['init', 'file/shop'], { cwd })
    expect(end.code).toBe(2)
    expect(end.err).toContain('cannot write to')
  })
})
