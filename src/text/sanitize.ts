/**
 * The one way of foreign data (from jobs, handlers, producers, files) to screens, JSON documents and logs: masked first, then
 * escaped.
 */
import { escapeJson, escapeText } from './escape.ts'
import { maskText, maskValue } from './mask.ts'
import { attempt, preview } from './preview.ts'

/** Sanitizes text for one line: a line break is escaped too. */
export function cleanText(text: string): string {
  return escapeText(maskText(text))
}

/** JSON with secrets masked and control characters escaped; `indent` as for JSON.stringify. */
export function cleanJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(maskValue(value), null, indent))
}

/** The same with secrets shown: only for a person who asked for them with `--reveal`, which is recorded. */
export function revealedJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent))
}

/** Sanitizes every log line. */
export const logCleaner = {
  message: (message: unknown): string => boundedMessage(message),
  fields: (fields: unknown): Record<string, unknown> =>
    maskValue(boundedFields(fields)) as Record<string, unknown>,
  forTerminal: escapeText,
  forJson: escapeJson,
}

type Fields = Readonly<Record<string, unknown>>

const longestText = 16 * 1024
const longestField = 1_000
const mostFields = 16

/** The message, masked as a whole and then truncated to 16 Ki characters. */
export function boundedMessage(message: unknown): string {
  const text = maskText(
    typeof message === 'string' ? message : attempt(() => preview(message), 'an unreadable message'),
  )
  return text.length <= longestText ? text : `${text.slice(0, longestText)}…`
}

/** As they would be in JSON; what JSON cannot say is said in other words. What is longer than 16 Ki characters is the beginning of its JSON text, as `cut`. */
export function boundedFields(fields: unknown): Fields {
  if (isSmall(fields)) return fields
  try {
    const text = JSON.stringify(fields, plain)
    if (text === undefined) return {}
    const value = JSON.parse(text) as unknown
    if (text.length > longestText) return { cut: JSON.stringify(maskValue(value)).slice(0, longestText) }
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : { value }
  } catch (error) {
    return { unreadable: attempt(() => (error instanceof Error ? error.message : 'fields'), 'fields') }
  }
}

/** Most lines carry a few numbers and words. */
function isSmall(fields: unknown): fields is Fields {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return false
  return attempt(() => {
    const values: readonly unknown[] = Object.values(fields)
    return values.length <= mostFields && values.every(isSmallValue)
  }, false)
}

function isSmallValue(value: unknown): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= longestField)
  )
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
    return preview(value)
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { name, message, stack, ...(cause === undefined ? {} : { cause }) }
}
