/**
 * Waits until jobs have come to rest: finished, or stopped until a person acts. All waits of a process share one look,
 * woken by changes of the store and never longer apart than the poll. It reads only.
 */
import type { Cancel } from '../clock.ts'
import { WfError } from '../errors.ts'
import type { JobState } from '../domain/job.ts'
import type { Store } from '../store/port.ts'
import { keepLooking, type Looking, type Looks } from './poller.ts'
import { readJobs } from './read-jobs.ts'
import type { JobDetail } from '../store/views.ts'

export interface JobWaiter {
  /** The job at rest; null when there is none of this key (any more). Rejects with a WfError `wait_timeout`, with the signal's reason, or with the store's error. */
  wait(key: number, options?: WaitOptions): Promise<JobDetail | null>
  /** Ends every wait with an error. */
  close(): Promise<void>
}

export interface WaitOptions {
  /** Unset: for ever. */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface JobWaiterParts extends Pick<Looks, 'events' | 'clock'> {
  store: Pick<Store, 'job' | 'jobs' | 'watch'>
}

const restStates: ReadonlySet<JobState> = new Set(['completed', 'rejected', 'cancelled', 'failed', 'dead'])
/** Between two looks when nobody told of a change. */
const mostMs = 500
const keysPerLook = 1_000

interface Waiting {
  key: number
  resolve(detail: JobDetail | null): void
  reject(error: unknown): void
}

export function createJobWaiter(parts: JobWaiterParts): JobWaiter {
  const { clock } = parts
  const waiting = new Set<Waiting>()
  let looking: Looking | null = null
  let closed = false

  const begin = (one: Waiting) => {
    waiting.add(one)
    looking ??= keepLooking({
      ...parts,
      mostMs,
      look: () => answer(parts.store, waiting),
      onError(error) {
        for (const each of waiting) each.reject(error)
      },
    })
    looking.wake()
  }
  const leave = async (one: Waiting) => {
    waiting.delete(one)
    if (waiting.size > 0) return
    const last = looking
    looking = null
    await last?.stop()
  }
  return {
    async wait(key, { timeoutMs, signal } = {}) {
      if (closed) throw closedError()
      signal?.throwIfAborted()
      const { one, outcome } = newWaiting(key)
      const abort = () => one.reject(signal?.reason)
      const cancel: Cancel =
        timeoutMs === undefined
          ? () => undefined
          : clock.after(timeoutMs, () => one.reject(timeoutError(key, timeoutMs)))
      signal?.addEventListener('abort', abort, { once: true })
      begin(one)
      try {
        return await outcome
      } finally {
        cancel()
        signal?.removeEventListener('abort', abort)
        await leave(one)
      }
    },
    async close() {
      closed = true
      for (const one of waiting) one.reject(closedError())
      await Promise.all([...waiting].map(leave))
    },
  }
}

function newWaiting(key: number): { one: Waiting; outcome: Promise<JobDetail | null> } {
  const one: Waiting = { key, resolve: () => undefined, reject: () => undefined }
  const outcome = new Promise<JobDetail | null>((resolve, reject) => Object.assign(one, { resolve, reject }))
  return { one, outcome }
}

async function answer(store: JobWaiterParts['store'], waiting: ReadonlySet<Waiting>): Promise<void> {
  const keys = [...new Set([...waiting].map(({ key }) => key))]
  for (let start = 0; start < keys.length; start += keysPerLook) {
    const asked = keys.slice(start, start + keysPerLook)
    const { items } = await store.jobs({ keys: asked }, { limit: keysPerLook })
    const atWork = new Set(items.filter(({ state }) => !restStates.has(state)).map(({ key }) => key))
    const ended = asked.filter((key) => !atWork.has(key))
    for await (const [key, detail] of readJobs(store, ended)) {
      // Between the two reads somebody may have sent it to work again.
      if (detail && !restStates.has(detail.job.state)) continue
      for (const one of waiting) if (one.key === key) one.resolve(detail)
    }
  }
}

function timeoutError(key: number, timeoutMs: number): WfError {
  return new WfError('wait_timeout', `job ${key} has not come to rest within ${timeoutMs} ms`, {
    hint: 'it goes on by itself: wait again, or look at it',
  })
}

function closedError(): WfError {
  return new WfError('store_unavailable', 'the client was closed while it waited', {
    hint: 'close it when nothing waits any more',
  })
}
