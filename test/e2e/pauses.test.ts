import { describe, expect, it } from 'vitest'
import { shortLease } from '../support/processes.ts'
import { Scene } from '../support/scene.ts'

describe('a pause from the command line', () => {
  // B119
  it('survives restarts of the worker, holds what falls due and what was lost, and ends by itself; each job then runs once', async () => {
    const scene = await Scene.open()
    const file = scene.handler(
      'mail',
      'mark("ran " + job.key); if (job.key === 1 && job.attempt === 1) await sleep(600_000)',
    )
    const [killed = 0] = await scene.enqueue({ type: 'mail' })
    const first = scene.worker([file], { env: shortLease })
    await scene.marks.until((lines) => lines.length === 1, 'the first has begun')
    first.killAll()
    await first.ended
    expect(scene.wf(['types', 'pause', 'mail', '--until', '1h', '--reason', 'maintenance']).code).toBe(0)
    const keys = await scene.enqueue({ type: 'mail' }, { type: 'mail', delay: '1s' })
    const second = scene.worker([file])
    await second.says(/type mail is paused by \S+, because maintenance; its jobs stay until \d{4}-/)
    await scene.until(killed, 'available')
    second.signal('SIGTERM')
    await second.exits(0)
    const third = scene.worker([file])
    await third.says(/type mail is paused/)
    expect(scene.marks.count('ran 1')).toBe(1)
    expect(scene.wf(['jobs', 'show', String(killed)]).out).toMatch(
      /held +mail is paused by \S+ for another \d\S*: maintenance/,
    )
    const pausedAt = Date.now()
    expect(scene.wf(['types', 'pause', 'mail', '--until', '3s', '--reason', 'almost over']).code).toBe(0)
    for (const key of [killed, ...keys]) await scene.until(key, 'completed')
    expect(Date.now() - pausedAt).toBeGreaterThanOrEqual(3_000)
    expect([killed, ...keys].map((key) => scene.marks.count(`ran ${key}`))).toEqual([2, 1, 1])
    third.signal('SIGTERM')
    await third.exits(0)
  })
})
