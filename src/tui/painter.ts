/**
 * Puts frames on a terminal: each line at its own row, and only those that differ from what stands there. Nothing is ever
 * scrolled or wiped, so what was on the terminal before is not touched. A terminal that cannot keep up gets the newest
 * frame once it has taken the last one.
 */
import { displayWidth } from '../text/escape.ts'

export interface PaintSink {
  write(text: string): boolean
  once(event: 'drain', listener: () => void): unknown
}

export interface Painter {
  paint(lines: readonly string[]): void
  /** What stands on the terminal is not known any more: the next frame is drawn whole. */
  forget(): void
  /** Draws the last frame again. */
  repaint(): void
}

/** Terminals that know it show a frame when it is whole; others pass it by. */
const begin = '\u001b[?2026h'
const end = '\u001b[?2026l'
const wholeScreen = '\u001b[H\u001b[J'
/** Erased first: behind a line that fills its row the cursor stands on its last letter. */
const emptyRow = '\u001b[0m\u001b[K'
const plain = '\u001b[0m'

export function createPainter(sink: PaintSink): Painter {
  let shown: readonly string[] | null = null
  let last: readonly string[] = []
  let isBlocked = false
  const draw = () => {
    const before = shown ?? []
    let text = shown === null ? wholeScreen : ''
    for (let row = 0; row < Math.max(last.length, before.length); row++) {
      const line = last[row] ?? ''
      if (line !== before[row]) text += `\u001b[${row + 1};1H${emptyRow}${anchored(line)}${plain}`
    }
    shown = last
    if (text === '' || sink.write(`${begin}${text}${end}`)) return
    isBlocked = true
    sink.once('drain', () => {
      isBlocked = false
      if (shown !== last) draw()
    })
  }
  return {
    paint(lines) {
      last = lines
      if (!isBlocked) draw()
    },
    forget() {
      shown = null
    },
    repaint() {
      shown = null
      if (!isBlocked) draw()
    },
  }
}

let segmenter: Intl.Segmenter | undefined
/** Printable ASCII, and what frames and charts are drawn with: every terminal gives these one column. */
const certain = /^[\u0020-\u007e\u00b7\u00d7\u2013\u2026\u2190-\u2193\u2264\u2500-\u25ff\u2800-\u28ff]$/

/**
 * Terminals do not agree how wide emoji, flags and stacked letters are. Behind each such thing the cursor is put where it
 * belongs, so that what follows, and every border, stands in its column whatever the terminal made of it.
 */
export function anchored(line: string): string {
  if (/^[\u0020-\u007e\u001b\u2500-\u25ff\u2800-\u28ff]*$/.test(line)) return line
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let column = 1
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((piece) => {
      if (piece.startsWith('\u001b')) return piece
      let text = ''
      for (const { segment } of segmenter?.segment(piece) ?? []) {
        const width = displayWidth(segment)
        column += width
        // Blanks first: a terminal that makes it narrower would leave what stood there before.
        text += certain.test(segment)
          ? segment
          : `${' '.repeat(width)}\u001b[${column - width}G${segment}\u001b[${column}G`
      }
      return text
    })
    .join('')
}
