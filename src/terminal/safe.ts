/**
 * Text that may go to a terminal. Everything that came from a job, a handler, a producer or a file is escaped and masked
 * on its way into a Safe, and the screen takes nothing else: what was forgotten does not compile.
 */
import { cleanJson, cleanText, revealedJson } from '../text/sanitize.ts'
import { maskText, Masked } from '../text/mask.ts'
import { maskCommand, maskWords } from '../text/shell-words.ts'
import { escapeText } from '../text/escape.ts'

/** Made only of text that wf made itself: use `safe` or `say` for all other. In a JSON document it stands as it is. */
export class Safe extends Masked {}

/** What may be put into a line: text is taken for somebody else's and made safe. */
export type Shown = Safe | string | number

/** For one line: a line break inside is shown as an escape too. */
export function safe(value: Shown): Safe {
  if (value instanceof Safe) return value
  // Numbers are wf's own: keys and counts.
  return new Safe(typeof value === 'number' ? String(value) : cleanText(value))
}

/** Secrets are shown to somebody who asked for them, once that is on record. */
export interface Revealing {
  reveal?: boolean
}

/** Keeps line breaks and tabs: for values that are shown over several lines. */
export function safeLines(value: string, { reveal = false }: Revealing = {}): readonly Safe[] {
  return (reveal ? value : maskText(value)).split(/\r?\n/).map((line) => new Safe(escapeText(line)))
}

/** JSON data over several lines, with the same masking as in a JSON document. */
export function safeJson(value: unknown, { reveal = false }: Revealing = {}): readonly Safe[] {
  return (reveal ? revealedJson : cleanJson)(value, 2)
    .split('\n')
    .map((line) => new Safe(line))
}

/** Text that is masked already. */
export const shownMasked = (text: string): Safe => new Safe(escapeText(text))

/** A command line as it is shown. */
export const shownCommand = (command: string): Safe => shownMasked(maskCommand(command))

/** The flags and keys of a selector as they are shown. */
export const shownSelector = (text: string): Safe => shownMasked(maskWords(text))

/** A command line in a JSON document. */
export const commandInJson = (command: string): Masked => new Masked(maskCommand(command))

/** Template: what is written in the code stands as it is, what is put in is made safe. */
export function say(parts: TemplateStringsArray, ...values: readonly Shown[]): Safe {
  return new Safe(parts.reduce((text, part, index) => `${text}${safe(values[index - 1] ?? '').text}${part}`))
}

export function joined(pieces: readonly Shown[], separator: string): Safe {
  return new Safe(pieces.map((piece) => safe(piece).text).join(separator))
}
