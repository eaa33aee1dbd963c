/** Command lines as they are shown: keys whole, secrets masked. */
import { Unmasked } from '../text/mask.ts'
import { maskCommand, maskMeant, maskSelector } from './mask-command.ts'
import type { Operation } from '../domain/operation.ts'
import { escapeText } from '../text/escape.ts'
import { Safe } from '../terminal/safe.ts'

export const shownCommand = (command: string): Safe => new Safe(escapeText(maskCommand(command)))

/** Flags and keys, as `selectorText` writes them. */
export const shownSelector = (text: string): Safe => new Safe(escapeText(maskSelector(text)))

/** What an operation was about. */
export const shownMeant = (operation: Pick<Operation, 'verb' | 'selector'>): Safe =>
  new Safe(escapeText(maskMeant(operation)))

/** For a JSON document. */
export const commandInJson = (command: string): Unmasked => new Unmasked(maskCommand(command))

export const meantInJson = (operation: Pick<Operation, 'verb' | 'selector'>): Unmasked =>
  new Unmasked(maskMeant(operation))
