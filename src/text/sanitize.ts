/**
 * The one road of everything that came from a job, a handler, a producer or a file to a person or a log: masked first,
 * then escaped. Screens, JSON documents and both forms of the log take it.
 */
import { boundedFields, boundedMessage } from './log-fields.ts'
import { maskDocument, maskText, maskValue } from './mask.ts'
import { escapeJson, escapeText } from './escape.ts'

/** For one line: a line break inside is shown as an escape too. */
export function cleanText(text: string): string {
  return escapeText(maskText(text))
}

/** JSON in which a terminal finds nothing to obey; `indent` as JSON.stringify takes it. */
export function cleanJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(maskValue(value), null, indent))
}

/** The same of a document that wf made: what is `Foreign` in it is masked as data, all else as wf's own. */
export function cleanDocument(document: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(maskDocument(document), null, indent))
}

/** The same with secrets in it: only for somebody who asked for them, which is on record. */
export function revealedJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent))
}

/** What a log does to every line that it writes. */
export const logCleaner = {
  message: (message: unknown): string => maskText(boundedMessage(message)),
  fields: (fields: unknown): Record<string, unknown> =>
    maskValue(boundedFields(fields)) as Record<string, unknown>,
  forTerminal: escapeText,
  forJson: escapeJson,
}
