import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth, truncate } from '../../src/text/width.ts'

describe('width', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['日本語', 6],
    ['ﾊﾝｶｸ', 4],
    ['ｗｉｄｅ', 8],
    ['한국', 4],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪🇦🇹', 4],
    ['❤️', 2],
    ['1️⃣', 2],
    ['ü', 1],
    ['नि', 2],
    ['▲ ■', 3],
  ])('%s takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns)
  })

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日本', 4, '日本'],
    ['日本', 1, '…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['', 0, ''],
  ])('%s cut to %i columns is %s', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut)
  })

  it('never passes the width, and keeps what fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        const cut = truncate(text, width)
        expect(displayWidth(cut)).toBeLessThanOrEqual(width)
        if (displayWidth(text) <= width) expect(cut).toBe(text)
      }),
    )
  })

  it('looks only at the beginning of a long text', () => {
    expect(truncate('é'.repeat(5_000_000), 5)).toBe('éééé…')
    expect(truncate('e\u0301'.repeat(1_000), 3)).toBe('e\u0301e\u0301…')
  })
})
