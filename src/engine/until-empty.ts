/**
 * Whether a worker that was told to run until nothing is left may go. It waits for jobs that run, are due, or come back
 * by themselves (backoff, deferral). It does not wait for what its own work cannot bring on: jobs delayed by their
 * producer, paused types, types without a handler here; those are named, so that nobody takes them for done.
 */
import type { StoreReader } from '../store/store.ts'

export interface LeftBehind {
  type: string
  count: number
  /** `handler`: no handler for the type here. */
  because: 'delay' | 'paused' | 'handler'
}

export interface Emptiness {
  empty: boolean
  /** At least so many are due, running, or come back: what is waited for. */
  pending: number
  left: readonly LeftBehind[]
}

/** @param types those that this worker handles */
export async function isEmpty(store: StoreReader, types: readonly string[], now: number): Promise<Emptiness> {
  const handled = new Set(types)
  const views = await store.types(now)
  const left: LeftBehind[] = []
  let pending = 0
  for (const { type, counts, pausedAt } of views) {
    const { available = 0, waiting = 0, running = 0 } = counts
    if (!handled.has(type)) left.push({ type, count: available + waiting + running, because: 'handler' })
    else if (pausedAt !== null) {
      pending += running
      left.push({ type, count: available + waiting, because: 'paused' })
    } else {
      const later = waiting === 0 ? { comeBack: 0, delayed: 0 } : await lookAtWaiting(store, type, now)
      pending += running + available + later.comeBack
      left.push({ type, count: later.delayed, because: 'delay' })
    }
  }
  return { empty: pending === 0, pending, left: left.filter(({ count }) => count > 0) }
}

/** A delay that is over is due, not delayed. The first page with a job that comes back is answer enough: only a true end costs a full look. */
async function lookAtWaiting(store: StoreReader, type: string, now: number): Promise<{ comeBack: number; delayed: number }> {
  let delayed = 0
  let cursor: string | undefined
  for (;;) {
    const page = await store.jobs({ types: [type], states: ['waiting'] }, { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) })
    const here = page.items.filter(({ waitReason, runAt }) => waitReason === 'delay' && runAt > now).length
    delayed += here
    const comeBack = page.items.length - here
    if (comeBack > 0 || page.next === null) return { comeBack, delayed }
    cursor = page.next
  }
}
