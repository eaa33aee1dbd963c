/** Numbers of payment cards in text: 13 to 19 digits, in groups or not, that begin as cards do and pass Luhn's check (ISO/IEC 7812-1). */

/** Digits in groups of three and more, the last may be shorter. Not a part of a word or of a decimal fraction. */
const runs = /(?<![\p{L}\d]|\d\.)\d{3,}(?:[ \u00a0-]\d{1,19})*(?![\p{L}\d]|\.\d)/gu
const fewest = 13
const most = 19

/** Each card number in `text` replaced. */
export function replaceCardNumbers(text: string, replacement: string): string {
  if (!/\d{3}/.test(text)) return text
  return text.replace(runs, (run) => withoutCards(run, replacement))
}

/** Whether the digits are a card's. Times in ms begin with 1, as do the ids of most generators. */
export function isCardNumber(digits: string): boolean {
  if (!/^\d{13,19}$/.test(digits)) return false
  if (!(/^[3-6]/.test(digits) || (digits.startsWith('2') && digits.length >= 16))) return false
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const weighed = index % 2 === 0 ? digit : digit * 2
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum % 10 === 0
}

function withoutCards(run: string, replacement: string): string {
  const parts = run.split(/([ \u00a0-])/)
  let shown = ''
  for (let start = 0; start < parts.length; ) {
    const end = cardEnd(parts, start)
    shown +=
      end === null ? `${parts[start]}${parts[start + 1] ?? ''}` : `${replacement}${parts[end + 1] ?? ''}`
    start = (end ?? start) + 2
  }
  return shown
}

/** Index of the group with which a card ends that begins with the group at `start`; the longest, so that nothing of one is left. Groups and separators take turns. */
function cardEnd(parts: readonly string[], start: number): number | null {
  let digits = ''
  let found: number | null = null
  for (let index = start; index < parts.length; index += 2) {
    const group = parts[index] ?? ''
    digits += group
    if (digits.length > most) break
    if (digits.length >= fewest && isCardNumber(digits)) found = index
    // Only the last group of a card is short.
    if (group.length < 3) break
  }
  return found
}
