import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../src/testing/fake-clock.ts'
import { LeaseWatch } from '../../../src/worker/child/child.ts'

describe('a child that listens for renewals', () => {
  // B064
  it('fences itself when it has heard of none until its lease is over', async () => {
    const clock = createFakeClock()
    const fences: number[] = []
    const watch = new LeaseWatch(clock, () => fences.push(clock.monotonic()))
    watch.held(2000)
    await clock.advance(1500)
    watch.held(2000)
    await clock.advance(1900)
    expect(fences).toEqual([])
    await clock.advance(1000)
    expect(fences).toEqual([3600])
    watch.end()
    expect(clock.pendingTimers).toBe(0)
  })

  // B064
  it('reads what came while its event loop was blocked before it believes that the lease is over', async () => {
    const clock = createFakeClock()
    let fenced = false
    const watch = new LeaseWatch(clock, () => {
      fenced = true
    })
    watch.held(2000)
    clock.block(60_000)
    await clock.advance(0)
    watch.held(2000)
    await clock.advance(1000)
    expect(fenced).toBe(false)
    watch.end()
  })
})
