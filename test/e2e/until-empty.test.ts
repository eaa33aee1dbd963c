import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Scene } from '../support/scene.ts'

const ways = [
  ['in processes', []],
  ['in line', ['--inline']],
] as const

interface Line {
  level: string
  msg: string
}

const linesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

describe.each(ways)('wf run-worker --until-empty %s', (_, inline) => {
  // A12
  it('exits 10 and names a job that stopped without an attempt, because its deadline passed', async () => {
    const scene = await Scene.open()
    const [late = 0, other = 0] = await scene.enqueue(
      { type: 'x', deadline: '20ms' },
      { type: 'elsewhere', deadline: '20ms' },
    )
    const worker = await scene
      .worker([scene.handler('x', 'mark("ran")'), '--until-empty', ...inline])
      .exits(10)
    expect(scene.marks.lines).toEqual([])
    expect((await scene.detail(late)).incidents).toMatchObject([{ kind: 'deadline_exceeded' }])
    expect(worker.out).toContain(`x #${late}`)
    expect(worker.out).toContain('incident deadline_exceeded')
    expect(linesOf(worker.out).map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(/^worker stopped after .* s; jobs: 1 stopped with an incident$/),
    )
    expect(worker.out).toContain('wf incidents list --store ')
    await scene.until(other, 'failed')
  })

  it('exits 0 when only a job of a type that is not handled here has stopped by its deadline', async () => {
    const scene = await Scene.open()
    const [, other = 0] = await scene.enqueue({ type: 'x' }, { type: 'elsewhere', deadline: '20ms' })
    const seen = join(scene.folder, 'seen')
    const waits = `const { existsSync } = await import('node:fs'); while (!existsSync(${JSON.stringify(seen)})) await sleep(20)`
    const worker = scene.worker([scene.handler('x', waits), '--until-empty', ...inline])
    await scene.until(other, 'failed')
    writeFileSync(seen, '')
    await worker.exits(0)
  })

  it('names the due jobs of a paused type at its end, and the pause when it begins', async () => {
    const scene = await Scene.open()
    await scene.enqueue({ type: 'pay' }, { type: 'pay' }, { type: 'pay' })
    await scene.engine.pauseTypes(['pay', 'other'], { paused: true, reason: 'provider is down', who: 'ada' })
    const worker = await scene.worker([scene.handler('pay', ''), '--until-empty', ...inline]).exits(0)
    const lines = linesOf(worker.out)
    expect(lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
      'type pay is paused by ada, because provider is down; its jobs stay until wf types resume pay',
      `3 jobs of pay stay: the type is paused; wf types resume pay --store ${scene.db}`,
    ])
    expect(await scene.counts()).toEqual({ available: 3 })
  })

  it('says in one line that a type was paused because its jobs stopped in a row, names what stays, and exits 10', async () => {
    const scene = await Scene.open()
    await scene.enqueue(...Array.from({ length: 50 }, () => ({ type: 'pay', retries: 1 })))
    const raising = scene.handler('pay', 'return 10n', 'concurrency: 1,')
    const worker = await scene.worker([raising, '--until-empty', ...inline]).exits(10)
    const said = linesOf(worker.out).filter(({ msg }) => msg.startsWith('type pay is paused'))
    expect(said.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'warn type pay is paused by wf, because 20 attempts in a row ended as poison or incident; its jobs stay until wf types resume pay',
    ])
    const { failed = 0, available = 0 } = await scene.counts()
    expect([failed >= 20, failed + available]).toEqual([true, 50])
    expect(worker.out).toContain(`${available} jobs of pay stay: the type is paused`)
    expect(worker.out).not.toContain('to be tried again')
  })
})

describe('a process that dies right after others have ended in it', () => {
  // B055
  it('takes no stop from the count, and none from the exit code', async () => {
    const scene = await Scene.open()
    const does =
      'if (variables.stops) throw new Error("no"); if (variables.dies && job.attempt === 1) process.kill(process.pid, "SIGKILL")'
    const file = scene.handler('mixed', does, 'concurrency: 1, retries: 1,')
    const kinds = [{}, {}, { stops: true }, {}, { dies: true }]
    await scene.enqueue(...kinds.map((variables) => ({ type: 'mixed', variables })))
    const worker = await scene.worker([file, '--until-empty']).exits(10)
    const end = linesOf(worker.out).find(({ msg }) => msg.startsWith('worker stopped after'))
    expect(end?.msg).toMatch(
      /jobs: [34] completed, 1 stopped with an incident; other attempts: 1 lost with their process$/,
    )
  })
})
