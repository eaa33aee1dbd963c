/** Keys as a program gives them. Text is refused, never read: "17" taken apart would be the jobs 1 and 7. */
import { WfError } from '../errors.ts'
import { preview } from '../text/preview.ts'

/** Throws WfError `usage`. */
export function keyOf(key: unknown, what = 'a job'): number {
  if (typeof key === 'number' && Number.isSafeInteger(key) && key >= 1) return key
  throw new WfError('usage', `${preview(key, 60)} is no key of ${what}`, {
    hint: 'a key is a whole number from 1, as enqueue() answers it',
  })
}

/** Throws WfError `usage`. */
export function keysOf(keys: unknown): readonly number[] {
  return Array.isArray(keys) ? keys.map((key) => keyOf(key)) : [keyOf(keys)]
}

/** Throws WfError `usage` where a call cannot do without its options. */
export function given<T extends object>(options: T | undefined, needs: string): T {
  if (typeof options === 'object' && options !== null) return options
  throw new WfError('usage', `the options are ${preview(options, 60)}`, { hint: `give ${needs}` })
}
