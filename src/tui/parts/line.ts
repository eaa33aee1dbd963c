/**
 * Lines of a frame: text that is safe to show and may carry colours. Widths are counted without the colours, and what is
 * cut is cut between graphemes.
 */
import { Safe, say, type Shown } from '../../terminal/safe.ts'
import { cutToWidth, displayWidth } from '../../text/escape.ts'

/** Colours only: everything else that a terminal obeys has been escaped before. */
const colour = /\u001b\[[\d;]*m/g
const endOfColours = '\u001b[0m'

export function widthOf({ text }: Safe): number {
  return displayWidth(text.replace(colour, ''))
}

/** Looks at no more of a long text than could ever fit. */
function fits({ text }: Safe, width: number): boolean {
  const plain = text.replace(colour, '')
  return cutToWidth(plain, width) === plain
}

/** At most `width` columns; colours of what is left out end with the line. */
export function cutLine(line: Safe, width: number): Safe {
  if (fits(line, width)) return line
  if (!line.text.includes('\u001b')) return new Safe(cutToWidth(line.text, width))
  let kept = ''
  let left = Math.max(0, width - 1)
  for (const piece of line.text.split(/(\u001b\[[\d;]*m)/)) {
    if (piece.startsWith('\u001b')) kept += piece
    else if (cutToWidth(piece, left) === piece) {
      kept += piece
      left -= displayWidth(piece)
    } else
      return new Safe(
        width <= 0 ? '' : `${kept}${cutToWidth(`${piece} `, left + 1).replace(/…?$/, '…')}${endOfColours}`,
      )
  }
  return new Safe(kept)
}

/** Exactly `width` columns. */
export function sized(line: Safe, width: number): Safe {
  const cut = cutLine(line, width)
  return say`${cut}${new Safe(' '.repeat(Math.max(0, width - widthOf(cut))))}`
}

/** Left and right text in one line; the left one gives way. */
export function ends(left: Safe, right: Safe, width: number): Safe {
  const space = width - widthOf(right) - 1
  return space < 8 ? sized(left, width) : say`${sized(left, space)} ${right}`
}

/** The same number of lines, cut or filled up. */
export function fill(lines: readonly Safe[], height: number): readonly Safe[] {
  const shown = lines.slice(0, Math.max(0, height))
  return [...shown, ...Array.from({ length: Math.max(0, height - shown.length) }, () => new Safe(''))]
}

/** Two blocks of the same height with a rule between them. */
export function beside(
  left: readonly Safe[],
  right: readonly Safe[],
  { leftWidth, rule }: { leftWidth: number; rule: Safe },
): readonly Safe[] {
  return left.map((line, index) => say`${sized(line, leftWidth)} ${rule} ${right[index] ?? ''}`)
}

/** Words of one text over several lines; a word that is too long is cut. */
export function wrapped(text: Shown, width: number): readonly Safe[] {
  const lines: string[] = []
  let line = ''
  for (const word of (text instanceof Safe ? text.text : say`${text}`.text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (displayWidth(longer) <= width) line = longer
    else {
      if (line !== '') lines.push(line)
      line = word
    }
  }
  return [...lines, line].map((each) => cutLine(new Safe(each), width))
}

const mostLinesOfOne = 8

/** A line that is too long goes on below, further in; its first colour goes with it. What fills too many lines is cut. */
export function folded(line: Safe, width: number): readonly Safe[] {
  if (fits(line, width)) return [line]
  // More than would ever be shown is not even measured.
  const plain = line.text.replace(colour, '').slice(0, width * mostLinesOfOne * 4)
  const indent = Math.min(/^ */.exec(plain)?.[0].length ?? 0, Math.max(0, width - 20))
  const [first = ''] = line.text.match(colour) ?? []
  const lines = wrapped(new Safe(plain.trim().replace(/ {2,}/g, '  ')), width - indent - 2)
  const shown = lines.length > mostLinesOfOne ? [...lines.slice(0, mostLinesOfOne - 1), new Safe('…')] : lines
  return shown.map(
    ({ text }, index) =>
      new Safe(
        `${' '.repeat(indent + (index > 0 ? 2 : 0))}${first}${text}${first === '' ? '' : endOfColours}`,
      ),
  )
}
