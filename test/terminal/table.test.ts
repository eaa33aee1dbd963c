import { describe, expect, it } from 'vitest'
import { plainPaint } from '../../src/terminal/paint.ts'
import { Safe, safe } from '../../src/terminal/safe.ts'
import { table, type Column } from '../../src/terminal/table.ts'
import { displayWidth } from '../../src/text/width.ts'

interface Row {
  key: number
  name: string
  note: string
}

const columns: readonly Column<Row>[] = [
  { title: 'KEY', value: ({ key }) => key, align: 'right' },
  { title: 'NAME', value: ({ name }) => name, shrinkTo: 6 },
  { title: 'NOTE', value: ({ note }) => note, optional: 1 },
]

const draw = (rows: readonly Row[], width: number | null) =>
  table(rows, columns, { paint: plainPaint, width }).map(({ text }) => text)

describe('table', () => {
  it('aligns columns under their titles', () => {
    expect(
      draw(
        [
          { key: 7, name: 'ada', note: 'x' },
          { key: 123, name: 'grace', note: '' },
        ],
        null,
      ),
    ).toEqual(['KEY  NAME   NOTE', '  7  ada    x', '123  grace'])
  })

  it('cuts the widest column that may be cut until a line fits', () => {
    const lines = draw([{ key: 1, name: 'a'.repeat(50), note: 'short' }], 30)
    expect(lines.map(displayWidth).every((width) => width <= 30)).toBe(true)
    expect(lines[1]).toContain('…')
    expect(lines[1]).toContain('short')
  })

  it('leaves out optional columns where cutting is not enough', () => {
    expect(draw([{ key: 1, name: 'somebody', note: 'a note' }], 14)).toEqual(['KEY  NAME', '  1  somebody'])
  })

  it('leaves out an optional column in which nothing stands', () => {
    expect(draw([{ key: 1, name: 'ada', note: '' }], null)[0]).toBe('KEY  NAME')
  })

  // B129
  it('measures in columns of the terminal', () => {
    const lines = draw(
      [
        { key: 1, name: '漢字漢字漢字', note: 'a' },
        { key: 2, name: 'abc', note: 'b' },
        { key: 3, name: '👩‍👩‍👧👩‍👩‍👧', note: 'c' },
      ],
      null,
    )
    const [, ...rows] = lines
    expect(new Set(rows.map((line) => displayWidth(line)))).toEqual(new Set([displayWidth(lines[1] ?? '')]))
  })

  it('cuts one endless cell even where nothing is known of the width', () => {
    expect(displayWidth(draw([{ key: 1, name: 'x'.repeat(10_000), note: '' }], null)[1] ?? '')).toBeLessThan(
      220,
    )
  })

  // B130
  it('shows what a terminal would obey as escapes', () => {
    expect(draw([{ key: 1, name: '\u001b[2J\r\u0007', note: '\u009b31m' }], null)[1]).toBe(
      '  1  \\u001b[2J\\r\\u0007  \\u009b31m',
    )
  })

  it('paints the padded text, so that colours move nothing', () => {
    const painted: Column<Row> = {
      title: 'NAME',
      align: 'right',
      value: ({ name }) => name,
      paint: () => (value) => new Safe(`<${safe(value).text}>`),
    }
    expect(
      table([{ key: 1, name: 'a', note: '' }], [painted], { paint: plainPaint, width: null })[1]?.text,
    ).toBe('<   a>')
  })
})
