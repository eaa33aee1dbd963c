import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countedBytes, formatBytes, parseBytes } from '../../src/text/bytes.ts'

describe('a size', () => {
  it.each([
    ['0', 0],
    ['4096', 4_096],
    ['512B', 512],
    ['256KiB', 262_144],
    ['1MiB', 1_048_576],
    [1_000, 1_000],
  ])('%s is %i bytes', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes)
  })

  it.each([
    '',
    ' ',
    'x',
    '1.5',
    '1.5MiB',
    '-1',
    '+1',
    '007',
    '1e3',
    '0x10',
    '1 MiB',
    '1MiB ',
    '1MB',
    '1kB',
    '1mib',
    '1M',
    '１KiB',
    '9'.repeat(16),
  ])('%j is none, and says how one is written', (text) => {
    expect(() => parseBytes(text, 'the limit')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining('the limit'),
        hint: expect.stringContaining('256KiB'),
      }),
    )
  })

  it.each([Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 53])('the number %d is none', (number) => {
    expect(() => parseBytes(number)).toThrow('is not a size')
  })

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.nat(),
          fc.integer({ min: 0, max: 20_000 }).map((count) => count * 1024),
        ),
        (bytes) => {
          expect(parseBytes(formatBytes(bytes))).toBe(bytes)
        },
      ),
    )
    expect([formatBytes(1_048_576), formatBytes(1_572_864), formatBytes(1_000)]).toEqual([
      '1MiB',
      '1536KiB',
      '1000B',
    ])
  })

  it('is shown to people with its thousands apart', () => {
    expect([countedBytes(1), countedBytes(999), countedBytes(1_048_577)]).toEqual([
      '1 byte',
      '999 bytes',
      '1,048,577 bytes',
    ])
  })
})
