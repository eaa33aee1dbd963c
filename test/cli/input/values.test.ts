import { describe, expect, it } from 'vitest'
import {
  readChoice,
  readDeadline,
  readDuration,
  readInstant,
  readInteger,
  readText,
} from '../../../src/text/parse-input.ts'
import { WfError } from '../../../src/errors.ts'

function refusal(read: () => unknown): WfError {
  try {
    read()
  } catch (error) {
    if (error instanceof WfError) return error
    throw error
  }
  throw new Error('was taken')
}

const strange = [
  '',
  ' ',
  'abc',
  '1.5',
  '1e3',
  '0x10',
  '007',
  '+5',
  '1_000',
  'Infinity',
  'NaN',
  String(2 ** 53 + 2),
  `1${'0'.repeat(30)}`,
  '5 ',
  ' 5',
  '５',
  '-0',
  '5\n',
]

describe('integers', () => {
  // B137
  it.each(strange)('refuses %j with name, value and range', (text) => {
    const { code, message } = refusal(() => readInteger(text, '--limit', { min: -10, max: 1_000 }))
    expect(code).toBe('usage')
    expect(message).toContain('--limit')
    expect(message).toContain('from -10 to 1,000')
  })

  it('takes plain digits within the range, both ends included', () => {
    const range = { min: -3, max: 100_000 }
    expect(['-3', '0', '7', '100000'].map((text) => readInteger(text, '--n', range))).toEqual([
      -3, 0, 7, 100_000,
    ])
    expect(refusal(() => readInteger('-4', '--n', range)).message).toContain('"-4"')
    expect(refusal(() => readInteger('100001', '--n', range)).message).toContain('"100001"')
  })
})

describe('durations', () => {
  // B137
  it.each(['', ' ', '5', '0', '5S', '-5m', '1.5s', '5 s', '99999d', '1m1h', '５s', 'Infinity', '1e3ms'])(
    'refuses %j',
    (text) => {
      expect(refusal(() => readDuration(text, '--delay')).message).toContain('--delay')
    },
  )

  it('takes whole numbers with units', () => {
    expect(['5s', '250ms', '1h30m', '2d', '0s'].map((text) => readDuration(text, '--delay'))).toEqual([
      5_000, 250, 5_400_000, 172_800_000, 0,
    ])
  })

  it('holds a range', () => {
    const range = { min: 1_000, max: 60_000 }
    expect(refusal(() => readDuration('10ms', '--grace', range)).message).toContain('too short')
    expect(refusal(() => readDuration('2m', '--grace', range)).message).toContain('too long')
  })
})

describe('instants', () => {
  it.each([
    '',
    '2030-01-31',
    '2030-01-31T09:00:00',
    '2030-02-30T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-31T24:00:00Z',
    '2030-01-31 09:00:00Z',
    'tomorrow',
    '1900000000000',
    '2030-01-31T09:00:00z',
    '+02030-01-31T09:00:00Z',
    // B137
  ])('refuses %j', (text) => {
    expect(refusal(() => readInstant(text, '--at')).message).toContain('--at')
  })

  it('takes ISO 8601 with a zone', () => {
    const at = Date.UTC(2030, 0, 31, 9)
    expect(
      ['2030-01-31T09:00:00Z', '2030-01-31T09:00Z', '2030-01-31T10:00:00.000+01:00'].map((text) =>
        readInstant(text, '--at'),
      ),
    ).toEqual([at, at, at])
    expect(readInstant('2032-02-29T00:00:00Z', '--at')).toBe(Date.UTC(2032, 1, 29))
  })

  it('reads a deadline as an instant or as a duration', () => {
    expect(readDeadline('2030-01-31T09:00:00Z', '--deadline')).toBe(Date.UTC(2030, 0, 31, 9))
    expect(readDeadline('2h', '--deadline')).toBe('2h')
    expect(refusal(() => readDeadline('2 h', '--deadline')).message).toContain('--deadline')
  })
})

describe('words', () => {
  it('names what there is, and what was meant', () => {
    const { message, hint } = refusal(() => readChoice('faled', '--state', ['failed', 'dead']))
    expect(message).toBe('--state "faled" is none of failed, dead')
    expect(hint).toBe('did you mean failed?')
  })

  it.each(['toString', '__proto__', 'constructor'])('does not take %s for a choice', (word) => {
    expect(refusal(() => readChoice(word, '--state', ['failed'])).code).toBe('usage')
  })

  it('refuses text that says nothing, or too much', () => {
    expect(refusal(() => readText('  ', '--reason')).message).toBe('--reason is empty')
    expect(refusal(() => readText('x'.repeat(1_001), '--reason')).message).toContain('1,001 characters')
  })
})
