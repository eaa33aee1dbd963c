/** Names of what is typed: `j`, `G`, `esc`, `ctrl-c`; and pasted text, which is no key. */

/** In front of pasted text; no key sends this character. */
export const pasteMark = '\ufdd0'

export const isPaste = (key: string): boolean => key.startsWith(pasteMark)

/** A key press as Ink reports it. */
export interface Press {
  upArrow?: boolean
  downArrow?: boolean
  leftArrow?: boolean
  rightArrow?: boolean
  pageDown?: boolean
  pageUp?: boolean
  home?: boolean
  end?: boolean
  return?: boolean
  escape?: boolean
  ctrl?: boolean
  shift?: boolean
  tab?: boolean
  backspace?: boolean
  delete?: boolean
  meta?: boolean
}

const named: readonly (readonly [keyof Press, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pgdn'],
  ['pageUp', 'pgup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  // What most terminals send for the backspace key.
  ['delete', 'backspace'],
]

/** Returns the names of what was typed, in order: keys typed fast arrive together. */
export function keysOf(input: string, press: Press): readonly string[] {
  if (isPaste(input)) return [input]
  if (press.tab) return [press.shift ? 'shift-tab' : 'tab']
  for (const [field, name] of named) if (press[field]) return [name]
  if (press.ctrl) return [`ctrl-${input}`]
  // Esc and the key after it, too fast for the terminal to tell from Alt and that key.
  if (press.meta) return ['esc', ...[...input].map(characterName)]
  return [...input].map(characterName)
}

const characters: Readonly<Record<string, string>> = {
  ' ': 'space',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001b': 'esc',
  '\u007f': 'backspace',
  '\b': 'backspace',
}

function characterName(character: string): string {
  const known = characters[character]
  if (known !== undefined) return known
  const code = character.codePointAt(0) ?? 0
  return code < 0x20 ? `ctrl-${String.fromCharCode(code + 0x60)}` : character
}
