/** Lines of a stream in bounded memory: a line that never ends is refused, not collected. */
import { isUtf8 } from 'node:buffer'

export interface Line {
  /** From 1. */
  number: number
  /** Without its line break. */
  text: string
  /** Longer than allowed: `text` is its beginning. */
  tooLong: boolean
  /** Some of its bytes are no UTF-8: in `text` replacement characters stand for them. */
  broken: boolean
}

const lineFeed = 10
const byteOrderMark = '\ufeff'
/** One for the carriage return and three for the mark. */
const mostBesideBytes = 4
/** Of a UTF-16 unit. */
const mostBytes = 3

/** Splits at \n and \r\n, drops a byte order mark, keeps characters that two chunks share. `maxCharacters` a line. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array | string>,
  maxCharacters: number,
): AsyncGenerator<Line> {
  const begun = new BegunLine(maxCharacters)
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk)
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      begun.add(bytes.subarray(start, end))
      yield begun.end()
      start = end + 1
    }
    begun.add(bytes.subarray(start))
  }
  if (begun.bytes > 0) yield begun.end()
}

/** Bytes are put together before they are read as text: what is broken is then told of its own line. */
class BegunLine {
  bytes = 0
  readonly #maxCharacters: number
  #number = 0
  #pieces: Buffer[] = []
  #isCut = false

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  add(piece: Buffer): void {
    const room = this.#maxCharacters * mostBytes + mostBesideBytes - this.bytes
    if (piece.length > room) this.#isCut = true
    if (piece.length > 0 && room > 0) this.#pieces.push(piece.subarray(0, room))
    this.bytes += Math.min(piece.length, room)
  }

  end(): Line {
    const [only = Buffer.alloc(0), ...others] = this.#pieces
    const whole = others.length === 0 ? only : Buffer.concat(this.#pieces)
    const text = this.#withoutMark(whole.toString()).replace(/\r$/, '')
    const tooLong = this.#isCut || text.length > this.#maxCharacters
    const broken = !this.#isCut && !isUtf8(whole)
    this.#number += 1
    this.#pieces = []
    this.#isCut = false
    this.bytes = 0
    return { number: this.#number, text: text.slice(0, this.#maxCharacters), tooLong, broken }
  }

  #withoutMark(text: string): string {
    return this.#number === 0 && text.startsWith(byteOrderMark) ? text.slice(1) : text
  }
}
