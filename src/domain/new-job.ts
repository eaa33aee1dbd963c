/** From what a producer says to a NewJob: every value checked, every default filled in. */
import { maxDurationMs, parseDuration } from '../text/duration.ts'
import { WfError } from '../errors.ts'
import { idempotencyHash } from './idempotency.ts'
import { defaultRetries, defaultSizes, limits, sizeSettings, type NewJob } from './job.ts'
import { isJsonObject, toJson } from '../text/json.ts'
import { preview } from '../text/preview.ts'

/** What a producer may say. Instants are epoch ms or Dates; durations ms or text like `30s`. */
export interface EnqueueInput {
  type: string
  /** An object of plain JSON data; default `{}`. */
  variables?: object
  /** Higher is claimed first; whole, −1,000,000 … 1,000,000; default 0. */
  priority?: number
  /** Not before this long from now. Not together with `at`. */
  delay?: number | string
  /** Not before this instant; a past one means at once. At most ten years ahead. */
  at?: number | Date
  /** Executions, 1 … 1,000; default: the handler's, else 3. */
  retries?: number
  /** Same type, key and variables: the same job. 1 … 500 characters. */
  idempotencyKey?: string
  /** Last instant at which an attempt may start: a Date or epoch ms; text such as `2h` is how long from now. */
  deadline?: number | string | Date
  parentKey?: number
}

const inputKeys: ReadonlySet<string> = new Set<keyof EnqueueInput>([
  'type',
  'variables',
  'priority',
  'delay',
  'at',
  'retries',
  'idempotencyKey',
  'deadline',
  'parentKey',
])

/** Throws WfError `invalid_job` naming the option, its value and what is allowed. `when` of a child is not looked at. */
export function newJob(
  input: EnqueueInput,
  now: number,
  variablesBytes: number = defaultSizes.variablesBytes,
): NewJob {
  const stranger = Object.keys(input).find((key) => !inputKeys.has(key) && key !== 'when')
  if (stranger !== undefined)
    throw invalid(
      `${preview(stranger, 60)} is not an option of a job`,
      `the options are ${[...inputKeys].join(', ')}`,
    )
  const type = checkType(input.type)
  const variables = variablesText(input, variablesBytes)
  const runAt = runAtOf(input, now)
  const deadlineAt = input.deadline === undefined ? null : deadlineOf(input.deadline, now)
  if (deadlineAt !== null && deadlineAt < runAt) {
    throw invalid(
      `the deadline (${iso(deadlineAt)}) is before the job's first start (${iso(runAt)})`,
      'move one of them, or leave the deadline out',
    )
  }
  return {
    type,
    variables,
    priority: whole('priority', input.priority, {
      min: -limits.priority,
      max: limits.priority,
      otherwise: 0,
    }),
    runAt,
    retries: whole('retries', input.retries, { min: 1, max: limits.retries, otherwise: defaultRetries }),
    retriesGiven: input.retries !== undefined,
    deadlineAt,
    parentKey:
      input.parentKey === undefined
        ? null
        : whole('parentKey', input.parentKey, { min: 1, max: Number.MAX_SAFE_INTEGER, otherwise: 1 }),
    idempotency:
      input.idempotencyKey === undefined
        ? null
        : { key: checkKey(input.idempotencyKey), hash: idempotencyHash(type, variables) },
  }
}

/**
 * A job's type: 1 … 200 characters, no blanks around it, no control characters, no dash at its beginning, for commands that
 * name it would take it for a flag. Throws WfError `invalid_job`.
 */
export function checkType(type: unknown): string {
  if (typeof type !== 'string' || type === '')
    throw invalid(`the type is ${preview(type, 60)}`, 'a type is text, such as charge-payment')
  checkText('the type', type, limits.typeCharacters)
  if (type !== type.trim())
    throw invalid(`the type ${preview(type, 60)} has blanks around it`, `write ${preview(type.trim(), 60)}`)
  if (type.startsWith('-'))
    throw invalid(
      `the type ${preview(type, 60)} begins with a dash`,
      `commands would take it for a flag: write ${preview(type.replace(/^-+/, ''), 60)}`,
    )
  return type
}

function checkKey(key: unknown): string {
  if (typeof key !== 'string' || key === '')
    throw invalid(`idempotencyKey is ${preview(key, 60)}`, 'give some text, or leave it out')
  return checkText('idempotencyKey', key, limits.idempotencyKeyCharacters)
}

/** Control characters and lone surrogates are refused: not every store tells two texts apart by them. */
function checkText(what: string, text: string, longest: number): string {
  if (text.length > longest)
    throw invalid(`${what} has ${text.length} characters`, `at most ${longest} are kept`)
  if (/[\p{Cc}\p{Surrogate}]/u.test(text))
    throw invalid(
      `${what} ${preview(text, 60)} has control characters or half a character in it`,
      'take them out',
    )
  return text
}

function variablesText({ variables = {} }: EnqueueInput, maxBytes: number): string {
  const json = toJson(variables, { maxBytes, what: 'the variables', setting: sizeSettings.variables })
  if (!json.ok) throw invalid(json.refusal, 'variables are one object of plain JSON data')
  if (!isJsonObject(variables) || !json.text.startsWith('{'))
    throw invalid(`the variables are ${preview(variables, 60)}, not an object`, 'wrap them: { value: … }')
  return json.text
}

function runAtOf({ delay, at }: EnqueueInput, now: number): number {
  if (delay !== undefined && at !== undefined)
    throw invalid('delay and at are both given', 'give one of them')
  if (delay !== undefined) return now + durationMs('delay', delay)
  return at === undefined ? now : instant('at', at, now)
}

function deadlineOf(deadline: number | string | Date, now: number): number {
  const at =
    typeof deadline === 'string' ? now + durationMs('deadline', deadline) : instant('deadline', deadline, now)
  if (at < now)
    throw invalid(
      `the deadline ${iso(at)} has passed`,
      "give a later instant, or how long from now as text: '60s'",
    )
  return at
}

function durationMs(key: string, value: number | string): number {
  try {
    return parseDuration(value, key)
  } catch (error) {
    throw error instanceof WfError ? invalid(error.message, error.hint) : error
  }
}

function instant(key: string, value: number | Date, now: number): number {
  const at = value instanceof Date ? value.getTime() : value
  if (typeof at !== 'number' || !Number.isFinite(at) || at < 0)
    throw invalid(`${key} is ${preview(value, 60)}, not an instant`, `${key} is a Date or epoch milliseconds`)
  if (at > now + maxDurationMs)
    throw invalid(
      `${key} is more than ten years ahead (${preview(value, 60)})`,
      `${key} is a Date or epoch milliseconds, at most ten years from now`,
    )
  return Math.round(at)
}

function whole(
  key: string,
  value: number | undefined,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  if (value === undefined) return otherwise
  if (!Number.isInteger(value) || value < min || value > max)
    throw invalid(`${key} is ${preview(value, 60)}`, `${key} is a whole number from ${min} to ${max}`)
  return value
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

function invalid(message: string, hint: string): WfError {
  return new WfError('invalid_job', message, { hint })
}
