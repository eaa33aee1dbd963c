import { describe, expect, it } from 'vitest'
import { parseKey, parseKeys } from '../../src/domain/selector.ts'

const usage = (message: string) =>
  expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) })

describe('keys', () => {
  it('are whole numbers up to 2^53 - 1', () => {
    expect(parseKey('1')).toBe(1)
    expect(parseKey('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  })

  it.each([
    '9007199254740992',
    '9007199254740993',
    '99999999999999999999',
    '0',
    '-1',
    '1.0',
    '1e3',
    '0x10',
    '007',
    '+5',
    '5 ',
    ' 5',
    '５',
    '',
    'abc',
    'NaN',
    '1\n',
    // B106
  ])('%j is refused, not rounded', (text) => {
    expect(() => parseKey(text)).toThrow(usage(`${JSON.stringify(text)} is not a job key`))
  })

  it('come in any number, each once, in order', () => {
    expect(parseKeys('3, 1\n2\r\n3 1')).toEqual([3, 1, 2])
    expect(parseKeys(' \n')).toEqual([])
    expect(() => parseKeys('1 x')).toThrow(usage('"x" is not a job key'))
  })
})
