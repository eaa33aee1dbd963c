import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { Restarts } from '../../../src/worker/supervisor/process-pool.ts'

describe('restarts', () => {
  it('start the first replacement at once and double the wait from then on', async () => {
    const clock = createFakeClock()
    const restarts = new Restarts(clock)
    expect([restarts.died(), restarts.died(), restarts.died(), restarts.died()]).toEqual([0, 250, 500, 1000])
  })

  // B065
  it('give up at the fifth death within a minute', () => {
    const restarts = new Restarts(createFakeClock())
    for (let death = 1; death < 5; death++) expect(restarts.died()).not.toBeNull()
    expect(restarts.died()).toBeNull()
  })

  it('go on when deaths are further apart, but never wait longer than half a minute', async () => {
    const clock = createFakeClock()
    const restarts = new Restarts(clock)
    let longest = 0
    for (let death = 0; death < 40; death++) {
      const delay = restarts.died()
      expect(delay).not.toBeNull()
      longest = Math.max(longest, delay ?? 0)
      await clock.advance(20_000)
    }
    expect(longest).toBe(30_000)
  })

  it('forget deaths once a job was settled', () => {
    const restarts = new Restarts(createFakeClock())
    for (let death = 1; death < 5; death++) restarts.died()
    restarts.worked()
    expect(restarts.died()).toBe(0)
  })
})
