import { describe, expect, it } from 'vitest'
import { drainTimes } from '../../src/worker/drain.ts'

describe('the times of a shutdown', () => {
  it.each([
    [30_000, 25_000],
    [10_000, 5_000],
    [4_000, 2_000],
    [0, 0],
    // B049
  ])('with a grace of %i ms handlers are aborted after %i ms', (graceMs, abortInMs) => {
    expect(drainTimes(graceMs).abortInMs).toBe(abortInMs)
  })

  // B053
  it('is over within a second of its grace, in order', () => {
    const { abortInMs, graceMs, killInMs, endInMs } = drainTimes(30_000)
    expect([abortInMs, graceMs, killInMs, endInMs]).toEqual(
      [...[abortInMs, graceMs, killInMs, endInMs]].sort((a, b) => a - b),
    )
    expect(endInMs).toBeLessThan(graceMs + 1000)
  })
})
