import { describe, expect, it } from 'vitest'
import { createDueDateScheduler, type DueDates } from '../../src/engine/scheduler.ts'
import { seededRandom } from '../../src/random.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'

const dayMs = 24 * 60 * 60 * 1000

function setUp(options: Partial<DueDates> = {}) {
  const clock = createFakeClock(1_000_000)
  const looks: number[] = []
  const errors: unknown[] = []
  const dues: number[] = []
  const scheduler = createDueDateScheduler({
    clock,
    now: clock.now,
    look: async () => {
      looks.push(clock.now())
      for (let index = dues.length - 1; index >= 0; index--)
        if ((dues[index] ?? 0) <= clock.now()) dues.splice(index, 1)
    },
    nextDue: async () => (dues.length === 0 ? null : Math.min(...dues)),
    onError: (error) => errors.push(error),
    ...options,
  })
  return { clock, looks, errors, dues, scheduler }
}

describe('the due-date scheduler', () => {
  it('looks at once, then exactly when the next thing is due', async () => {
    const { clock, looks, dues, scheduler } = setUp()
    dues.push(1_000_400, 1_000_700)
    scheduler.start()
    await clock.advance(900)
    expect(looks).toEqual([1_000_000, 1_000_400, 1_000_700])
    await scheduler.stop()
    expect(clock.pendingTimers).toBe(0)
  })

  it('wakes earlier when it is told of an earlier date, not later when told of a later one', async () => {
    const { clock, looks, dues, scheduler } = setUp()
    dues.push(1_000_500)
    scheduler.start()
    await clock.settle()
    scheduler.expect(1_000_900)
    scheduler.expect(1_000_200)
    await clock.advance(600)
    expect(looks).toEqual([1_000_000, 1_000_200, 1_000_500])
    await scheduler.stop()
  })

  it('looks again when it was woken, or told, during a look', async () => {
    let release = () => {}
    const looks: number[] = []
    const { clock, scheduler } = setUp({
      look: () => {
        looks.push(looks.length)
        return looks.length > 1 ? Promise.resolve() : new Promise<void>((resolve) => (release = resolve))
      },
    })
    scheduler.start()
    await clock.settle()
    scheduler.wake()
    scheduler.expect(clock.now() + 300)
    release()
    await clock.settle()
    expect(looks).toHaveLength(2)
    await clock.advance(300)
    expect(looks).toHaveLength(3)
    await scheduler.stop()
  })

  it('keeps a wait of more than 24 days in one piece', async () => {
    const { clock, looks, dues, scheduler } = setUp({ pollMs: 400 * dayMs })
    dues.push(1_000_000 + 60 * dayMs)
    scheduler.start()
    await clock.advance(60 * dayMs - 1)
    expect(looks).toHaveLength(1)
    await clock.advance(1)
    expect(looks).toHaveLength(2)
    await scheduler.stop()
  })

  it('does not spin on something due that the look leaves where it is', async () => {
    let looks = 0
    const { clock, scheduler } = setUp({ look: async () => void looks++, nextDue: async () => 5 })
    scheduler.start()
    await clock.advance(10_000)
    expect(looks).toBe(11)
    await scheduler.stop()
  })

  // B017
  it('goes on after a look that throws, one that rejects with undefined, and one that hangs for a minute', async () => {
    const faults = [
      () => Promise.reject(new Error('unknown')),
      () => Promise.reject(undefined),
      () => clock.sleep(60_000),
    ]
    let looks = 0
    const { clock, errors, scheduler } = setUp({ look: () => faults[looks++]?.() ?? Promise.resolve() })
    scheduler.start()
    await clock.advance(2_000)
    expect(errors).toEqual([new Error('unknown'), undefined])
    await clock.advance(61_000)
    expect(looks).toBe(4)
    await scheduler.stop()
    expect(clock.pendingTimers).toBe(0)
  })

  // B111
  it('goes on looking when the wall clock goes back by a second, an hour, ten years, and forward by an hour', async () => {
    for (const step of [-1_000, -3_600_000, -10 * 365 * dayMs, 3_600_000]) {
      const { clock, looks, dues, scheduler } = setUp()
      dues.push(1_000_500)
      scheduler.start()
      await clock.settle()
      clock.setNow(clock.now() + step)
      const before = looks.length
      await clock.advance(5_000)
      expect(looks.length - before).toBeGreaterThanOrEqual(4)
      expect(dues).toHaveLength(clock.now() >= 1_000_500 ? 0 : 1)
      await scheduler.stop()
    }
  })

  it('starts no look after stop and leaves no timer', async () => {
    const { clock, looks, scheduler } = setUp()
    scheduler.start()
    scheduler.start()
    await clock.settle()
    await scheduler.stop()
    scheduler.wake()
    await clock.advance(5_000)
    expect(looks).toHaveLength(1)
    expect(clock.pendingTimers).toBe(0)
  })

  // B118
  it('in 10,000 rounds a job is seen at its time when told of it, and within one poll interval when not', async () => {
    const seed = 20_240_731
    const random = seededRandom(seed)
    const pollMs = 250
    const { clock, looks, dues, scheduler } = setUp({ pollMs })
    scheduler.start()
    for (let round = 0; round < 10_000; round++) {
      await clock.advance(Math.floor(random() * pollMs))
      const dueAt = clock.now() + Math.floor(random() * 2 * pollMs)
      const news = (['none', 'told', 'woken'] as const)[Math.floor(random() * 3)]
      dues.push(dueAt)
      if (news === 'told') scheduler.expect(dueAt)
      if (news === 'woken') scheduler.wake()
      looks.length = 0
      await clock.advance(dueAt - clock.now() + pollMs)
      const seenAt = looks.find((at) => at >= dueAt) ?? Number.POSITIVE_INFINITY
      const lateMs = seenAt - dueAt
      expect(lateMs, `seed ${seed}, round ${round}, ${news}`).toBeLessThanOrEqual(
        news === 'none' ? pollMs : 1,
      )
      expect(dues, `seed ${seed}, round ${round}`).toEqual([])
    }
    await scheduler.stop()
  })
})
