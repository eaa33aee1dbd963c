/** Lines of a stream in bounded memory: a line that never ends is refused, not collected. */

export interface Line {
  /** From 1. */
  number: number
  /** Without its line break. */
  text: string
  /** Longer than allowed: `text` is its beginning. */
  tooLong: boolean
}

/** Splits at \n and \r\n, drops a byte order mark, keeps characters that two chunks share. `maxCharacters` a line. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>, maxCharacters: number): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8')
  let number = 0
  let rest = ''
  let dropped = false
  const line = (ended: string): Line => {
    const text = ended.replace(/\r$/, '')
    number += 1
    const tooLong = dropped || text.length > maxCharacters
    dropped = false
    return { number, text: text.slice(0, maxCharacters), tooLong }
  }
  for await (const chunk of chunks) {
    const pieces = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n')
    rest = pieces.pop() ?? ''
    for (const piece of pieces) yield line(piece)
    if (rest.length > maxCharacters + 1) {
      dropped = true
      rest = rest.slice(0, maxCharacters)
    }
  }
  rest += decoder.decode()
  if (rest !== '' || dropped) yield line(rest)
}
