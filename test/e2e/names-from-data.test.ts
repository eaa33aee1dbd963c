/** What stands in the store or comes from a producer chooses no module, no file and no command: a type is a key among the loaded handlers. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { wfBin } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

const names = [
  '../../bin/sh',
  '/bin/sh',
  'file:///etc/passwd',
  'data:text/javascript,process.exit(77)',
  'node:child_process',
  'https://evil.example/x.mjs',
  './other.mjs',
  'other',
  '$(touch owned)',
  '`touch owned`',
  "'; touch owned; '",
  '__proto__',
  'constructor',
]

/** Modules beside the handler that would tell if anybody imported them. */
function trap(scene: Scene): void {
  scene.handler('other', 'mark("ran")', '...(mark("imported"), {}),')
}

describe('names that come from data', () => {
  // B146
  it('select no module and run nothing, whether a producer hands them in or they stand in the rows of the store', async () => {
    const scene = await Scene.open()
    trap(scene)
    const file = scene.handler('mail', 'mark("mail")')
    await scene.enqueue(...names.map((type) => ({ type })), {
      type: 'mail',
      variables: { handler: '../../bin/sh', $: '$(touch owned)' },
    })
    const db = new Database(scene.db)
    db.prepare("INSERT INTO wf_types (type, breakers) VALUES ('file:///tmp/x.mjs', ?)").run(
      JSON.stringify(['../../bin/sh']),
    )
    db.prepare("UPDATE wf_jobs SET type = 'mail' || char(0) || '/../../bin/sh' WHERE type = '/bin/sh'").run()
    db.close()
    await scene.worker([file, '--until-empty'], { cwd: scene.folder }).exits(0)
    expect(scene.marks.lines).toEqual(['mail'])
    expect(await scene.counts()).toEqual({ completed: 1, available: names.length })
    expect(readdirSync(scene.folder)).not.toContain('owned')
  })

  // B146
  it('are quoted in every command that is shown to be copied: a shell takes each for one word', async () => {
    const scene = await Scene.open()
    const keys = await scene.enqueue(...names.map((type) => ({ type })))
    for (const [index, key] of keys.entries()) {
      await scene.engine.pauseTypes([names[index] ?? ''], { paused: true, reason: null, who: 'ann' })
      const { commands } = (await cli(['jobs', 'explain', String(key), '--json'], { store: scene.db })).json<{
        commands: { command: string }[]
      }>()
      const [resume] = commands
      expect(resume?.command).toMatch(/^wf types resume /)
      const script = `wf() { "${process.execPath}" "${wfBin}" "$@"; }; ${resume?.command}`
      const { status, stderr } = spawnSync('bash', ['-c', script], { cwd: scene.folder, encoding: 'utf8' })
      expect([names[index], status, stderr]).toEqual([names[index], 0, ''])
    }
    expect(await scene.store.pausedTypes(scene.store.now())).toEqual([])
    expect(existsSync(join(scene.folder, 'owned'))).toBe(false)
  })
})
