import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshFolder, startWf, wf, writeHandler } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

describe('wf run-worker', () => {
  it('takes a job from the terminal to its end: enqueue, work, show', () => {
    const folder = freshFolder()
    const file = writeHandler(
      folder,
      'add.mjs',
      'export default { type: "add", run: ({ variables: { a, b } }) => ({ sum: a + b }) }\n',
    )
    const worked = wf(['run-worker', file, '--until-empty'], { cwd: folder })
    expect([worked.code, worked.err]).toEqual([0, expect.stringContaining(join(folder, 'wf.db'))])
    expect(wf(['enqueue', 'add', '{"a":1,"b":2}'], { cwd: folder }).code).toBe(0)
    const again = wf(['run-worker', file, '--until-empty'], { cwd: folder })
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('✓ add #1')])
    const shown = wf(['jobs', 'show', '1', '--json'], { cwd: folder })
    expect(shown.out).toContain('"sum"')
    expect(existsSync(join(folder, 'wf.db'))).toBe(true)
  })

  it('tells the whole story in JSON lines on a pipe: where, each job, how it ended', async () => {
    const scene = await Scene.open()
    await scene.enqueue({ type: 'x' }, { type: 'x' })
    const worker = await scene
      .worker([
        scene.handler('x', 'ctx.log.info("halfway", { part: 1 })'),
        '--until-empty',
        '--worker-id',
        'box',
      ])
      .exits(0)
    const lines = worker.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines[0]).toMatchObject({
      level: 'info',
      msg: `working on x (up to 10 jobs at once in 1 process) from ${scene.db}`,
    })
    expect(lines.filter(({ msg }) => msg === 'halfway')).toMatchObject([
      { type: 'x', part: 1 },
      { type: 'x', part: 1 },
    ])
    expect(lines.filter(({ outcome }) => outcome === 'success')).toHaveLength(2)
    expect(lines.every(({ worker }) => worker === undefined || /^box\.1#/.test(String(worker)))).toBe(true)
    expect(lines.at(-1)).toMatchObject({ why: 'empty', tally: { completed: 2 } })
  })

  it('with --until-empty waits for backoff, not for delays, names what it leaves, and exits 10 when something stopped', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'x',
      'if (variables.fails > job.attempt - 1) throw new Error("no")',
      "backoff: { strategy: 'fixed', delay: 300 },",
    )
    const [comesBack = 0, stops = 0, later = 0] = await scene.enqueue(
      { type: 'x', variables: { fails: 1 } },
      { type: 'x', variables: { fails: 9 }, retries: 2 },
      { type: 'x', delay: '1h' },
    )
    const worker = await scene.worker([file, '--until-empty']).exits(10)
    expect((await scene.job(comesBack)).state).toBe('completed')
    expect((await scene.job(stops)).state).toBe('failed')
    expect((await scene.job(later)).state).toBe('waiting')
    expect(worker.out).toContain('1 job of x stays: not due yet')
  })

  it('with --until-empty ends at once when 100,000 jobs are only delayed, and names them', async () => {
    const scene = await Scene.open()
    const delayed = Array.from({ length: 5_000 }, () => ({ type: 'x', delay: '1h' }))
    for (let batch = 0; batch < 20; batch++) await scene.enqueue(...delayed)
    for (const inline of [[], ['--inline']]) {
      const worker = await scene.worker([scene.handler('x', ''), '--until-empty', ...inline]).exits(0)
      expect(worker.out).toContain('100,000 jobs of x stay: not due yet')
    }
  })

  // B076
  it('gives the limits of this process to its children: results and child jobs over them are refused with size and setting', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'x',
      'if (variables.child) ctx.enqueue("x", { a: "y".repeat(1100) }); return "z".repeat(1100)',
      'retries: 1,',
    )
    const [result = 0, child = 0] = await scene.enqueue(
      { type: 'x' },
      { type: 'x', variables: { child: true } },
    )
    for (const inline of [[], ['--inline']]) {
      const env = { WF_MAX_RESULT: '1KiB', WF_MAX_VARIABLES: '1KiB' }
      await scene.worker([file, '--until-empty', ...inline], { env }).exits(10)
      for (const [key, kind, words] of [
        [
          result,
          'result_invalid',
          'has 1,102 bytes of JSON, and limits.result (WF_MAX_RESULT) allows 1,024 bytes',
        ],
        [
          child,
          'job_no_retries',
          'has 1,108 bytes of JSON, and limits.variables (WF_MAX_VARIABLES) allows 1,024 bytes',
        ],
      ] as const) {
        const { incidents } = await scene.detail(key)
        expect(incidents.at(-1)).toMatchObject({ kind, error: { message: expect.stringContaining(words) } })
      }
      await scene.engine.resolve(
        [result, child].map((jobKey) => ({ jobKey, verb: 'resolve', retries: 1, who: 'ada', reason: null })),
      )
    }
  })

  // B091
  it("says what may be lost where durability is 'process', and nothing where it is not", () => {
    const folder = freshFolder()
    const file = writeHandler(folder, 'x.mjs', 'export default { type: "x", run() {} }\n')
    const run = (durability: string) =>
      wf(['run-worker', file, '--until-empty'], { cwd: folder, env: { WF_DURABILITY: durability } })
    expect(run('process').out).toContain('a power cut can lose the last commits')
    expect(run('power').out).not.toContain('power cut')
  })

  it('with --max-jobs ends after that many', async () => {
    const scene = await Scene.open()
    await scene.enqueue(...Array.from({ length: 7 }, () => ({ type: 'x' })))
    await scene.worker([scene.handler('x', ''), '--max-jobs', '3']).exits(0)
    expect(await scene.counts()).toEqual({ completed: 3, available: 4 })
  })

  it('with --inline runs all in one process and says what that cannot promise', async () => {
    const scene = await Scene.open()
    await scene.enqueue({ type: 'x' })
    const worker = await scene
      .worker([scene.handler('x', 'mark("ran in " + process.pid)'), '--inline', '--until-empty'])
      .exits(0)
    expect(scene.marks.lines).toEqual([`ran in ${worker.pid}`])
    expect(worker.out).toMatch(/everything runs in one process/)
    expect(await scene.store.workers(scene.store.now())).toEqual([])
  })

  // B056
  it('in line, an error that nobody caught ends the worker when its jobs have ended, with exit code 1', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'x',
      'if (variables.bad) setTimeout(() => { throw new Error("loose") }, 20); await sleep(200)',
    )
    await scene.enqueue({ type: 'x', variables: { bad: true } }, { type: 'x' })
    await scene.worker([file, '--inline']).exits(1)
    expect(await scene.counts()).toEqual({ completed: 2 })
  })

  // A35
  it('in line drains on SIGTERM', async () => {
    const scene = await Scene.open()
    await scene.enqueue({ type: 'x' })
    const worker = scene.worker([scene.handler('x', 'mark("start"); await sleep(400)'), '--inline'])
    await scene.marks.until((lines) => lines.length >= 1, 'it has started')
    worker.signal('SIGTERM')
    await worker.exits(0)
    expect(await scene.counts()).toEqual({ completed: 1 })
  })

  it('works on when nobody reads its output any more', async () => {
    const scene = await Scene.open()
    const worker = scene.worker([scene.handler('x', 'console.log("to nobody"); mark("ran")')])
    await worker.says(/working on x/)
    worker.closeOutput()
    await scene.enqueue(...Array.from({ length: 30 }, () => ({ type: 'x' })))
    await scene.marks.until((lines) => lines.length === 30, 'all have run')
    worker.signal('SIGTERM')
    await worker.exits(0)
    expect(await scene.counts()).toEqual({ completed: 30 })
  })

  it('with --watch loads a changed module anew, and keeps waiting when the change does not load', async () => {
    const scene = await Scene.open()
    const file = scene.handler('x', 'mark("old")')
    const worker = scene.worker([file, '--watch'])
    await worker.says(/working on x/)
    await scene.enqueue({ type: 'x' })
    await scene.marks.until((lines) => lines.includes('old'), 'the old one has run')
    appendFileSync(file, 'this is not TypeScript\n')
    await worker.says(/cannot load the handlers/)
    scene.handler('x', 'mark("new")')
    await worker.until(() => (worker.out.match(/loading anew/g)?.length ?? 0) >= 2, 'it loads anew')
    await scene.enqueue({ type: 'x' })
    await scene.marks.until((lines) => lines.includes('new'), 'the new one has run')
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  it('with --metrics-port serves what all processes counted, on this machine only', async () => {
    const scene = await Scene.open()
    await scene.enqueue({ type: 'x' })
    const worker = scene.worker([scene.handler('x', ''), '--metrics-port', '0'])
    const [, url = ''] = await worker.says(/metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)/)
    await worker.says(/✓ x #1/)
    await worker.until(() => worker.out.includes('✓'), 'it has run')
    const page = await fetchUntil(
      url,
      /wf_worker_jobs_handled_total\{outcome="success",type="x"\} 1|wf_worker_jobs_handled_total\{type="x",outcome="success"\} 1/,
    )
    expect(page).toMatch(/wf_workers 1/)
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  // A36
  it('several at once on no store at all: all succeed', async () => {
    const folder = freshFolder()
    const file = writeHandler(folder, 'x.mjs', 'export default { type: "x", run() {} }\n')
    const all = Array.from({ length: 4 }, () =>
      startWf(['run-worker', file, '--until-empty'], { cwd: folder }),
    )
    for (const worker of all) await worker.exits(0)
  })
})

async function fetchUntil(url: string, pattern: RegExp): Promise<string> {
  for (;;) {
    const page = await (await fetch(url)).text()
    if (pattern.test(page)) return page
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
