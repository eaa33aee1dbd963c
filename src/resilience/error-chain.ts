/** Reads what a handler or its libraries gave, which may misbehave: getters throw, causes are circular, predicates return promises. */
import { attempt } from '../text/preview.ts'

const maxDepth = 8

/** Returns a property of any value; undefined if there is none or reading it throws. */
export function read(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  return attempt(() => (value as Record<string, unknown>)[key], undefined)
}

/** Returns a thrown value, then its cause, the cause's cause and so on: at most 8 of them, each once. */
export function errorChain(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = []
  let next = thrown
  while (typeof next === 'object' && next !== null && chain.length < maxDepth && !chain.includes(next)) {
    chain.push(next)
    next = read(next, 'cause')
  }
  return chain
}

/** Returns the errors of an AggregateError, at most 8. */
export function innerErrors(thrown: unknown): readonly unknown[] {
  const errors = read(thrown, 'errors')
  return attempt(() => (Array.isArray(errors) ? errors.slice(0, maxDepth) : []), [])
}

export function textAt(value: unknown, key: string): string {
  const text = read(value, key)
  return typeof text === 'string' ? text : ''
}

/** Calls a handler's predicate. Undefined if it is null, throws, or returns no boolean: a promise would always be true. */
export function predicateResult<A>(predicate: ((value: A) => unknown) | null, value: A): boolean | undefined {
  const result = predicate === null ? undefined : attempt(() => predicate(value), undefined)
  if (typeof result === 'boolean') return result
  if (result instanceof Promise) result.catch(() => {})
  return undefined
}
