import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeJson, escapeText } from '../../src/text/escape.ts'

const obeyed = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

describe('escapeText', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['bell\u0007 nul\0 del\u007f', 'bell\\u0007 nul\\u0000 del\\u007f'],
    ['\u009b31m', '\\u009b31m'],
    ['user\u202egpj.exe', 'user\\u202egpj.exe'],
    ['\u2066a\u2069', '\\u2066a\\u2069'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['half\ud800', 'half\\ud800'],
    ['\u2028', '\\u2028'],
    // A39
  ])('%j is shown as %s', (text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })

  it.each(['plain', 'ünï日本', '👩‍👩‍👧', '❤️', 'שלום', 'e\u0301'])('leaves %s as it is', (text) => {
    expect(escapeText(text)).toBe(text)
  })

  it('keeps line feeds and tabs where lines are wanted', () => {
    expect(escapeText('a\n\tb\r\u001b', { lines: true })).toBe('a\n\tb\\r\\u001b')
  })

  // A39
  it('lets nothing through that a terminal obeys', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(
            fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
            fc.constantFrom('\u001b', '\u202e', '\0'),
          ),
        }),
        (text) => void expect(escapeText(text)).not.toMatch(obeyed),
      ),
    )
  })
})

describe('escapeJson', () => {
  const nasty = 'a\u001b[2J \u009b \u202e \ufeff \u{e0041} \ud800 \u2028 \u180e 日本 👩‍👩‍👧'

  // A39
  it('leaves a document that says the same, in which a terminal finds nothing to obey', () => {
    for (const indent of [undefined, 2]) {
      const json = escapeJson(JSON.stringify({ [nasty]: [nasty] }, null, indent))
      expect(json.replaceAll('\n', '')).not.toMatch(obeyed)
      expect(JSON.parse(json)).toEqual({ [nasty]: [nasty] })
      expect(json).toContain('日本 👩‍👩‍👧')
    }
  })

  // A39
  it('escapes what escapeText escapes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        (text) => {
          const shown = escapeJson(JSON.stringify(text))
          expect(shown).not.toMatch(obeyed)
          expect(escapeText(shown)).toBe(shown)
          expect(JSON.parse(shown)).toBe(text)
        },
      ),
    )
  })
})
