/** Reading what was typed. Every value is taken exactly as documented or refused with its name, itself and the range. */
import { parseDuration } from './duration.ts'
import { WfError } from '../errors.ts'
import { didYouMean, nearWords } from './suggest.ts'
import { preview } from './preview.ts'

export interface Range {
  min: number
  max: number
}

/** Decimal digits, a minus where the range allows it; no plus, blank, leading zero, underscore, exponent or other script. */
export function readInteger(text: string, name: string, { min, max }: Range): number {
  const number = /^(0|-?[1-9]\d{0,16})$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number
  throw new WfError(
    'usage',
    `${name} ${preview(text, 60)} is not a whole number from ${thousands(min)} to ${thousands(max)}`,
    {
      hint: `${name} takes plain digits, such as ${Math.max(min, Math.min(max, 3))}`,
    },
  )
}

export function readDuration(
  text: string,
  name: string,
  { min, max }: Range = { min: 0, max: Number.MAX_SAFE_INTEGER },
): number {
  const ms = parseDuration(text, name)
  if (ms < min) throw new WfError('usage', `${name} ${preview(text, 60)} is too short: at least ${min} ms`)
  if (ms > max) throw new WfError('usage', `${name} ${preview(text, 60)} is too long: at most ${max} ms`)
  return ms
}

const instantForm =
  /^\d{4}-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** Epoch ms. ISO 8601 with its zone: without one it would mean another moment on another machine. */
export function readInstant(text: string, name: string): number {
  const match = instantForm.exec(text)
  const at = match && isDayOfMonth(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new WfError('usage', `${name} ${preview(text, 60)} is not an instant`, {
    hint: 'write date, time and zone, such as 2030-01-31T09:00:00Z or 2030-01-31T09:00:00+01:00',
  })
}

/** Some dates that no month has would roll over into the next. */
function isDayOfMonth(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}

/** An instant in epoch ms, or a duration from now as it was written. */
export function readDeadline(text: string, name: string): number | string {
  if (/^\d{4}-/.test(text)) return readInstant(text, name)
  readDuration(text, name)
  return text
}

export function readChoice<T extends string>(text: string, name: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  const near = nearWords([text], choices)
  throw new WfError(
    'usage',
    `${name} ${preview(text, 60)} is none of ${choices.join(', ')}`,
    near.length > 0 ? { hint: didYouMean(near) } : {},
  )
}

/** Text that must say something. */
export function readText(text: string, name: string, maxCharacters = 1_000): string {
  if (text.trim() === '') throw new WfError('usage', `${name} is empty`)
  if (text.length > maxCharacters)
    throw new WfError(
      'usage',
      `${name} has ${thousands(text.length)} characters; ${thousands(maxCharacters)} is the most`,
    )
  return text
}

const thousands = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',')
