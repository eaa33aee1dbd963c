import { describe, expect, it } from 'vitest'
import { childrenOf, eventually, isAlive, kill, shortLease } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

describe('worker processes that die', () => {
  // A06 B005
  it('kill -9 of a child: its job starts again at once in another, at no cost, and completes once', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'slow',
      'mark("start"); await sleep(job.attempt === 1 ? 600_000 : 10); mark("end")',
    )
    const [key = 0] = await scene.enqueue({ type: 'slow' })
    // Whoever waited for its lease to end would not see it start again.
    const worker = scene.worker([file], { env: { WF_LEASE: '10m' } })
    await scene.marks.until((lines) => lines.length === 1, 'the handler has started')
    const [child = 0] = childrenOf(worker.pid)
    kill(child, 'SIGKILL')
    await scene.until(key, 'completed')
    expect(await scene.job(key)).toMatchObject({ attempt: 2, retries: 3, failures: 0 })
    expect(await scene.outcomes(key)).toEqual(['lost', 'success'])
    expect(scene.marks.count('end')).toBe(1)
    await worker.says(new RegExp(`SIGKILL; it ran slow #${key}"`))
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  // A06 B006 B012
  it('kill -9 of supervisor and child: others run the jobs again within lease and sweep', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'slow',
      'mark("start " + job.key); await sleep(job.attempt === 1 ? 600_000 : 10); mark("end " + job.key)',
    )
    const keys = await scene.enqueue(...Array.from({ length: 8 }, () => ({ type: 'slow' })))
    const first = scene.worker([file], { env: shortLease })
    await scene.marks.until((lines) => lines.length === 8, 'all handlers have started')
    first.killAll()
    await first.ended
    const second = scene.worker([file, '--until-empty'])
    await second.exits(0)
    for (const key of keys) {
      expect(await scene.job(key)).toMatchObject({ state: 'completed', retries: 3 })
      expect(await scene.outcomes(key)).toEqual(['lost', 'success'])
      expect(scene.marks.count(`end ${key}`)).toBe(1)
    }
  })

  // B006
  it('wf workers release: others take the jobs of a worker that was killed with its supervisor at once, not when the lease is over', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'slow',
      'mark("start " + job.key); await sleep(job.attempt === 1 ? 600_000 : 10); mark("end " + job.key)',
    )
    const keys = await scene.enqueue(...Array.from({ length: 4 }, () => ({ type: 'slow' })))
    const long = { env: { WF_LEASE: '10m', WF_RENEWAL: '1s' } }
    const first = scene.worker([file, '--worker-id', 'first'], long)
    await scene.marks.until((lines) => lines.length === 4, 'all handlers have started')
    const second = scene.worker([file, '--worker-id', 'second'], long)
    await second.says(/working on slow/)
    const refused = scene.wf(['workers', 'release', 'first'])
    expect([refused.code, refused.err]).toEqual([
      5,
      expect.stringMatching(/first\.1#\w+ runs: .*its 4 jobs could run twice/),
    ])
    first.killAll()
    await first.ended
    expect(scene.wf(['workers', 'list']).out).toMatch(/first\.1#\w+ +running +4\/10/)
    const released = scene.wf(['workers', 'release', 'first', '--reason', 'killed by hand'])
    expect([released.code, released.out]).toEqual([
      0,
      expect.stringContaining(`4 jobs ended as lost: ${keys.join(', ')}`),
    ])
    for (const key of keys) {
      expect(await scene.until(key, 'completed')).toMatchObject({ attempt: 2, retries: 3 })
      expect(await scene.outcomes(key)).toEqual(['lost', 'success'])
      expect((await scene.detail(key)).attempts[0]?.error?.message).toMatch(
        /^worker first\.1#\w+ was released by .+: killed by hand$/,
      )
    }
    expect((await scene.store.workers(scene.store.now())).map(({ label }) => label)).toEqual(['second'])
    second.signal('SIGTERM')
    await second.exits(0)
  })

  // B009
  it('a crash in the last or only attempt costs no retry and is never silent', async () => {
    const scene = await Scene.open()
    const file = scene.handler('dies', 'if (job.attempt === 1) process.kill(process.pid, "SIGKILL")')
    const keys = await scene.enqueue({ type: 'dies', retries: 1 }, { type: 'dies', retries: 3 })
    await scene.worker([file, '--until-empty']).exits(0)
    for (const key of keys) {
      expect(await scene.outcomes(key)).toContain('lost')
      expect((await scene.job(key)).state).toBe('completed')
    }
    expect((await scene.job(keys[0] ?? 0)).retries).toBe(1)
  })

  // A05 B010
  it('a job that kills its process stops after three crashes, and all its neighbours complete', async () => {
    const scene = await Scene.open()
    const file = scene.handler('mixed', 'if (variables.kills) process.abort(); await sleep(20)')
    const good = Array.from({ length: 50 }, () => ({ type: 'mixed' }))
    const [killer = 0, ...others] = await scene.enqueue(
      { type: 'mixed', variables: { kills: true } },
      ...good,
    )
    const worker = scene.worker([file, '--until-empty'])
    await worker.exits(10)
    const detail = await scene.detail(killer)
    expect(detail.job).toMatchObject({ state: 'failed', retries: 3, failures: 0, attempt: 3 })
    expect(detail.incidents).toMatchObject([{ kind: 'crash_loop', resolvedAt: null }])
    expect(detail.attempts.map(({ outcome }) => outcome)).toEqual(['lost', 'lost', 'lost'])
    for (const key of others) {
      const { job, incidents } = await scene.detail(key)
      expect(job).toMatchObject({ state: 'completed', retries: 3 })
      expect(incidents).toEqual([])
    }
  })

  // B054
  it('a killed child is replaced, and the others work on', async () => {
    const scene = await Scene.open()
    const file = scene.handler('quick', 'await sleep(20)')
    const worker = scene.worker([file, '--processes', '3'])
    await worker.says(/working on quick/)
    const before = childrenOf(worker.pid)
    expect(before).toHaveLength(3)
    kill(before[0] ?? 0, 'SIGKILL')
    await worker.says(/SIGKILL; it held no job/)
    const after = await eventually(() => {
      const children = childrenOf(worker.pid).filter(isAlive)
      return children.length === 3 && children
    }, 'there are three again')
    expect(after.filter((pid) => before.includes(pid))).toHaveLength(2)
    worker.signal('SIGTERM')
    await worker.exits(0)
  })

  // B054 B065
  it('processes that only die end the run with exit code 1, before long', async () => {
    const scene = await Scene.open()
    // It loads, and ends its process a moment later: no job is ever settled.
    const file = scene.handler('doomed', '', 'retries: (setTimeout(() => process.exit(3), 50), 3),')
    const worker = scene.worker([file])
    await worker.exits(1)
    expect(worker.err).toMatch(/5 worker processes ended within 60 s/)
    expect(worker.out.match(/ended with exit code 3/g)).toHaveLength(5)
  })
})

describe('handlers that end their process', () => {
  // B055
  it('by process.exit, by a signal to themselves, or after they have returned: nothing is lost, exit code 0 is no success, the good ones complete', async () => {
    const scene = await Scene.open()
    const ways = {
      zero: 'process.exit(0)',
      one: 'process.exit(1)',
      signal: 'process.kill(process.pid, "SIGKILL")',
      late: 'setTimeout(() => process.exit(), 50)',
    }
    const cases = Object.entries(ways).map(
      ([way, does]) => `if (variables.way === "${way}" && job.attempt < 3) ${does};`,
    )
    const file = scene.handler('mixed', `${cases.join(' ')} await sleep(5)`)
    const bad = Object.keys(ways).map((way) => ({ type: 'mixed', variables: { way } }))
    const keys = await scene.enqueue(...bad, ...Array.from({ length: 40 }, () => ({ type: 'mixed' })))
    await scene.worker([file, '--until-empty']).exits(0)
    expect(await scene.counts()).toEqual({ completed: 44 })
    for (const key of keys) {
      const outcomes = await scene.outcomes(key)
      expect(outcomes.filter((outcome) => outcome !== 'lost')).toEqual(['success'])
      expect((await scene.job(key)).retries).toBe(3)
    }
    for (const key of keys.slice(0, 3)) expect(await scene.outcomes(key)).toContain('lost')
  })

  // B056
  it('with a floating rejection, a throw in a timer, an unheard error event: what runs may finish, the process is replaced, nothing is doubled', async () => {
    const scene = await Scene.open()
    const ways = {
      rejection: 'setTimeout(() => { Promise.reject(null) }, 30)',
      timer: 'setTimeout(() => { throw undefined }, 30)',
      event:
        'setTimeout(async () => new (await import("node:events")).EventEmitter().emit("error", new Error("unheard")), 30)',
    }
    const cases = Object.entries(ways).map(([way, does]) => `if (variables.way === "${way}") ${does};`)
    const file = scene.handler(
      'mixed',
      `mark("start " + job.key); ${cases.join(' ')} await sleep(variables.way ? 0 : 150); mark("end " + job.key)`,
    )
    for (const way of Object.keys(ways)) {
      const keys = await scene.enqueue(
        { type: 'mixed', variables: { way } },
        ...Array.from({ length: 9 }, () => ({ type: 'mixed' })),
      )
      const worker = scene.worker([file, '--until-empty'])
      await worker.exits(0)
      expect(worker.out).toMatch(/an error that no handler caught/)
      for (const key of keys)
        expect([scene.marks.count(`start ${key}`), scene.marks.count(`end ${key}`)]).toEqual([1, 1])
    }
    expect(await scene.counts()).toEqual({ completed: 30 })
  })
})
