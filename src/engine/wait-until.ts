/**
 * Looks at the store until there is something to be seen, the time is over, or somebody has enough. What is looked for, and
 * what it means, is the asker's. It reads only.
 */
import { keepLooking, type Looks } from './poller.ts'

export interface UntilSeen<T> extends Omit<Looks, 'look' | 'onError'> {
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Null: nothing yet. */
  look(): Promise<T | null>
}

/** Rejects with the store's error, but for a lock that will go. */
export function untilSeen<T>({
  timeoutMs,
  signal,
  look,
  ...looks
}: UntilSeen<T>): Promise<T | 'timeout' | 'interrupted'> {
  if (signal?.aborted) return Promise.resolve('interrupted')
  return new Promise((resolve, reject) => {
    const ending = new AbortController()
    const end = (finish: () => void) => {
      if (ending.signal.aborted) return
      ending.abort()
      cancel()
      void looking.stop().then(finish, finish)
    }
    const cancel = looks.clock.after(timeoutMs, () => end(() => resolve('timeout')))
    signal?.addEventListener('abort', () => end(() => resolve('interrupted')), {
      once: true,
      signal: ending.signal,
    })
    const looking = keepLooking({
      ...looks,
      async look() {
        const seen = await look()
        if (seen !== null) end(() => resolve(seen))
      },
      onError: (error) => end(() => reject(error)),
    })
  })
}
