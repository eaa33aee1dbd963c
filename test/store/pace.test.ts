import { describe, expect, it } from 'vitest'
import { createPace } from '../../src/store/sqlite/file/write-throttle.ts'

describe('the pace of transactions', () => {
  it('leaves no gap while nobody else wants the lock and commits are quick', () => {
    const pace = createPace()
    expect(pace.restMs(0, false)).toBe(0)
    pace.committed({ beganMs: 0, commitMs: 40, endedMs: 44 })
    expect(pace.restMs(44, false)).toBe(0)
  })

  it('leaves a third of the last transaction, at most 4 ms, for a second after another held the lock', () => {
    const pace = createPace()
    pace.contended(0)
    pace.committed({ beganMs: 0, commitMs: 5, endedMs: 6 })
    expect([
      pace.restMs(6, false),
      pace.restMs(7, false),
      pace.restMs(8, false),
      pace.restMs(9, false),
    ]).toEqual([2, 1, 0, 0])
    pace.committed({ beganMs: 100, commitMs: 160, endedMs: 160 })
    expect(pace.restMs(160, false)).toBe(4)
    pace.committed({ beganMs: 900, commitMs: 990, endedMs: 990 })
    expect([pace.restMs(990, false), pace.restMs(1_000, false)]).toEqual([4, 0])
  })

  it('rests as long as a slow commit took while handlers run, so that they get half of the time', () => {
    const pace = createPace()
    pace.committed({ beganMs: 0, commitMs: 10, endedMs: 30 })
    expect([pace.restMs(30, true), pace.restMs(45, true), pace.restMs(50, true)]).toEqual([20, 5, 0])
    expect(pace.restMs(30, false)).toBe(0)
    pace.committed({ beganMs: 50, commitMs: 76, endedMs: 80 })
    expect(pace.restMs(80, true)).toBe(0)
  })
})
