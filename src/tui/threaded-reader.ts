/** A reader that runs in a thread of its own. */
import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import { WfError } from '../errors.ts'
import type { StoreReader } from '../store/port.ts'
import type { Answer, CarriedError } from './reader-thread.ts'

export type ClockedReader = StoreReader & { now(): number }

interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Rejects with the WfErrors of a store that cannot be opened. */
export async function openThreadedReader(config: Config, now: () => number): Promise<ClockedReader> {
  const thread = new Worker(new URL('./reader-thread.js', import.meta.url), { workerData: config })
  const waiting = new Map<number, Waiting>()
  let ended: unknown = null
  let lastId = 0
  const end = (error: unknown) => {
    ended ??= error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  thread.on('message', (answer: Answer) => {
    const question = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('error' in answer) question?.reject(errorOf(answer.error))
    else question?.resolve(answer.value)
  })
  thread.on('error', end)
  thread.on('exit', () => end(new WfError('unexpected', 'the thread that reads the store has ended')))
  const ask = (method: string, values: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (ended !== null) return reject(ended)
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      thread.postMessage({ id, method, values })
    })
  const close = async () => {
    await ask('close', []).catch(() => undefined)
    await thread.terminate()
  }
  const reader = readerOn(ask, { close, now })
  try {
    await reader.info()
  } catch (error) {
    await reader.close()
    throw error
  }
  return reader
}

/** Turns each method into a request to the thread, except its own. */
function readerOn(
  ask: (method: string, values: readonly unknown[]) => Promise<unknown>,
  own: Pick<ClockedReader, 'close' | 'now'>,
): ClockedReader {
  return new Proxy(own as ClockedReader, {
    get: (_, method) => {
      // It is no promise: `await` must find no `then`.
      if (typeof method !== 'string' || method === 'then') return
      return method in own
        ? own[method as keyof typeof own]
        : (...values: readonly unknown[]) => ask(method, values)
    },
  })
}

function errorOf({ message, code, hint }: CarriedError): Error {
  return code === null ? new Error(message) : new WfError(code, message, { hint })
}
