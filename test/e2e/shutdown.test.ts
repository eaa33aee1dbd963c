import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { descendantsOf, eventually, isAlive } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

const tenKinds = Array.from({ length: 10 }, (_, index) => ({
  type: 'mixed',
  variables: { fails: index % 2 === 1 },
}))

describe('shutdown', () => {
  // A35 B045
  it('SIGTERM with ten running: five succeed and five fail a second later, all ten outcomes are stored, exit 0', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'mixed',
      'mark("start"); await sleep(1000); if (variables.fails) throw new Error("no")',
    )
    const keys = await scene.enqueue(...tenKinds)
    const worker = scene.worker([file])
    await scene.marks.until((lines) => lines.length === 10, 'all have started')
    worker.signal('SIGTERM')
    await worker.exits(0)
    const outcomes = await Promise.all(keys.map((key) => scene.outcomes(key)))
    expect(outcomes).toEqual(tenKinds.map(({ variables }) => [variables.fails ? 'fail' : 'success']))
    expect(await scene.counts()).toEqual({ completed: 5, waiting: 5 })
    expect(await scene.store.workers(scene.store.now())).toEqual([])
  })

  // A35 B049
  it('handlers that honour, ignore, block or never end: gone by grace and a second, given back at no cost, started elsewhere at once', async () => {
    const scene = await Scene.open()
    const kinds = {
      honours:
        'await new Promise((resolve, reject) => ctx.signal.addEventListener("abort", () => { mark("reason " + ctx.signal.reason.kind); reject(ctx.signal.reason) }))',
      ignores: 'await sleep(3_600_000)',
      never: 'await new Promise(() => {})',
    }
    const cases = Object.entries(kinds).map(([kind, does]) => `if (variables.kind === "${kind}") ${does};`)
    const file = scene.handler(
      'mixed',
      `mark("start " + job.key); if (job.attempt === 1) { ${cases.join(' ')} }`,
      "timeout: '2h',",
    )
    const keys = await scene.enqueue(
      ...Object.keys(kinds).map((kind) => ({ type: 'mixed', variables: { kind } })),
    )
    const worker = scene.worker([file, '--grace', '2s'])
    await scene.marks.until((lines) => lines.length === 3, 'all have started')
    worker.signal('SIGTERM')
    await worker.exits(0)
    expect(scene.marks.lines.filter((line) => line.startsWith('reason'))).toEqual(['reason shutdown'])
    for (const key of keys)
      expect(await scene.job(key)).toMatchObject({ state: 'available', retries: 3, failures: 0, crashes: 0 })
    await scene.worker([file, '--until-empty']).exits(0)
    expect(await scene.counts()).toEqual({ completed: 3 })
  })

  it.each([[['--processes', '2'], 2] as const, [['--inline'], 1] as const])(
    'a word from another terminal drains it as SIGTERM does (%s): what runs finishes, nothing new starts, exit 0',
    async (mode, atOnce) => {
      const scene = await Scene.open()
      const file = scene.handler('slow', 'mark("start"); await sleep(1000)', 'concurrency: 1,')
      await scene.enqueue(...Array.from({ length: 4 }, () => ({ type: 'slow' })))
      const worker = scene.worker([file, '--worker-id', 'web-1', ...mode])
      await scene.marks.until((lines) => lines.length === atOnce, 'they have started')
      const { code, out } = await scene.wf([
        'workers',
        'drain',
        'web-1',
        '--wait',
        '2m',
        '--reason',
        'release 42',
      ])
      expect([code, out]).toEqual([0, expect.stringContaining('gone')])
      await worker.exits(0)
      const { completed = 0, available = 0, ...others } = await scene.counts()
      // More than the first may have started before the word was heard.
      expect([completed >= atOnce, completed + available, others]).toEqual([true, 4, {}])
      expect(worker.out).toContain('asked to drain by wf workers drain')
      expect(await scene.store.workers(scene.store.now())).toEqual([])
    },
  )

  // B049
  it('a handler that blocks its process is no reason to stay longer', async () => {
    const scene = await Scene.open()
    const file = scene.handler('spins', 'mark("start"); for (;;);', "timeout: '2h',")
    const [key = 0] = await scene.enqueue({ type: 'spins' })
    const worker = scene.worker([file, '--grace', '500ms'])
    await scene.marks.until((lines) => lines.length >= 1, 'it has started')
    worker.signal('SIGTERM')
    await worker.exits(0)
    expect(await scene.job(key)).toMatchObject({ state: 'available', retries: 3, crashes: 0 })
    expect(worker.out).toMatch(new RegExp(`spins #${key}`))
  })

  // B046
  it('leases are renewed while it drains: nobody runs its jobs a second time', async () => {
    const scene = await Scene.open()
    const env = { WF_LEASE: '2s', WF_RENEWAL: '200ms' }
    const file = scene.handler('slow', 'mark("start"); await sleep(5000); mark("end")')
    const keys = await scene.enqueue({ type: 'slow' }, { type: 'slow' })
    const first = scene.worker([file], { env })
    await scene.marks.until(
      (lines) => lines.filter((line) => line === 'start').length === 2,
      'both have started',
    )
    const second = scene.worker([file], { env })
    await second.says(/working on slow/)
    first.signal('SIGTERM')
    await first.exits(0)
    expect(scene.marks.lines.sort()).toEqual(['end', 'end', 'start', 'start'])
    for (const key of keys) expect(await scene.job(key)).toMatchObject({ state: 'completed', attempt: 1 })
    second.signal('SIGTERM')
    await second.exits(0)
  })

  // B050
  it('a second Ctrl-C stops now with 130 and gives back what runs; repeated SIGTERM changes nothing', async () => {
    const scene = await Scene.open()
    const file = scene.handler('slow', 'mark("start"); await sleep(3_600_000)', "timeout: '2h',")
    const [key = 0] = await scene.enqueue({ type: 'slow' })
    const worker = scene.worker([file, '--grace', '1h'])
    await scene.marks.until((lines) => lines.length >= 1, 'it has started')
    for (let times = 0; times < 10; times++) worker.signal('SIGTERM')
    await worker.says(/stopping: nothing new starts/)
    // One key press reaches a worker under npm twice within a moment; another press is another wish.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(worker.hasEnded).toBe(false)
    worker.signal('SIGINT')
    await worker.exits(130)
    expect(worker.out.match(/stopping: nothing new starts/g)).toHaveLength(1)
    expect(await scene.job(key)).toMatchObject({ state: 'available', retries: 3, crashes: 0 })
  })

  // B053
  it('a store that is locked for ever does not keep it: one clear line, an exit code, no stack', async () => {
    const scene = await Scene.open()
    const file = scene.handler('slow', 'mark("start"); await sleep(300)')
    await scene.enqueue({ type: 'slow' })
    const worker = scene.worker([file, '--grace', '1s'])
    await scene.marks.until((lines) => lines.length >= 1, 'it has started')
    const outsider = new Database(scene.db)
    outsider.exec('BEGIN IMMEDIATE')
    try {
      // The lock is held until it has ended.
      worker.signal('SIGTERM')
      await worker.exits(3)
    } finally {
      outsider.exec('ROLLBACK')
      outsider.close()
    }
    expect(worker.out.match(/the store did not take back/g)).toHaveLength(1)
    expect(worker.said).not.toMatch(/\n\s+at /)
    await eventually(() => descendantsOf(worker.pid).every((pid) => !isAlive(pid)), 'nobody is left')
  })
})
