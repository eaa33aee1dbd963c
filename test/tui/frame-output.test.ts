import xterm from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { plainPaint, createPaint } from '../../src/terminal/paint.ts'
import { frameOf } from '../../src/tui/frame.ts'
import { anchored, createFrameOutput, type FrameSink } from '../../src/tui/frame-output.ts'
import type { Safe } from '../../src/terminal/safe.ts'
import { escapeText } from '../../src/text/escape.ts'
import type { State } from '../../src/tui/state.ts'
import { incident, press, read, start } from './support/scene.ts'
import { outage, shown, textOf } from './support/outage.ts'

/** What a person would see, and every byte that made it so. */
function emulated(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1_000 })
  let bytes = ''
  const output = createFrameOutput({
    columns,
    write(text: string) {
      bytes += text
      terminal.write(text)
      return true
    },
  } as FrameSink)
  const lines = async () => {
    await new Promise<void>((resolve) => terminal.write('', resolve))
    const { active } = terminal.buffer
    return Array.from(
      { length: rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    )
  }
  return {
    terminal,
    output,
    lines,
    taken() {
      const text = bytes
      bytes = ''
      return text
    },
  }
}

const texts = (lines: readonly Safe[]) => lines.map(({ text }) => text)

describe('the output of frames', () => {
  it.each([
    [60, 16],
    [80, 24],
    [120, 40],
    [200, 50],
    // B124
  ])('puts each screen of %s×%s on the terminal as it is, one after the other', async (columns, rows) => {
    const scene = await outage()
    const paint = await createPaint(true)
    const { output, lines, taken, terminal } = emulated(columns, rows)
    for (const screen of ['overview', 'incidents', 'dead-letters', 'breakers', 'jobs', 'workers'] as const) {
      const list = await shown(scene, { size: { columns, rows }, screen })
      for (const state of [list, press(list, 'open'), press(list, 'help'), press(list, 'mark-all')]) {
        output.show(texts(frameOf(state, paint)))
        const seen = (await lines()).map((line) => line.trimEnd())
        expect(seen.join('\n').trimEnd()).toBe(textOf(state).trimEnd())
      }
    }
    expect(taken()).not.toContain('\u001b[3J')
    expect(terminal.buffer.active.baseY).toBe(0)
  })

  it('writes only lines that differ, and nothing for the same frame', async () => {
    const { output, taken, lines } = emulated(20, 5)
    output.show(['one', 'two', 'three'])
    taken()
    output.show(['one', 'two', 'three'])
    expect(taken()).toBe('')
    output.show(['one', 'zwei'])
    const text = taken()
    expect(text).toContain('zwei')
    expect(text).not.toContain('one')
    expect(await lines()).toEqual(['one', 'zwei', '', '', ''])
  })

  it('draws all of it again when what stands there is not known', async () => {
    const { output, terminal, lines } = emulated(20, 3)
    output.show(['one', 'two'])
    terminal.write('\u001b[Hscribble\u001b[3;1Hmore')
    output.repaint()
    expect(await lines()).toEqual(['one', 'two', ''])
  })

  it('writes what Ink draws to its place instead of erasing and writing everything', async () => {
    const { output, taken, lines } = emulated(20, 5)
    output.stdout.write('one\ntwo\nthree\n')
    taken()
    output.stdout.write('\u001b[2K\u001b[1A\u001b[2K\u001b[1A\u001b[2K\u001b[1A\u001b[2K\u001b[Gone\nzwei\n')
    expect(taken()).toBe('\u001b[2;1H\u001b[0m\u001b[Kzwei\u001b[3;1H\u001b[0m\u001b[K')
    expect(await lines()).toEqual(['one', 'zwei', '', '', ''])
  })

  it('passes on the marks around a frame, and never a height to draw for', () => {
    const { output, taken } = emulated(20, 5)
    output.stdout.write('\u001b[?2026h')
    expect([taken(), output.stdout.rows, output.stdout.columns]).toEqual(['\u001b[?2026h', undefined, 20])
  })

  it('does not lose the last letter of a line that fills its row', async () => {
    const { output, lines } = emulated(10, 3)
    output.show(['0123456789', '0123456789'])
    output.show(['9876543210', '0123456789'])
    expect(await lines()).toEqual(['9876543210', '0123456789', ''])
  })
})

/** Where terminals do not agree how wide something is. */
const contested = [
  '👩‍👩‍👧',
  '🇩🇪',
  '❤️',
  '👍🏽',
  '1️⃣',
  'क्षि',
  '한국어',
  '漢字',
  'é'.normalize('NFD'),
  `z${'\u0336\u0301\u0489'.repeat(30)}`,
  'مرحبا',
  '🦀',
  '\u{1f9ff}',
]

// B129
describe('text of any width', () => {
  it.each(contested)('%s stands before a border that stays in its column', async (text) => {
    const { output, terminal, lines } = emulated(160, 40)
    const plain = (message: string): State =>
      read(press(read(start({ size: { columns: 160, rows: 40 }, screen: 'incidents' }), [cause()]), 'open'), [
        incident(1, {
          type: text.repeat(4),
          error: {
            name: 'Error',
            message: `${message} ${text.repeat(80)}`,
            code: null,
            stack: null,
            causes: [],
            truncated: false,
          },
        }),
        incident(2),
        incident(3, {
          type: `a${text}b`,
          error: { name: 'Error', message, code: null, stack: null, causes: [], truncated: false },
        }),
      ])
    output.show(texts(frameOf(plain('x'), plainPaint)))
    await lines()
    const rule = (row: number) =>
      Array.from({ length: 160 }, (_, column) =>
        terminal.buffer.active.getLine(row)?.getCell(column)?.getChars(),
      ).indexOf('│')
    const columns = [2, 3, 4, 5, 6].map(rule)
    expect(columns[0]).toBeGreaterThan(40)
    expect(new Set(columns).size).toBe(1)
  })

  it('puts the cursor where it belongs behind what is contested, and nothing around what is not', () => {
    expect(anchored('plain │ text ▸ ⣀')).toBe('plain │ text ▸ ⣀')
    expect(anchored('a👩‍👩‍👧b')).toBe('a  \u001b[2G👩‍👩‍👧\u001b[4Gb')
    expect(anchored(`\u001b[31m漢\u001b[39m│`)).toBe('\u001b[31m  \u001b[1G漢\u001b[3G\u001b[39m│')
    expect(escapeText('\u200b')).not.toContain('\u200b')
  })
})

function cause() {
  return { kind: 'cause', id: 'cause:ab', cause: { fingerprint: 'ab', type: 'mail' } } as never
}
