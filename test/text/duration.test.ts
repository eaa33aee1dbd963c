import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, maxDurationMs, parseDuration } from '../../src/text/duration.ts'

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1h30m', 5_400_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['0s', 0],
    ['60d', 5_184_000_000],
    ['90s', 90_000],
    ['007s'.slice(2), 7_000],
    [1_500, 1_500],
    [0, 0],
    [1000 / 3, 333],
    // B137
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    '',
    ' ',
    'abc',
    '5',
    '1.5',
    '1.5h',
    '-1',
    '-5m',
    '0',
    '1e3',
    '1e3s',
    '0x10',
    '0x10s',
    '007',
    '007s',
    '+5',
    '+5s',
    '1_000s',
    'Infinity',
    'NaN',
    '5 ',
    '5s ',
    ' 5s',
    '5 s',
    '５',
    '５s',
    '0\u0660s',
    '5S',
    '5M',
    '30m1h',
    '1h1h',
    '5s\n',
    '1h,30m',
    '99999d',
    `${10 ** 30}s`,
    `${'9'.repeat(30)}ms`,
    'constructor',
    // B137
  ])('%j is refused by value and form', (text) => {
    expect(() => parseDuration(text, '--delay')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(/^--delay "/),
        hint: expect.stringContaining('250ms, 30s, 5m'),
      }),
    )
  })

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    -1,
    maxDurationMs + 1,
    10 ** 30,
    null,
    undefined,
    true,
    {},
    [5],
    5n,
    new Date(0),
    // B137
  ])('%s is no duration', (value) => {
    expect(() => parseDuration(value as number)).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  // B137
  it('a megabyte of digits is refused with a short message', () => {
    expect(() => parseDuration('9'.repeat(1_000_000))).toThrow(/^the duration "9{50,60}… is not a duration$/)
  })

  it('says which of its limits a value passes', () => {
    expect(() => parseDuration('99999d')).toThrow('the duration "99999d" is longer than ten years')
    expect(() => parseDuration(-1)).toThrow('is negative')
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [250, '250ms'],
    [999.4, '999ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [9_949, '9.9s'],
    [9_960, '10s'],
    [42_000, '42s'],
    [59_700, '1m'],
    [185_000, '3m5s'],
    [3_599_600, '1h'],
    [7_800_000, '2h10m'],
    [86_399_000, '1d'],
    [4 * 86_400_000, '4d'],
    [90_000_000, '1d1h'],
    [-1_500, '-1.5s'],
    [Number.NaN, '?'],
    [Number.POSITIVE_INFINITY, '?'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it('shows whole seconds below an hour in a form that is read back exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_599 }), (seconds) => {
        expect(parseDuration(formatDuration(seconds * 1_000))).toBe(seconds * 1_000)
      }),
    )
  })
})
