import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLeaseEvidence, longestLeaseMs } from '../../src/engine/stale-leases.ts'

const hour = 3_600_000

describe('evidence that a lease is over', () => {
  // B111
  it('a lease that has not moved for as long as it was good for is over, whatever the wall clock says', () => {
    const evidence = createLeaseEvidence()
    const dead = { id: 'dead#1', leaseUntil: 1_030_000 }
    expect(evidence.overdue([dead], { now: 1_000_000, monotonic: 0 })).toEqual([])
    expect(evidence.overdue([dead], { now: 1_000_000 - hour, monotonic: 5_000 })).toEqual([])
    expect(evidence.overdue([dead], { now: 1_000_000 - hour, monotonic: 30_000 })).toEqual([])
    expect(evidence.overdue([dead], { now: 1_000_000 - hour, monotonic: 30_001 })).toEqual(['dead#1'])
  })

  // B111
  it('one who first looks after the step grants no lease more than the longest that there can be', () => {
    const evidence = createLeaseEvidence()
    const dead = { id: 'dead#1', leaseUntil: 10 * 365 * 24 * hour }
    expect(evidence.overdue([dead], { now: 0, monotonic: 0 })).toEqual([])
    expect(evidence.overdue([dead], { now: 1, monotonic: longestLeaseMs })).toEqual([])
    expect(evidence.overdue([dead], { now: 1, monotonic: longestLeaseMs + 1 })).toEqual(['dead#1'])
  })

  it('leaves a lease that the wall clock calls over to the sweep', () => {
    const evidence = createLeaseEvidence()
    const lease = { id: 'w#1', leaseUntil: 1_000 }
    evidence.overdue([lease], { now: 0, monotonic: 0 })
    expect(evidence.overdue([lease], { now: 1_000, monotonic: 5_000 })).toEqual([])
  })

  it('begins anew after a sleep, and forgets workers that are gone', () => {
    const evidence = createLeaseEvidence()
    const lease = { id: 'w#1', leaseUntil: 30_000 }
    for (const pause of [
      () => evidence.forget(),
      () => void evidence.overdue([], { now: 0, monotonic: 0 }),
    ]) {
      evidence.overdue([lease], { now: 0, monotonic: 0 })
      pause()
      expect(evidence.overdue([lease], { now: 0, monotonic: 40_000 })).toEqual([])
    }
  })

  it('never accuses a worker that renews in time, whatever the wall clock does', () => {
    const step = fc.record({
      passMs: fc.integer({ min: 1, max: 10_000 }),
      wallMs: fc.integer({ min: -10 * hour, max: 10 * hour }),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 20_001, max: longestLeaseMs }),
        fc.array(step, { maxLength: 50 }),
        (leaseMs, steps) => {
          const evidence = createLeaseEvidence()
          let now = 100 * hour
          let monotonic = 0
          for (const { passMs, wallMs } of steps) {
            const leaseUntil = now + leaseMs
            expect(evidence.overdue([{ id: 'w#1', leaseUntil }], { now, monotonic })).toEqual([])
            monotonic += passMs
            now += passMs + wallMs
            expect(evidence.overdue([{ id: 'w#1', leaseUntil }], { now, monotonic })).toEqual([])
          }
        },
      ),
    )
  })
})
