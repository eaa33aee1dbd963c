/**
 * Whether a worker that was told to run until nothing is left may go. It waits for jobs that run, are due, or come back
 * by themselves (backoff, deferral). It does not wait for what its own work cannot bring on: jobs delayed by their
 * producer, paused types, types without a handler here; those are named, so that nobody takes them for done.
 */
import type { StoreReader } from '../store/port.ts'

export interface LeftBehind {
  type: string
  count: number
  /** `handler`: no handler for the type here. */
  because: 'delay' | 'paused' | 'handler'
  /** Where a pause ends by itself: epoch ms. */
  untilAt?: number
}

export interface Emptiness {
  empty: boolean
  /** Only when empty. */
  left: readonly LeftBehind[]
}

/** What is left is counted only at the end: a look on the way costs the same whatever waits. @param types those that this worker handles */
export async function isEmpty(store: StoreReader, types: readonly string[], now: number): Promise<Emptiness> {
  if (await store.hasPending(types, now)) return { empty: false, left: [] }
  const handled = new Set(types)
  const left = (await store.types(now)).map(({ type, counts, pausedAt, pausedUntil }): LeftBehind => {
    const { available = 0, waiting = 0, running = 0 } = counts
    if (!handled.has(type)) return { type, count: available + waiting + running, because: 'handler' }
    // One that fell due since the look counts as what it was then.
    if (pausedAt === null) return { type, count: waiting, because: 'delay' }
    return {
      type,
      count: available + waiting,
      because: 'paused',
      ...(pausedUntil === null ? {} : { untilAt: pausedUntil }),
    }
  })
  return { empty: true, left: left.filter(({ count }) => count > 0) }
}
