import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { retryUntilStored } from '../../../src/worker/supervisor/process-pool.ts'
import { capturedLog } from '../../support/captured-log.ts'

function trying<T>(action: () => Promise<T>) {
  const clock = createFakeClock()
  const log = capturedLog()
  const ended = new AbortController()
  const result = retryUntilStored({ what: 'registering a worker', action, clock, log, ended: ended.signal })
  return { clock, log, ended, result }
}

describe('what must be stored', () => {
  it('is tried again until it is, and said once', async () => {
    let tries = 0
    const { clock, log, result } = trying(async () => {
      if (++tries < 4) throw new Error('locked')
      return 'stored'
    })
    await clock.advance(1500)
    expect(await result).toBe('stored')
    expect(log.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('locked') }])
    expect(clock.pendingTimers).toBe(0)
  })

  it.each([
    ['fails for ever', () => Promise.reject(new Error('locked'))],
    ['never comes back', () => new Promise<never>(() => {})],
    // B053
  ])('is given up at the end when it %s', async (_how, action) => {
    const { clock, ended, result } = trying(action)
    await clock.advance(2000)
    ended.abort()
    expect(await result).toBeNull()
    expect(clock.pendingTimers).toBe(0)
  })
})
