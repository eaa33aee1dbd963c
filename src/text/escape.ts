/**
 * Text that goes to people: what terminals would obey is escaped, and width is counted in columns. Secrets are masked
 * in mask.ts. Stored data never passes through here; only what is shown does.
 */

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

/** Made when it is first needed: it takes milliseconds, and most text is ASCII. */
let segmenter: Intl.Segmenter | undefined

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

const printableAscii = /^[ -~]*$/

/** Columns that a terminal gives to text without control characters: 2 for East Asian wide characters and emoji, 0 for marks. */
export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment)
  return width
}

/** At most `width` columns of text; cut between graphemes, the last column then being `…`. */
export function cutToWidth(text: string, width: number): string {
  if (width <= 0) return ''
  if (text.length <= width && printableAscii.test(text)) return text
  // A grapheme of more than 40 code units is a stack of marks; nobody reads on behind many of them.
  const head = text.slice(0, width * 40 + 40)
  let used = 0
  let end = 0
  for (const { segment, index } of graphemesOf(head)) {
    const next = used + graphemeWidth(segment)
    if (next > width) return `${text.slice(0, end)}…`
    // The end of what fits when one column must stay free for the mark of the cut.
    if (next <= width - 1) end = index + segment.length
    used = next
  }
  return head.length === text.length ? text : `${text.slice(0, end)}…`
}

const emojiForm = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}{2}|\u20e3/u
const noColumn = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

function graphemeWidth(grapheme: string): number {
  const codePoint = grapheme.codePointAt(0) ?? 0
  if (codePoint >= 0x20 && codePoint < 0x7f) return grapheme.length > 1 && emojiForm.test(grapheme) ? 2 : 1
  if (noColumn.test(grapheme)) return 0
  return emojiForm.test(grapheme) || isWide(codePoint) ? 2 : 1
}

/** First and last code points of East_Asian_Width W and F, emoji left out (Unicode 16, EastAsianWidth.txt). */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
]

function isWide(codePoint: number): boolean {
  return codePoint >= 0x1100 && wide.some(([first, last]) => codePoint >= first && codePoint <= last)
}
