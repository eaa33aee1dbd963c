import { describe, expect, it } from 'vitest'
import type { Stage } from '../conformance.ts'

export function updateRules(stage: Stage): void {
  describe('an update', () => {
    it('changes rank, executions and time of a job that waits, records who, and is claimed by them', async () => {
      const { add, claimOne, resolve, expectState, clock, now } = await stage()
      const first = await add()
      const last = await add()
      expect(await resolve(last, 'update', { priority: 5, retries: 7, reason: 'she waits' })).toMatchObject({
        status: 'changed',
        to: 'available',
      })
      const { history } = await expectState(last, 'available')
      expect(history).toMatchObject([{ event: 'updated', who: 'ada', reason: 'she waits' }])
      expect(JSON.parse(history[0]?.detail ?? '')).toMatchObject({
        priority: { before: 0, after: 5 },
        retries: { after: 7 },
      })
      expect(await claimOne()).toMatchObject({ key: last, priority: 5, retries: 7 })
      await resolve(first, 'update', { runAt: now() + 1_000 })
      await expectState(first, 'waiting')
      await expect(claimOne()).rejects.toThrow('nothing to claim')
      await clock.advance(1_000)
      expect(await claimOne()).toMatchObject({ key: first })
    })

    it('is refused while an attempt runs, and skipped when nothing would be other than it is', async () => {
      const { add, claimOne, resolve, detail } = await stage()
      const key = await add()
      expect(await resolve(key, 'update', { priority: 0 })).toMatchObject({ status: 'skipped' })
      await claimOne()
      expect(await resolve(key, 'update', { priority: 3 })).toMatchObject({ status: 'failed' })
      expect(await detail(key)).toMatchObject({ job: { priority: 0, state: 'running' }, history: [] })
    })
  })
}
