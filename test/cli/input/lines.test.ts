import { describe, expect, it } from 'vitest'
import { linesOf, type Line } from '../../../src/cli/input/lines.ts'

async function lines(
  chunks: readonly (string | Uint8Array)[],
  maxCharacters = 100,
): Promise<readonly Line[]> {
  const stream = async function* () {
    yield* chunks
  }
  const found: Line[] = []
  for await (const line of linesOf(stream(), maxCharacters)) found.push(line)
  return found
}

const texts = (found: readonly Line[]) => found.map(({ text }) => text)

describe('lines', () => {
  it('numbers lines from 1, whatever ends them', async () => {
    expect(await lines(['a\r\n\nb'])).toEqual([
      { number: 1, text: 'a', tooLong: false, broken: false },
      { number: 2, text: '', tooLong: false, broken: false },
      { number: 3, text: 'b', tooLong: false, broken: false },
    ])
  })

  it('puts a character together that two chunks share, and drops a byte order mark', async () => {
    const bytes = new TextEncoder().encode('\ufeffé1\né2')
    expect(texts(await lines([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(['é1', 'é2'])
  })

  it('marks a line that never ends, keeps only its beginning, and goes on behind it', async () => {
    const found = await lines(['x'.repeat(250), 'x'.repeat(250), '\nnext\n'])
    expect(found.map(({ text, tooLong }) => [text.length, tooLong])).toEqual([
      [100, true],
      [4, false],
    ])
  })

  it('takes a line of just the length that is allowed', async () => {
    expect((await lines([`${'x'.repeat(100)}\r\n`]))[0]).toMatchObject({
      tooLong: false,
      text: 'x'.repeat(100),
    })
  })

  // B101
  it('marks a line with bytes that are no UTF-8, and no other line', async () => {
    const bytes = Buffer.concat([
      Buffer.from('é1\n'),
      Buffer.of(0x22, 0xe9, 0x22, 0x0d, 0x0a),
      Buffer.from('\ufffd\né'),
      Buffer.of(0xff),
    ])
    for (const chunks of [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))]) {
      expect((await lines(chunks)).map(({ text, broken }) => [text, broken])).toEqual([
        ['é1', false],
        ['"\ufffd"', true],
        ['\ufffd', false],
        ['é\ufffd', true],
      ])
    }
  })

  it('measures a line in characters, however many bytes they have', async () => {
    const found = await lines([
      '€'.repeat(100),
      '\n',
      '€'.repeat(101),
      '\n',
      '😀'.repeat(50),
      '\n',
      'x'.repeat(100_000),
      '\n',
      'y',
    ])
    expect(found.map(({ text, tooLong, broken }) => [text.length, tooLong, broken])).toEqual([
      [100, false, false],
      [100, true, false],
      [100, false, false],
      [100, true, false],
      [1, false, false],
    ])
  })
})
