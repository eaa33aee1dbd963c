import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { LeaseFence } from '../../../src/worker/leases/renewals.ts'

function watched() {
  const clock = createFakeClock()
  const heard: string[] = []
  const ended = new AbortController()
  const fence = new LeaseFence({
    clock,
    leaseMs: 30_000,
    renewMs: 10_000,
    onJump: () => heard.push('jump'),
    onFence: () => heard.push('fence'),
  })
  const watching = fence.watch(ended.signal)
  const end = () => {
    ended.abort()
    return watching
  }
  return { clock, heard, fence, end }
}

describe('the fence of a lease', () => {
  // B077
  it('closes once when no renewal was stored for a whole lease, and again only after one was', async () => {
    const { clock, heard, fence, end } = watched()
    await clock.advance(29_000)
    expect(heard).toEqual([])
    await clock.advance(31_000)
    expect(heard).toEqual(['fence'])
    fence.renewed(clock.monotonic())
    await clock.advance(29_000)
    expect(heard).toEqual(['fence'])
    await clock.advance(2000)
    expect(heard).toEqual(['fence', 'fence'])
    await end()
    expect(clock.pendingTimers).toBe(0)
  })

  // A08
  it('does not count the time in which the process slept', async () => {
    const { clock, heard, fence, end } = watched()
    fence.renewed(clock.monotonic())
    await clock.advance(5000)
    clock.block(3_600_000)
    await clock.advance(1000)
    expect(heard).toEqual([])
    await end()
  })

  // A08
  it('asks for a renewal at once when the wall clock jumps ahead', async () => {
    const { clock, heard, end } = watched()
    await clock.advance(5000)
    clock.setNow(clock.now() + 3_600_000)
    await clock.advance(1000)
    expect(heard).toEqual(['jump'])
    await end()
  })
})
