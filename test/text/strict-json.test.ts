import { describe, expect, it } from 'vitest'
import { parseExactJson, parseObject } from '../../src/text/strict-json.ts'
import { readSet } from '../../src/cli/input/set-values.ts'

describe('JSON as it was typed', () => {
  // B106
  it.each(['9007199254740993', '-9007199254740993', '{"a":[1,{"id":12345678901234567890}]}'])(
    'refuses %s instead of rounding it',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(/beyond what JavaScript can hold/)
    },
  )

  it.each([
    '9007199254740992',
    '{"id":"9007199254740993"}',
    '{"\\"9007199254740993":1}',
    '0.12345678901234567',
    '1.7976931348623157e308',
    '{"t":1700000000000}',
    // B106
  ])('takes %s', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text))
  })

  // B107
  it('keeps __proto__ as a member like any other', () => {
    const variables = parseObject(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"x":1}}}',
      'the variables',
    )
    expect(Object.keys(variables)).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each([
    ['[1]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['"a"', 'not a JSON object'],
    ['[1]', 'the variables are ['],
    ['{a:1}', 'the variables are not JSON'],
    ['', 'the variables are not JSON'],
  ])('refuses %s as variables', (text, why) => {
    expect(() => parseObject(text, 'the variables')).toThrow(why)
  })
})

describe('--set', () => {
  it.each([
    ['amount=10', { path: 'amount', value: 10 }],
    ['variables.amount=10', { path: 'amount', value: 10 }],
    ['customer.city=Bonn', { path: 'customer.city', value: 'Bonn', isBareText: true }],
    ['note=""', { path: 'note', value: '' }],
    ['a=b=c', { path: 'a', value: 'b=c', isBareText: true }],
    ['tags=["x"]', { path: 'tags', value: ['x'] }],
    ['gone=null', { path: 'gone', value: null }],
    ['n="10"', { path: 'n', value: '10' }],
  ])('reads %s', (text, expected) => {
    expect(readSet(text, '--set')).toEqual(expected)
  })

  it.each(['amount=', 'variables.amount=', 'note=  '])(
    'refuses %j, which would turn a value into an empty text, and says how to mean it',
    (text) => {
      expect(() => readSet(text, '--set')).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: expect.stringContaining('has no value'),
          hint: expect.stringMatching(/'(amount|note)=""' sets an empty text/),
        }),
      )
    },
  )

  it.each(['amount', '=10', ''])('refuses %j', (text) => {
    expect(() => readSet(text, '--set')).toThrow('is not path=value')
  })

  // B106
  it('refuses a number that would be rounded', () => {
    expect(() => readSet('id=9007199254740993', '--set')).toThrow(/beyond what JavaScript can hold/)
  })
})
