import { describe, expect, it } from 'vitest'
import { parseRate } from '../../src/text/duration.ts'

describe('a pace', () => {
  it.each([
    ['20/s', 20],
    ['90/m', 1.5],
    ['1/h', 1 / 3_600],
    ['10000/s', 10_000],
    ['36000000/h', 10_000],
    // B137
  ])('reads %s as %d a second', (text, expected) => {
    expect(parseRate(text, '--rate')).toBe(expected)
  })

  it.each([
    '',
    '20',
    '20/',
    '/s',
    '0/s',
    '-1/s',
    '1.5/s',
    '1e3/s',
    '01/s',
    ' 20/s',
    '20 /s',
    '20/ms',
    '20/d',
    '20/S',
    '１/s',
    '10001/s',
    '9999999999/s',
    // B137
  ])('refuses %j', (text) => {
    expect(() => parseRate(text, '--rate')).toThrow(/--rate/)
  })
})
