/**
 * Looks at the store again and again, for whoever waits for something in it: whenever it has changed, never longer apart than
 * the poll, and never so often that the looks are what the store is busy with. It reads only what `look` reads.
 */
import type { Clock } from '../clock.ts'
import { WfError } from '../errors.ts'
import type { Store } from '../store/port.ts'
import { createDueDateScheduler } from './scheduler.ts'
import type { EngineEvents } from './events.ts'

export interface Looks {
  store: Pick<Store, 'watch'>
  /** Of an engine on the same connection, whose commits no watch reports. */
  events?: EngineEvents
  clock: Clock
  /** Between two looks when nobody told of a change, in ms. */
  mostMs: number
  /** Shortest time between two looks, in ms (default: 20). */
  leastMs?: number
  look(): Promise<void>
  /** Of a look; not told of a lock, which will go. The looks go on until they are stopped. */
  onError(error: unknown): void
}

export interface Looking {
  /** Looks now; while a look is under way, once more after it. */
  wake(): void
  /** No look begins any more; resolves when the one under way is over. */
  stop(): Promise<void>
}

/** Of the time that a look took: one at much is taken less often. */
const restFactor = 4

/** Looks at once, and then until it is stopped. */
export function keepLooking({ store, events, clock, mostMs, leastMs = 20, look, onError }: Looks): Looking {
  const ending = new AbortController()
  const scheduler = createDueDateScheduler({
    clock,
    now: clock.monotonic,
    pollMs: mostMs,
    nextDue: async () => null,
    async look() {
      const beganMs = clock.monotonic()
      await look()
      const tookMs = clock.monotonic() - beganMs
      if (!ending.signal.aborted)
        await clock.sleep(Math.min(mostMs, Math.max(leastMs, restFactor * tookMs)), ending.signal)
    },
    onError: (error) => (isLock(error) ? undefined : onError(error)),
  })
  const { wake } = scheduler
  const endings = [
    store.watch(wake),
    ...(events ? [events.on('settled', wake), events.on('resolved', wake), events.on('stopped', wake)] : []),
  ]
  scheduler.start()
  return {
    wake,
    stop() {
      ending.abort()
      for (const end of endings.splice(0)) end()
      return scheduler.stop()
    },
  }
}

function isLock(error: unknown): boolean {
  return error instanceof WfError && error.code === 'store_locked'
}
