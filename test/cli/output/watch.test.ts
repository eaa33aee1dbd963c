import xterm from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { createFrame } from '../../../src/cli/output/watch.ts'

/** What a terminal shows, scrollback included. */
async function terminal({ columns = 20, rows = 6 } = {}) {
  const term = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 100,
    allowProposedApi: true,
    convertEol: true,
  })
  const written = (text: string) => new Promise<void>((resolve) => term.write(text, resolve))
  const out = { columns, write: (text: string) => void term.write(text) }
  await written('a line before\nanother\n')
  return {
    ...{ out, rows, frame: createFrame(out), written },
    async lines(): Promise<readonly string[]> {
      await written('')
      const { active } = term.buffer
      const all = Array.from(
        { length: active.length },
        (_, line) => active.getLine(line)?.translateToString(true) ?? '',
      )
      return all.slice(0, all.findLastIndex((line) => line !== '') + 1)
    },
  }
}

describe('a frame', () => {
  it('is drawn over itself, shorter or longer, and leaves what stands above it', async () => {
    const { frame, lines } = await terminal({ rows: 10 })
    frame.show(['head', 'one', 'two', 'three'], 10)
    expect(await lines()).toEqual(['a line before', 'another', 'head', 'one', 'two', 'three'])
    frame.show(['head', 'four'], 10)
    expect(await lines()).toEqual(['a line before', 'another', 'head', 'four'])
    frame.show(['head', '5', '6', '7', '8'], 10)
    expect(await lines()).toEqual(['a line before', 'another', 'head', '5', '6', '7', '8'])
  })

  it('fits the terminal, cutting rows and columns, so that it never scrolls itself away', async () => {
    const { frame, lines } = await terminal()
    for (const round of ['a', 'b', 'c'])
      frame.show(
        [
          'head',
          ...Array.from(
            { length: 30 },
            (_, index) => `\u001b[31m${round}${index} ${'漢'.repeat(30)}\u001b[39m`,
          ),
        ],
        6,
      )
    const shown = await lines()
    expect(shown.slice(0, 2)).toEqual(['a line before', 'another'])
    expect(shown).toHaveLength(7)
    expect(shown.slice(2)).toEqual([
      'head',
      ...[0, 1, 2].map((index) => `c${index} ${'漢'.repeat(8)}…`),
      '… 27 more lines',
    ])
  })

  it('begins anew below when the terminal has another width', async () => {
    const { frame, out } = await terminal()
    frame.show(['head'], 6)
    expect(frame.isTurned()).toBe(false)
    out.columns = 10
    expect(frame.isTurned()).toBe(true)
    frame.show(['head'], 6)
    expect(frame.isTurned()).toBe(false)
  })
})
