/** A pace as people write it: a whole number and the unit of time that it is counted in, `20/s`, `90/m`, `1000/h`. */
import { WfError } from '../errors.ts'
import { preview } from './preview.ts'

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

/** One an hour to 10,000 a second. */
const mostPerSecond = 10_000

/** A second. Throws WfError `usage` naming `what`, the value and the form. */
export function parseRate(text: string, what: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})\/([smh])$/.exec(text) ?? []
  const perSecond = Number(count) / (secondsOf[unit] ?? 0)
  if (count !== '' && perSecond <= mostPerSecond) return perSecond
  const why = count === '' ? 'is not a pace' : 'is faster than 10000/s'
  throw new WfError('usage', `${what} ${preview(text, 60)} ${why}`, {
    hint: `write a whole number and a unit of s, m or h, such as 20/s or 90/m`,
  })
}
