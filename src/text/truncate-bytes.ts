/** Cutting text to a number of bytes, as they are counted once the text stands in JSON. */

/** Bytes of one code point inside a JSON string, in UTF-8, as JSON.stringify writes it. */
function jsonBytes(codePoint: number): number {
  if (codePoint === 0x22 || codePoint === 0x5c) return 2
  if (codePoint < 0x20)
    return codePoint === 8 || codePoint === 9 || codePoint === 10 || codePoint === 12 || codePoint === 13
      ? 2
      : 6
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 6
  return codePoint < 0x10000 ? 3 : 4
}

/** Keeps head and tail when `text` takes more than `maxBytes` (≥ 60) in JSON, and says between them how much is gone. Looks at no more than it keeps. */
export function cutMiddle(text: string, maxBytes: number): { text: string; cut: boolean } {
  if (text.length * 6 <= maxBytes || fits(text, maxBytes)) return { text, cut: false }
  const half = Math.floor((maxBytes - 44) / 2)
  const head = text.slice(0, headEnd(text, half))
  const tail = text.slice(tailStart(text, half))
  return {
    text: `${head} … [${text.length - head.length - tail.length} characters cut] … ${tail}`,
    cut: true,
  }
}

function fits(text: string, maxBytes: number): boolean {
  return text.length <= maxBytes && headEnd(text, maxBytes) === text.length
}

function headEnd(text: string, maxBytes: number): number {
  let used = 0
  let index = 0
  while (index < text.length) {
    const codePoint = text.codePointAt(index) ?? 0
    used += jsonBytes(codePoint)
    if (used > maxBytes) return index
    index += codePoint > 0xffff ? 2 : 1
  }
  return index
}

function tailStart(text: string, maxBytes: number): number {
  let used = 0
  let index = text.length
  while (index > 0) {
    const pair = index > 1 ? (text.codePointAt(index - 2) ?? 0) : 0
    const codePoint = pair > 0xffff ? pair : (text.codePointAt(index - 1) ?? 0)
    used += jsonBytes(codePoint)
    if (used > maxBytes) return index
    index -= codePoint > 0xffff ? 2 : 1
  }
  return index
}

/**
 * Text that every store can hold in a text column: lone surrogates become U+FFFD and NUL becomes ␀. Only for words
 * meant for people; data keeps every character.
 */
export function storable(text: string): string {
  return unclean.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd').replaceAll('\0', '\u2400') : text
}

const unclean = /[\0\p{Surrogate}]/u
