/**
 * A clock that stands still until a test moves it. Wall time and monotonic time are separate, as on a real machine:
 * stepping the system clock moves only the first.
 */
import { type Clock, sleepOn } from '../clock.ts'

export interface FakeClock extends Clock {
  /** Advances both times by `ms` and fires due timers in order; promises and `setImmediate` settle in between. */
  advance(ms: number): Promise<void>
  /** Steps the wall clock only: no timer fires, monotonic time stands still. */
  setNow(epochMs: number): void
  /** Advances both times while nothing runs, like a blocked event loop. Timers that fell due fire at the next `advance`. */
  block(ms: number): void
  /** Lets promises and `setImmediate` settle without advancing time. */
  settle(): Promise<void>
  /** Number of timers that have neither fired nor been cancelled. */
  readonly pendingTimers: number
}

interface Timer {
  id: number
  /** Monotonic. */
  at: number
  fire: () => void
}

/** Enough for a chain of commit, claim and handler; a longer one needs another `settle`. */
const turnsToSettle = 12

/** 2024-01-01T00:00:00Z */
const defaultStartAt = 1_704_067_200_000

/** @param startAt epoch ms (default: 2024-01-01T00:00:00Z) */
export function createFakeClock(startAt = defaultStartAt): FakeClock {
  const timers = new Map<number, Timer>()
  let wall = startAt
  let elapsed = 0
  let ids = 0

  const earliest = (until: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers.values()) {
      if (timer.at <= until && (!first || timer.at < first.at)) first = timer
    }
    return first
  }
  const pass = (ms: number) => {
    elapsed += ms
    wall += ms
  }

  const clock: FakeClock = {
    now: () => Math.floor(wall),
    monotonic: () => elapsed,
    after(ms, fire) {
      if (!(ms >= 0) || ms === Number.POSITIVE_INFINITY)
        throw new RangeError(`a timer takes 0 or more finite milliseconds, not ${ms}`)
      const timer = { id: ++ids, at: elapsed + ms, fire }
      timers.set(timer.id, timer)
      return () => timers.delete(timer.id)
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    async advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`time can't advance by ${ms} ms`)
      const target = elapsed + ms
      await clock.settle()
      for (let timer = earliest(target); timer; timer = earliest(target)) {
        pass(Math.max(0, timer.at - elapsed))
        timers.delete(timer.id)
        timer.fire()
        await clock.settle()
      }
      pass(Math.max(0, target - elapsed))
    },
    setNow(epochMs) {
      wall = epochMs
    },
    block: pass,
    async settle() {
      for (let turn = 0; turn < turnsToSettle; turn++)
        await new Promise<void>((resolve) => setImmediate(resolve))
    },
    get pendingTimers() {
      return timers.size
    },
  }
  return clock
}
