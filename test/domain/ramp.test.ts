import { describe, expect, it } from 'vitest'
import { rampMs, rampRoom, rampStep, rampStepLeftMs } from '../../src/domain/ramp.ts'

describe('a ramp', () => {
  it('lets one go in the first second, two in the next, then four, and any number after ten', () => {
    let started = 0
    const rooms = Array.from({ length: 10 }, (_, second) => {
      const room = rampRoom({ sinceMs: second * 1_000, started })
      started += room
      return room
    })
    expect(rooms).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
    expect(rampRoom({ sinceMs: rampMs, started })).toBe(Number.POSITIVE_INFINITY)
  })

  it('makes up for seconds in which nothing was let go, and never goes below none', () => {
    expect([
      rampRoom({ sinceMs: 3_500, started: 0 }),
      rampRoom({ sinceMs: 999, started: 1 }),
      rampRoom({ sinceMs: 0, started: 9 }),
    ]).toEqual([15, 0, 0])
  })

  it('is in its first second where the clock was set back', () => {
    expect([rampRoom({ sinceMs: -5_000, started: 0 }), rampStep(-1), rampStepLeftMs(-1)]).toEqual([
      1, 0, 1_000,
    ])
    expect([rampStep(2_999), rampStepLeftMs(2_999)]).toEqual([2, 1])
  })
})
