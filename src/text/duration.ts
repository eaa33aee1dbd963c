/**
 * Durations as people write them: whole numbers with a unit, largest first, each unit once: `250ms`, `30s`, `5m`,
 * `2h`, `1d`, `1h30m`. No sign, no fraction, no blanks, no leading zero, lower case only, and never a number
 * without its unit: `5` could be five of anything. A number given from code is milliseconds.
 */
import { WfError } from '../errors.ts'
import { preview } from './preview.ts'

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const

/** Ten years: whatever lies beyond is a slip, and a job that waits for it is lost. */
export const maxDurationMs = 3_653 * unitMs.d

const number = '(0|[1-9]\\d{0,14})'
const form = new RegExp(`^(?:${number}d)?(?:${number}h)?(?:${number}m)?(?:${number}s)?(?:${number}ms)?$`)

const durationForm =
  'write whole numbers with a unit of ms, s, m, h or d, such as 250ms, 30s, 5m, 2h, 1d or 1h30m'

/** Whole milliseconds, 0 … ten years. Throws WfError `usage` naming `what`, the value and the form. */
export function parseDuration(value: number | string, what = 'the duration'): number {
  const ms = typeof value === 'number' ? Math.round(value) : textMs(value)
  if (Number.isNaN(ms))
    throw refusal(
      what,
      value,
      typeof value === 'number' ? 'is not a number of milliseconds' : 'is not a duration',
    )
  if (ms < 0) throw refusal(what, value, 'is negative')
  if (ms > maxDurationMs) throw refusal(what, value, 'is longer than ten years')
  return ms
}

function textMs(text: unknown): number {
  const parts = typeof text === 'string' && text !== '' && text.length <= 80 ? form.exec(text) : null
  if (!parts) return Number.NaN
  return Object.values(unitMs).reduce((sum, ms, index) => sum + Number(parts[index + 1] ?? 0) * ms, 0)
}

function refusal(what: string, value: unknown, why: string): WfError {
  return new WfError('usage', `${what} ${preview(value, 60)} ${why}`, { hint: durationForm })
}

/** For people: the two largest units, `250ms`, `1.5s`, `42s`, `3m5s`, `2h10m`, `4d`. Read back by parseDuration except `1.5s`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '?'
  if (ms < 0) return `-${formatDuration(-ms)}`
  if (ms < 999.5) return `${Math.round(ms)}ms`
  if (ms < 9_950) return `${Math.round(ms / 100) / 10}s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return twoUnits(Math.floor(seconds / 60), 'm', seconds % 60, 's')
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1_440) return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'm')
  const hours = Math.round(ms / 3_600_000)
  return twoUnits(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large > 0 ? `${large}${largeUnit}` : ''}${small > 0 ? `${small}${smallUnit}` : ''}`
}

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
