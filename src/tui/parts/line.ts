/** Lines of a frame: text that is safe to show and may carry colours, which take no column. */
import wrapAnsi from 'wrap-ansi'
import { Safe, say, type Shown } from '../../terminal/safe.ts'
import { displayWidth, truncate } from '../../text/width.ts'

const colour = /\u001b\[[\d;]*m/g
const endOfColours = '\u001b[0m'

export const widthOf = ({ text }: Safe): number => displayWidth(text)

/** Returns at most `width` columns of a line. */
export const cutLine = (line: Safe, width: number): Safe => new Safe(truncate(line.text, width))

/** Returns exactly `width` columns. */
export function sized(line: Safe, width: number): Safe {
  const cut = cutLine(line, width)
  return new Safe(`${cut.text}${' '.repeat(Math.max(0, width - widthOf(cut)))}`)
}

/** Returns left and right text in one line; the left one is cut. */
export function ends(left: Safe, right: Safe, width: number): Safe {
  const space = width - widthOf(right) - 1
  return space < 8 ? sized(left, width) : say`${sized(left, space)} ${right}`
}

/** Wraps text between words; a word that is too long is cut. */
export function wrapped(text: Shown, width: number): readonly Safe[] {
  return wrapAnsi(say`${text}`.text, Math.max(1, width))
    .split('\n')
    .map((line) => cutLine(new Safe(line), width))
}

const mostLinesOfOne = 8

/**
 * Continues a long line below, indented by two more columns and in its first colour; cuts what fills more than eight
 * lines.
 */
export function folded(line: Safe, width: number): readonly Safe[] {
  // More than is ever shown is not even measured.
  const plain = line.text.replace(colour, '').slice(0, width * mostLinesOfOne * 4)
  if (displayWidth(plain) <= width) return [line]
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
