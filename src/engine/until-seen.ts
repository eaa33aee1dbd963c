/**
 * Looks at the store until there is something to be seen: whenever it has changed, and never longer apart than the poll.
 * What is looked for, and what it means, is the asker's. It reads only.
 */
import type { Clock } from '../clock.ts'
import { WfError } from '../domain/errors.ts'
import type { JobDetail, Store } from '../store/store.ts'
import { createDueDateScheduler } from './due-date-scheduler.ts'
import type { EngineEvents } from './events.ts'

export interface Changes {
  store: Pick<Store, 'watch'>
  /** Of an engine on the same connection, whose commits no watch reports. */
  events?: EngineEvents
}

export interface UntilSeen<T> extends Changes {
  clock: Clock
  timeoutMs: number
  signal?: AbortSignal
  /** Between two looks when nobody told of a change. */
  mostMs: number
  /** Null: nothing yet. */
  look(): Promise<T | null>
}

/** Between two looks while others write all the time. */
const leastMs = 50
/** Of the time that a look took: one at much is taken less often. */
const restFactor = 4
const readAtOnce = 32

/** Rejects with the store's error, but for a lock that will go. */
export function untilSeen<T>(options: UntilSeen<T>): Promise<T | 'timeout' | 'interrupted'> {
  const { clock, timeoutMs, signal, mostMs } = options
  const ending = new AbortController()
  return new Promise((resolve, reject) => {
    const end = (finish: () => void) => {
      if (ending.signal.aborted) return
      ending.abort()
      void scheduler.stop().then(finish, finish)
    }
    const scheduler = createDueDateScheduler({
      clock,
      now: clock.monotonic,
      pollMs: mostMs,
      nextDue: async () => null,
      async look() {
        const beganMs = clock.monotonic()
        const seen = await options.look()
        if (seen !== null) return end(() => resolve(seen))
        await clock.sleep(Math.max(leastMs, restFactor * (clock.monotonic() - beganMs)), ending.signal)
      },
      onError(error) {
        if (!isLock(error)) end(() => reject(error))
      },
    })
    const abort = () => end(() => resolve('interrupted'))
    const endings = [onChange(options, scheduler.wake), clock.after(timeoutMs, () => end(() => resolve('timeout')))]
    signal?.addEventListener('abort', abort, { once: true, signal: ending.signal })
    ending.signal.addEventListener('abort', () => void endings.map((each) => each()))
    if (signal?.aborted) abort()
    else scheduler.start()
  })
}

/** Tells of every change that could bring a job to rest, until what it answers is called. */
export function onChange({ store, events }: Changes, wake: () => void): () => void {
  const endings = [store.watch(wake)]
  if (events) endings.push(events.on('settled', wake), events.on('resolved', wake), events.on('stopped', wake))
  return () => {
    for (const end of endings) end()
  }
}

export function isLock(error: unknown): boolean {
  return error instanceof WfError && error.code === 'store_locked'
}

/** Jobs one after the other, a few read at a time: each read of a writer waits for its log to be synced, and those that wait together share one sync. */
export async function* readJobs(
  store: Pick<Store, 'job'>,
  keys: readonly number[],
): AsyncGenerator<readonly [key: number, detail: JobDetail | null]> {
  for (let start = 0; start < keys.length; start += readAtOnce) {
    const some = keys.slice(start, start + readAtOnce)
    const details = await Promise.all(some.map((key) => store.job(key)))
    for (const [index, key] of some.entries()) yield [key, details[index] ?? null]
  }
}
