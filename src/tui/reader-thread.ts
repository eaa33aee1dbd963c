/**
 * The thread that reads the store for the dashboard: SQLite blocks its thread, and keys must
 * not wait while a million jobs are counted. It answers one request after another.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../app.ts'
import type { Config } from '../config.ts'
import { WfError, type ErrorCode } from '../errors.ts'

export interface Question {
  id: number
  method: string
  values: readonly unknown[]
}

/** Errors lose their class between threads, so their fields travel. */
export interface CarriedError {
  message: string
  code: ErrorCode | null
  hint: string
}

export type Answer = { id: number } & ({ value: unknown } | { error: CarriedError })

const port = parentPort
if (port) {
  const opening = openStore({ mode: 'read', config: workerData as Config })
  port.on('message', async ({ id, method, values }: Question) => {
    try {
      const store = (await opening) as unknown as Record<
        string,
        (...values: readonly unknown[]) => Promise<unknown>
      >
      port.postMessage({ id, value: await store[method]?.(...values) } satisfies Answer)
      if (method === 'close') port.close()
    } catch (error) {
      port.postMessage({ id, error: carried(error) } satisfies Answer)
    }
  })
  opening.catch(() => undefined)
}

function carried(error: unknown): CarriedError {
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof WfError
    ? { message, code: error.code, hint: error.hint }
    : { message, code: null, hint: '' }
}
