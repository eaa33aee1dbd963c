/**
 * Decides when to look again: one timer for whatever is due next, be it a backoff, a delay, a deferral or a lease.
 * It owns no work and no truth. What it calls, `look`, finds out for itself what is there; a look too many costs a
 * read, so every doubt ends in a look. It never relies on being told: without news it looks every `pollMs`.
 */
import type { Cancel, Clock } from '../clock.ts'

export interface DueDateScheduler {
  /** Looks at once, then whenever something is due. */
  start(): void
  /** Look now; while a look is under way, once more right after it. */
  wake(): void
  /** Something will be due at `at` (epoch ms, by the store's clock). Only ever makes the next look earlier. */
  expect(at: number): void
  /** No look starts any more; resolves when the one under way is over. */
  stop(): Promise<void>
}

export interface DueDates {
  clock: Clock
  /** The clock that due times are judged by: `store.now`. */
  now: () => number
  look: () => Promise<void>
  /** Epoch ms of the next thing due; null for none. What was due before the last look began is left to the poll: that look did not want it. */
  nextDue: () => Promise<number | null>
  /** Longest time without a look, in ms, whatever was told; default 1,000. A stepped clock or lost news costs no more than this. */
  pollMs?: number
  /** A look or a question failed; the next one comes after `pollMs`. */
  onError: (error: unknown) => void
}

const never = Number.POSITIVE_INFINITY

export function createDueDateScheduler(options: DueDates): DueDateScheduler {
  const { now, pollMs = 1_000 } = options
  const alarm = createAlarm(options.clock)
  let running: Promise<void> | null = null
  let stopped = false
  let woken = false
  let toldAt = never
  let dueAt = never

  const sleepMs = () => Math.min(Math.max(Math.min(dueAt, toldAt) - now(), 0), pollMs)
  const run = async () => {
    while (!stopped) {
      woken = false
      const lookedAt = now()
      if (toldAt <= lookedAt) toldAt = never
      const found = await lookAndAsk(options)
      dueAt = found !== null && found > lookedAt ? found : never
      if (!stopped && !woken) await alarm.wait(sleepMs)
    }
  }

  return {
    start() {
      running ??= run()
    },
    wake() {
      woken = true
      alarm.ring()
    },
    expect(at) {
      if (!(at < toldAt)) return
      toldAt = at
      alarm.rearm()
    },
    async stop() {
      stopped = true
      alarm.ring()
      await running
    },
  }
}

async function lookAndAsk({ look, nextDue, onError }: DueDates): Promise<number | null> {
  try {
    await look()
    return await nextDue()
  } catch (error) {
    onError(error)
    return null
  }
}

/** A wait whose end can be moved. `ring` and `rearm` do nothing while nobody waits. */
function createAlarm(clock: Clock) {
  let waiting: { rearm(): void; end(): void } | null = null
  return {
    wait(ms: () => number): Promise<void> {
      return new Promise((resolve) => {
        let cancel: Cancel = () => undefined
        const end = () => {
          cancel()
          waiting = null
          resolve()
        }
        const rearm = () => {
          cancel()
          cancel = clock.after(ms(), end)
        }
        waiting = { rearm, end }
        rearm()
      })
    },
    ring: () => waiting?.end(),
    rearm: () => waiting?.rearm(),
  }
}
