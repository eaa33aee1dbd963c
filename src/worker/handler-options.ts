/** The options that a handler may carry, and how they are read: never from Object.prototype, whoever wrote there. */
import { WfError } from '../domain/errors.ts'
import { preview } from '../domain/preview.ts'
import type { AnyHandler } from './define-handler.ts'
import { nearestWord } from '../domain/nearest-word.ts'

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
}

export const handlerOptions: readonly string[] = Object.keys(known)

/** An option's value: the handler's own, or that of its class; undefined when neither has it. */
export function readOption(handler: object, key: string): unknown {
  for (let owner: object | null = handler; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, key)) return (handler as Record<string, unknown>)[key]
  }
  return undefined
}

/** A plain object's every key must be an option. An instance of a class may keep what else it needs. */
export function refuseUnknownOptions(handler: object, type: string): void {
  const prototype = Object.getPrototypeOf(handler)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return
  const stranger = Object.keys(handler).find((key) => !handlerOptions.includes(key))
  if (stranger === undefined) return
  const meant = nearestWord(stranger, handlerOptions)
  throw new WfError('invalid_handler', `handler ${preview(type)}: ${preview(stranger, 60)} is not an option`, {
    hint: meant ? `did you mean ${meant}?` : `a handler takes ${handlerOptions.join(', ')}`,
  })
}
