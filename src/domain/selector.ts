/** Reading what people write to say which jobs they mean. */
import { WfError } from './errors.ts'
import { preview } from './preview.ts'

/** A job key: digits only, 1 … 2^53 − 1. Refused, never rounded, beyond. Throws WfError `usage`. */
export function parseKey(text: string): number {
  const key = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(key)) {
    throw new WfError('usage', `${preview(text, 60)} is not a job key`, {
      hint: `a key is a whole number from 1 to ${Number.MAX_SAFE_INTEGER}, as wf jobs list shows it`,
    })
  }
  return key
}

/** Keys out of arguments or a stream: separated by blanks, commas or line ends; in order, each once. */
export function parseKeys(text: string): number[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  return [...new Set(words.map(parseKey))]
}
