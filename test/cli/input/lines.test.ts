import { describe, expect, it } from 'vitest'
import { linesOf, type Line } from '../../../src/cli/input/lines.ts'

async function lines(chunks: readonly (string | Uint8Array)[], maxCharacters = 100): Promise<readonly Line[]> {
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
      { number: 1, text: 'a', tooLong: false },
      { number: 2, text: '', tooLong: false },
      { number: 3, text: 'b', tooLong: false },
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
    expect((await lines([`${'x'.repeat(100)}\r\n`]))[0]).toMatchObject({ tooLong: false, text: 'x'.repeat(100) })
  })
})
