/** Asks a handler's own functions, which may be wrong: what they say only counts when it is true or false. */
import { attempt } from '../text/preview.ts'

/** Undefined where there is no such function, where it throws, and where it gives no boolean: a promise would always be true. */
export function judgement<A>(own: ((asked: A) => unknown) | null, asked: A): boolean | undefined {
  const said = own === null ? undefined : attempt(() => own(asked), undefined)
  if (typeof said === 'boolean') return said
  if (said instanceof Promise) said.catch(() => {})
  return undefined
}
