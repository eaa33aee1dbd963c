/** Escapes what terminals would obey in text that goes to people. Secrets are masked in mask.ts; stored data never passes here. */

/** C0, DEL, C1, direction and invisible format characters, line separators, half surrogates. Joiners of emoji stay. */
const unsafe =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Surrogate}\u{e0000}-\u{e007f}]/gu
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Every character that could move a cursor, turn a line's direction or hide itself becomes a visible escape such as `\n` or `\u001b`; `lines` keeps line feeds and tabs. */
export function escapeText(text: string, { lines = false }: { lines?: boolean } = {}): string {
  return text.replace(unsafe, (character) => {
    if (lines && (character === '\n' || character === '\t')) return character
    return shortEscapes[character] ?? unicodeEscape(character.codePointAt(0) ?? 0)
  })
}

/** The same JSON document, with JSON's own escapes for those characters; its line feeds are layout and stay. */
export function escapeJson(json: string): string {
  return json.replace(unsafe, (character) => {
    if (character === '\n') return character
    return Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join('')
  })
}

function unicodeEscape(codePoint: number): string {
  return codePoint > 0xffff
    ? `\\u{${codePoint.toString(16)}}`
    : `\\u${codePoint.toString(16).padStart(4, '0')}`
}
