import { describe, expect, it } from 'vitest'
import { createPace } from '../../src/store/sqlite/pace.ts'

describe('the pace of transactions', () => {
  it('leaves no gap while nobody else wants the lock and commits are quick', () => {
    const pace = createPace()
    expect(pace.restMs(0)).toBe(0)
    pace.committed({ beganMs: 0, commitMs: 40, endedMs: 44, byWorker: true })
    expect(pace.restMs(44)).toBe(0)
  })

  it('leaves a third of the last transaction, at most 4 ms, for a second after another held the lock', () => {
    const pace = createPace()
    pace.contended(0)
    pace.committed({ beganMs: 0, commitMs: 5, endedMs: 6, byWorker: false })
    expect([pace.restMs(6), pace.restMs(7), pace.restMs(8), pace.restMs(9)]).toEqual([2, 1, 0, 0])
    pace.committed({ beganMs: 100, commitMs: 160, endedMs: 160, byWorker: false })
    expect(pace.restMs(160)).toBe(4)
    pace.committed({ beganMs: 900, commitMs: 990, endedMs: 990, byWorker: false })
    expect([pace.restMs(990), pace.restMs(1_000)]).toEqual([4, 0])
  })

  it('rests as long as a slow commit of a worker took, so that handlers get half of the time', () => {
    const pace = createPace()
    pace.committed({ beganMs: 0, commitMs: 10, endedMs: 30, byWorker: true })
    expect([pace.restMs(30), pace.restMs(45), pace.restMs(50)]).toEqual([20, 5, 0])
    pace.committed({ beganMs: 50, commitMs: 60, endedMs: 80, byWorker: false })
    expect(pace.restMs(80)).toBe(0)
  })
})
