import { describe, expect, it } from 'vitest'
import { childrenOf, eventually, isAlive, kill, shortLease, shortPatience } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

describe('handlers that block their process', () => {
  // A08 B064
  it('one that blocks for three leases within its timeout keeps its job, although another worker is idle', async () => {
    const scene = await Scene.open()
    const file = scene.handler('spins', 'mark("start"); spin(6500); mark("end")', "timeout: '2m',")
    const [key = 0] = await scene.enqueue({ type: 'spins' })
    const workers = [scene.worker([file], { env: { WF_LEASE: '2s', WF_RENEWAL: '200ms' } })]
    await scene.marks.until((lines) => lines.length >= 1, 'it has started')
    workers.push(scene.worker([file], { env: { WF_LEASE: '2s', WF_RENEWAL: '200ms' } }))
    await scene.until(key, 'completed')
    expect(await scene.job(key)).toMatchObject({ attempt: 1 })
    expect(scene.marks.lines).toEqual(['start', 'end'])
    for (const worker of workers) worker.signal('SIGTERM')
    for (const worker of workers) await worker.exits(0)
  })

  // B064
  it('eight that take turns at blocking all keep theirs', async () => {
    const scene = await Scene.open()
    const file = scene.handler('spins', 'mark("start " + job.key); spin(600)', "timeout: '2m',")
    const keys = await scene.enqueue(...Array.from({ length: 8 }, () => ({ type: 'spins' })))
    await scene.worker([file, '--until-empty'], { env: { WF_LEASE: '2s', WF_RENEWAL: '200ms' } }).exits(0)
    for (const key of keys) expect(scene.marks.count(`start ${key}`)).toBe(1)
  })

  // A08
  it('one that blocks beyond its timeout and the margin is killed; alone, its attempt is a timeout', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'spins',
      'mark("start " + job.key); if (variables.forever && job.attempt === 1) for (;;);',
      "timeout: '600ms', backoff: { strategy: 'fixed', delay: 0 },",
    )
    const [key = 0] = await scene.enqueue({ type: 'spins', variables: { forever: true } })
    await scene.worker([file, '--until-empty'], { env: shortPatience }).exits(0)
    const { job, attempts } = await scene.detail(key)
    expect(job).toMatchObject({ state: 'completed', attempt: 2, retries: 2, failures: 1 })
    expect(attempts[0]).toMatchObject({ outcome: 'fail', failureCategory: 'hung' })
  })

  // A08
  it('with others in its process, all of them end as lost and run again', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'mixed',
      'mark("start " + job.key); await sleep(100); if (variables.forever && job.attempt === 1) for (;;); await sleep(100)',
      "timeout: '3s',",
    )
    const keys = await scene.enqueue(
      { type: 'mixed', variables: { forever: true } },
      { type: 'mixed' },
      { type: 'mixed' },
    )
    const worker = scene.worker([file, '--until-empty'], { env: shortPatience })
    await worker.exits(0)
    for (const key of keys) {
      expect(await scene.outcomes(key)).toEqual(['lost', 'success'])
      expect((await scene.job(key)).retries).toBe(3)
    }
    expect(worker.out).toMatch(/did not answer beyond the timeouts of its jobs and was killed/)
  })

  // A08
  it('a claim of a process that is stopped ends by itself', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'waits',
      'mark("start " + process.pid); await sleep(50)',
      "timeout: '500ms', backoff: { strategy: 'fixed', delay: 0 },",
    )
    const worker = scene.worker([file], { env: shortPatience })
    await worker.says(/working on waits/)
    const [child = 0] = childrenOf(worker.pid)
    kill(child, 'SIGSTOP')
    const [key = 0] = await scene.enqueue({ type: 'waits' })
    await eventually(() => !isAlive(child), 'the stopped child is killed')
    await scene.until(key, 'completed')
    worker.signal('SIGTERM')
    await worker.exits(0)
  })
})

describe('leases between workers', () => {
  // B001
  it('a worker that was stopped for longer than its lease reports in vain when it comes back', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'slow',
      'mark("start " + process.env.NAME); await sleep(process.env.NAME === "A" ? 4000 : 100); mark("end " + process.env.NAME); return { by: process.env.NAME }',
    )
    const [key = 0] = await scene.enqueue({ type: 'slow' })
    const first = scene.worker([file], { group: true, env: { ...shortLease, NAME: 'A' } })
    await scene.marks.until((lines) => lines.length >= 1, 'A has started')
    first.signal('SIGSTOP')
    const second = scene.worker([file], { env: { NAME: 'B' } })
    await scene.until(key, 'completed')
    first.signal('SIGCONT')
    const stale = await eventually(async () => {
      const { attempts } = await scene.detail(key)
      return attempts.find(({ outcome }) => outcome === 'stale')
    }, 'the late report is kept as stale')
    expect(stale.attempt).toBe(1)
    const { job, result } = await scene.detail(key)
    expect([job.state, result]).toEqual(['completed', '{"by":"B"}'])
    expect(scene.marks.lines.filter((line) => line.startsWith('start'))).toEqual(['start A', 'start B'])
    for (const worker of [first, second]) worker.signal('SIGTERM')
    for (const worker of [first, second]) await worker.exits(0)
    expect(first.out.match(/"level":"error"/)).toBeNull()
  })

  // B007
  it('a healthy long job is never handed to idle workers', async () => {
    const scene = await Scene.open()
    const file = scene.handler('long', 'mark("start"); await sleep(5000)')
    const [key = 0] = await scene.enqueue({ type: 'long' })
    const worker = scene.worker([file, '--processes', '3'], { env: { WF_LEASE: '2s', WF_RENEWAL: '200ms' } })
    await scene.until(key, 'completed')
    expect(scene.marks.lines).toEqual(['start'])
    worker.signal('SIGTERM')
    await worker.exits(0)
  })
})
