import { describe, expect, it } from 'vitest'
import { bytesWords, counted, relative, span } from '../../src/terminal/time.ts'

describe('times for people', () => {
  it.each([
    [0, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [3_600_000 * 5 + 1, '5h'],
    [86_400_000 * 400, '400d'],
  ])('%d ms are %s', (ms, expected) => {
    expect(span(ms)).toBe(expected)
  })

  it('look back and ahead', () => {
    expect([relative(0, 500), relative(0, 180_000), relative(12_000, 0)]).toEqual(['now', '3m ago', 'in 12s'])
  })

  it('rounds what is still to come, so that a pause of two hours does not end in one', () => {
    expect([7_199_970, 7_100_000, 599_001, 59_500, 3_660_000].map((at) => relative(at, 0))).toEqual([
      'in 2h',
      'in 2h',
      'in 10m',
      'in 1m',
      'in 1h',
    ])
  })

  it('count with the right ending', () => {
    expect([counted(1, 'job'), counted(0, 'job'), counted(1_234_567, 'job'), counted(2, 'entry')]).toEqual([
      '1 job',
      '0 jobs',
      '1,234,567 jobs',
      '2 entries',
    ])
  })

  it('size bytes', () => {
    expect([bytesWords(12), bytesWords(4_096), bytesWords(159_744), bytesWords(3_200_000)]).toEqual([
      '12 B',
      '4.1 kB',
      '160 kB',
      '3.2 MB',
    ])
  })
})
