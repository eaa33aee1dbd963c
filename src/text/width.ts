/** Width of text on a terminal, in columns: 2 for East Asian wide characters and emoji, 0 for marks and colours. */
import cliTruncate from 'cli-truncate'
import stringWidth from 'string-width'

const colours = /\u001b\[[\d;]*m/g
/** Printable ASCII, and what frames and charts are drawn with: one column each, on every terminal. Most text is nothing else. */
const narrow = /^[ -~·×–…←-↓≤─-◼⠀-⣿]*$/

export const isNarrow = (text: string): boolean => narrow.test(text)

export function displayWidth(text: string): number {
  const plain = text.replace(colours, '')
  return isNarrow(plain) ? plain.length : stringWidth(plain)
}

/** Returns at most `width` columns of the text, cut between graphemes, with `…` in the last one; colours end with the text. */
export function truncate(text: string, width: number): string {
  if (width < 1) return ''
  // Only what could fit is measured, of megabytes too: nobody reads on behind 40 marks on a letter.
  const head = text.length > width * 40 + 40 ? `${text.slice(0, width * 40 + 40)} ` : text
  if (isNarrow(head)) return head.length <= width ? head : `${head.slice(0, width - 1)}…`
  if (displayWidth(head) <= width) return head
  // It counts some wide letters as one column, and keeps one of which half would fit.
  for (let room = width; ; room--) {
    const cut = cliTruncate(head, room)
    if (displayWidth(cut) <= width) return cut
  }
}
