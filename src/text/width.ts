/** Width of text on a terminal, in columns: 2 for East Asian wide characters and emoji, 0 for marks and colours. */
import cliTruncate from 'cli-truncate'
import stringWidth from 'string-width'

export const displayWidth = (text: string): number => stringWidth(text)

const printableAscii = /^[ -~]*$/

/** Returns at most `width` columns of the text, cut between graphemes, with `…` in the last one; colours end with the text. */
export function truncate(text: string, width: number): string {
  if (width < 1) return ''
  // Only what could fit is measured, of megabytes too: nobody reads on behind 40 marks on a letter.
  const head = text.length > width * 40 + 40 ? `${text.slice(0, width * 40 + 40)} ` : text
  if (printableAscii.test(head)) return head.length <= width ? text : `${head.slice(0, width - 1)}…`
  // It counts some wide letters as one column, and keeps one of which half would fit.
  for (let room = width; ; room--) {
    const cut = cliTruncate(head, room)
    if (stringWidth(cut) <= width) return cut
  }
}
