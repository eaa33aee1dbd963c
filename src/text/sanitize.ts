/**
 * The one way of foreign data (from jobs, handlers, producers, files) to screens, JSON documents and logs: masked first, then
 * escaped.
 */
import { boundedFields, boundedMessage } from './log-fields.ts'
import { maskText, maskValue } from './mask.ts'
import { escapeJson, escapeText } from './escape.ts'

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
