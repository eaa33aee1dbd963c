import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { descendantsOf, eventually, isAlive, kill, wfBin } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

const canUnshare =
  existsSync('/usr/bin/unshare') && spawnSync('unshare', ['-pf', '--mount-proc', 'true']).status === 0

async function slowScene() {
  const scene = await Scene.open()
  const file = scene.handler('slow', 'mark("start"); await sleep(700); mark("end")')
  await scene.enqueue({ type: 'slow' })
  return { scene, file }
}

describe('under something else', () => {
  // B051
  it.skipIf(!canUnshare)('as the first process of a container it drains on SIGTERM', async () => {
    const { scene, file } = await slowScene()
    const worker = scene.worker([file], {
      command: ['unshare', '-pf', '--kill-child', '--mount-proc', process.execPath, wfBin],
    })
    await scene.marks.until((lines) => lines.length >= 1, 'it has started')
    const inside = descendantsOf(worker.pid).at(-1) ?? 0
    kill(inside, 'SIGTERM')
    await worker.exits(0)
    expect(scene.marks.lines).toEqual(['start', 'end'])
    expect(await scene.counts()).toEqual({ completed: 1 })
  })

  it.each([
    ['npm start', ['npm', 'start', '--silent', '--']],
    ['npx', ['npx', '--no-install', 'wf', 'run-worker']],
    // B051
  ])('under %s a Ctrl-C to the whole group drains, once', async (_name, command) => {
    const { scene, file } = await slowScene()
    mkdirSync(join(scene.folder, 'node_modules/.bin'), { recursive: true })
    symlinkSync(wfBin, join(scene.folder, 'node_modules/.bin/wf'))
    writeFileSync(
      join(scene.folder, 'package.json'),
      '{ "name": "shop", "private": true, "scripts": { "start": "wf run-worker" } }',
    )
    const worker = scene.start([file, '--store', scene.db], { command, cwd: scene.folder, group: true })
    await scene.marks.until((lines) => lines.length >= 1, 'it has started')
    const all = descendantsOf(worker.pid)
    worker.signal('SIGINT')
    await worker.says(/worker stopped after/)
    await worker.saidAll()
    expect(worker.out.match(/stopping: nothing new starts/g)).toHaveLength(1)
    expect(scene.marks.lines).toEqual(['start', 'end'])
    await eventually(() => all.every((pid) => !isAlive(pid)), 'nobody is left')
  })

  // B051
  it('kill -9 of the supervisor leaves no orphan, not even one whose handler never yields', async () => {
    const scene = await Scene.open()
    const polite = scene.worker([
      scene.handler('waits', 'mark("start"); await sleep(3_600_000)', "timeout: '2h',"),
    ])
    const stuck = scene.worker([scene.handler('spins', 'mark("start"); for (;;);', "timeout: '2h',")])
    await scene.enqueue({ type: 'waits' }, { type: 'spins' })
    await scene.marks.until((lines) => lines.length === 2, 'both have started')
    const orphans = [polite, stuck].flatMap(({ pid }) => descendantsOf(pid))
    expect(orphans).toHaveLength(2)
    for (const { pid } of [polite, stuck]) kill(pid, 'SIGKILL')
    await eventually(() => orphans.every((pid) => !isAlive(pid)), 'both orphans are gone')
    await Promise.all([polite.ended, stuck.ended])
  })
})
