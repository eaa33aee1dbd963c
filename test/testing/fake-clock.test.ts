import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../src/testing/fake-clock.ts'

describe('the fake clock', () => {
  it('fires due timers in the order of their time, then of their making', async () => {
    const clock = createFakeClock()
    const fired: string[] = []
    clock.after(20, () => fired.push('late'))
    clock.after(10, () => fired.push('early'))
    clock.after(10, () => fired.push('early, set second'))
    clock.after(21, () => fired.push('not yet'))
    await clock.advance(20)
    expect(fired).toEqual(['early', 'early, set second', 'late'])
    expect(clock.pendingTimers).toBe(1)
  })

  it('shows each timer its own instant and fires what a timer sets within the same move', async () => {
    const clock = createFakeClock(1_000)
    const seen: number[] = []
    clock.after(10, () => {
      seen.push(clock.now())
      clock.after(10, () => seen.push(clock.now()))
    })
    await clock.advance(100)
    expect(seen).toEqual([1_010, 1_020])
    expect(clock.now()).toBe(1_100)
    expect(clock.monotonic()).toBe(100)
  })

  it('lets promises and setImmediate settle before it moves on', async () => {
    const clock = createFakeClock(0)
    const woken: number[] = []
    const loop = async () => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(10)
        await new Promise((resolve) => setImmediate(resolve))
        woken.push(clock.now())
      }
    }
    const done = loop()
    await clock.advance(30)
    await done
    expect(woken).toEqual([10, 20, 30])
  })

  it('steps the wall clock without moving monotonic time or firing a timer', async () => {
    const clock = createFakeClock(5_000)
    let fired = false
    clock.after(1_000, () => {
      fired = true
    })
    clock.setNow(-5_000)
    expect([clock.now(), clock.monotonic(), fired]).toEqual([-5_000, 0, false])
    await clock.advance(999)
    expect(fired).toBe(false)
    await clock.advance(1)
    expect(fired).toBe(true)
  })

  it('fires the timers of a blocked time late, at its end', async () => {
    const clock = createFakeClock(0)
    const seen: number[] = []
    clock.after(10, () => seen.push(clock.now()))
    clock.block(500)
    expect(seen).toEqual([])
    await clock.advance(0)
    expect(seen).toEqual([500])
  })

  it('keeps nothing of a cancelled timer or an aborted sleep', async () => {
    const clock = createFakeClock()
    const cancel = clock.after(10, () => expect.unreachable())
    cancel()
    const stop = new AbortController()
    const slept = clock.sleep(1_000_000, stop.signal)
    stop.abort()
    await slept
    expect(clock.pendingTimers).toBe(0)
    await clock.advance(20)
  })

  it('refuses a wait that no timer can keep', () => {
    const clock = createFakeClock()
    for (const ms of [Number.NaN, -1, Number.POSITIVE_INFINITY])
      expect(() => clock.after(ms, () => undefined)).toThrow(RangeError)
  })
})
