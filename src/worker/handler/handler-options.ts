/** The options that a handler may carry. */
import { isPlainObject, refuseUnknownKeys } from '../../text/option-reader.ts'
import type { AnyHandler } from './define-handler.ts'

const known: Readonly<Record<keyof AnyHandler, true>> = {
  type: true,
  run: true,
  variables: true,
  retries: true,
  backoff: true,
  onExhausted: true,
  businessErrors: true,
  timeout: true,
  concurrency: true,
  maxJobsActivated: true,
  backlogLimit: true,
  fetchVariables: true,
  dependencies: true,
}

export const handlerOptions: readonly string[] = Object.keys(known)

/** A plain object's every key must be an option. An instance of a class may keep what else it needs. */
export function refuseUnknownOptions(handler: object, type: string): void {
  if (isPlainObject(handler)) refuseUnknownKeys(handler, handlerOptions, { type })
}
