/** An error and what is behind it, read as something that may lie: getters throw, causes circle, messages are no texts. */
import { attempt } from '../text/preview.ts'

const deepest = 8

/** A property of anything, undefined where there is none or where reading it throws. */
export function read(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  return attempt(() => (value as Record<string, unknown>)[key], undefined)
}

/** What was thrown, then its cause, the cause's cause …: at most 8 of them, each once. */
export function errorChain(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = []
  let next = thrown
  while (typeof next === 'object' && next !== null && chain.length < deepest && !chain.includes(next)) {
    chain.push(next)
    next = read(next, 'cause')
  }
  return chain
}

/** The errors that an AggregateError holds. */
export function innerErrors(thrown: unknown): readonly unknown[] {
  const errors = read(thrown, 'errors')
  return attempt(() => (Array.isArray(errors) ? errors.slice(0, deepest) : []), [])
}

export function textAt(value: unknown, key: string): string {
  const text = read(value, key)
  return typeof text === 'string' ? text : ''
}
