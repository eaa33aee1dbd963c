/**
 * The terminal as Ink sees it. Ink erases its last frame from below and writes the next one whole, and clears the scrollback
 * once a frame is as tall as the window. Here each row goes to its place instead, and only rows that changed are written.
 */
import { displayWidth, isNarrow } from '../text/width.ts'

export interface FrameOutput {
  /** The stdout to give to Ink. */
  readonly stdout: NodeJS.WriteStream
  /** Draws a frame without Ink. */
  show(lines: readonly string[]): void
  /** Draws the next frame whole: what the terminal shows is unknown. */
  forget(): void
  /** Draws the last frame again, whole. */
  repaint(): void
}

export type FrameSink = Pick<NodeJS.WriteStream, 'columns' | 'write'>

/** Terminals that know these marks show a frame once it is complete; others ignore them. */
const begin = '\u001b[?2026h'
const end = '\u001b[?2026l'
const wholeScreen = '\u001b[H\u001b[J'
/** Erased first: after a line that fills its row, the cursor is on the line's last letter. */
const emptyRow = '\u001b[0m\u001b[K'
/** What Ink puts in front of a frame. */
const eraseLines = /^(?:\u001b\[(?:2K|1A|G))+/

export function createFrameOutput(sink: FrameSink): FrameOutput {
  let shown: readonly string[] | null = null
  let last: readonly string[] = []
  const changes = (): string => {
    const before = shown ?? []
    const rows = Array.from({ length: Math.max(last.length, before.length) }, (_, row) => {
      const line = last[row] ?? ''
      return line === before[row] ? '' : `\u001b[${row + 1};1H${emptyRow}${anchored(line)}`
    })
    const text = `${shown === null ? wholeScreen : ''}${rows.join('')}`
    shown = last
    return text
  }
  const draw = () => {
    const text = changes()
    if (text !== '') sink.write(`${begin}${text}${end}`)
  }
  const ofInk = (text: string): string => {
    const frame = text.replace(eraseLines, '')
    if (frame === text && !text.endsWith('\n')) return text
    if (frame === '') return ''
    last = frame.replace(/\n$/, '').split('\n')
    return changes()
  }
  const stream = {
    isTTY: true,
    get columns() {
      return sink.columns
    },
    // Without a height no frame is ever too tall.
    rows: undefined,
    write(text: string, done?: () => void) {
      const own = ofInk(text)
      if (own !== '') sink.write(own)
      done?.()
      return true
    },
    // Resizes reach Ink as frames.
    on: () => stream,
    off: () => stream,
  }
  return {
    stdout: stream as unknown as NodeJS.WriteStream,
    show(lines) {
      last = lines
      draw()
    },
    forget() {
      shown = null
    },
    repaint() {
      shown = null
      draw()
    },
  }
}

const colours = /\u001b\[[\d;]*m/g
let segmenter: Intl.Segmenter | undefined

/**
 * Moves the cursor to its column after each grapheme whose width terminals disagree about (emoji, flags, stacked marks), so
 * that borders stay straight.
 */
export function anchored(line: string): string {
  if (isNarrow(line.replace(colours, ''))) return line
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
        // Blanks first: a terminal that draws it narrower would leave old text there.
        text += isNarrow(segment)
          ? segment
          : `${' '.repeat(width)}\u001b[${column - width}G${segment}\u001b[${column}G`
      }
      return text
    })
    .join('')
}
