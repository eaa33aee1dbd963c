import { describe, expect, it } from 'vitest'
import type { BreakerSnapshot } from '../../../src/resilience/circuit-breaker.ts'
import { BreakerGate } from '../../../src/worker/intake/breaker-gate.ts'

const closed = (generation = 1, ageMs = 0): BreakerSnapshot => ({
  mode: 'closed',
  generation,
  ageMs,
  retryInMs: 0,
})
const open = (generation = 2, retryInMs = 30_000): BreakerSnapshot => ({
  mode: 'open',
  generation,
  ageMs: 0,
  retryInMs,
})
const halfOpen = (generation = 3, retryInMs = 0): BreakerSnapshot => ({
  mode: 'half_open',
  generation,
  ageMs: 0,
  retryInMs,
})

/** How many jobs are claimed in each second when as many are claimed as there is room for, and each ends at once. */
function claimedBySecond(gate: BreakerGate, { seconds, most }: { seconds: number; most: number }): number[] {
  let key = 0
  return Array.from({ length: seconds }, (_, second) => {
    let claimed = 0
    for (let at = second * 1_000; at < (second + 1) * 1_000; at += 100) {
      gate.see(closed(4, at), 10_000 + at)
      for (; gate.room > 0 && claimed < most; claimed++) gate.claimed(key++)
    }
    return claimed
  })
}

describe('a gate', () => {
  it('holds nobody while the breaker is closed, not even where its counts begin anew', () => {
    const gate = new BreakerGate({ probes: 1, openForMs: 30_000, concurrency: 10 })
    gate.see(closed(1), 0)
    gate.claimed(1)
    gate.see(closed(2), 1_000)
    expect([gate.room, gate.changesInMs]).toEqual([Number.POSITIVE_INFINITY, null])
  })

  // A27
  it('lets nothing through while it is open, and says for how long', () => {
    const gate = new BreakerGate({ probes: 3, openForMs: 30_000, concurrency: 10 })
    gate.see(open(2, 1_234), 0)
    expect([gate.room, gate.changesInMs]).toEqual([0, 1_234])
  })

  // A27
  it('lets as many through as there are probes while it is half-open, and another when one is over', () => {
    const gate = new BreakerGate({ probes: 2, openForMs: 30_000, concurrency: 10 })
    gate.see(open(), 0)
    gate.see(halfOpen(), 30_000)
    expect(gate.room).toBe(2)
    gate.claimed(1)
    gate.claimed(2)
    expect(gate.room).toBe(0)
    gate.freed(1)
    expect(gate.room).toBe(1)
    gate.see(halfOpen(3, 5_000), 30_001)
    expect([gate.room, gate.changesInMs]).toEqual([0, 5_000])
  })

  // B038
  it('lets another through when a probe has taken as long as its permit lasts', () => {
    const gate = new BreakerGate({ probes: 1, openForMs: 30_000, concurrency: 10 })
    gate.see(halfOpen(), 0)
    gate.claimed(1)
    gate.see(halfOpen(), 29_999)
    expect(gate.room).toBe(0)
    gate.see(halfOpen(), 30_000)
    expect(gate.room).toBe(1)
  })

  it('counts no probe of an earlier opening', () => {
    const gate = new BreakerGate({ probes: 1, openForMs: 30_000, concurrency: 10 })
    gate.see(halfOpen(3), 0)
    gate.claimed(1)
    gate.see(open(4), 1)
    gate.see(halfOpen(5), 30_001)
    expect(gate.room).toBe(1)
  })

  it('lets one, two, four … a second through after it has closed, until that is all that may run', () => {
    const gate = new BreakerGate({ probes: 1, openForMs: 30_000, concurrency: 10 })
    gate.see(halfOpen(), 9_000)
    expect(claimedBySecond(gate, { seconds: 6, most: 100 })).toEqual([1, 2, 4, 8, 100, 100])
    expect(gate.changesInMs).toBeNull()
  })

  it('says when the next step of the ramp begins, and ends the ramp when it opens again', () => {
    const gate = new BreakerGate({ probes: 1, openForMs: 30_000, concurrency: 10 })
    gate.see(halfOpen(), 9_000)
    gate.see(closed(4, 250), 10_250)
    expect(gate.changesInMs).toBe(750)
    gate.see(open(5), 10_500)
    expect(gate.room).toBe(0)
    gate.see(closed(6, 0), 11_000)
    expect(gate.room).toBe(1)
  })
})
