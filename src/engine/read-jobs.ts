import type { Store } from '../store/port.ts'
import type { JobDetail } from '../store/views.ts'

const readAtOnce = 32

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
