import { describe, expect, it } from 'vitest'
import { setVariables } from '../../src/domain/set-variable.ts'
import { parsePath } from '../../src/domain/variable-path.ts'

const order =
  '{"amount":30,"customer":{"name":"Ann","address":{"city":"Graz"}},"items":[{"price":1},{"price":2}]}'
const set = (path: string, value: unknown, { add = false, text = order } = {}) =>
  JSON.parse(setVariables(text, [{ path, value, add }]).text) as unknown
const before = JSON.parse(order) as object

describe('setVariables', () => {
  // A21
  it('changes a value, and says what it was', () => {
    const { text, changes } = setVariables(order, [{ path: 'amount', value: 10, add: false }])
    expect(JSON.parse(text)).toEqual({ ...before, amount: 10 })
    expect(changes).toEqual([{ path: 'amount', before: 30, after: 10 }])
  })

  it('reaches into objects and lists', () => {
    expect(set('customer.address.city', 'Linz')).toMatchObject({
      customer: { name: 'Ann', address: { city: 'Linz' } },
    })
    expect(set('items.1.price', 5)).toMatchObject({ items: [{ price: 1 }, { price: 5 }] })
    expect(set('items', null)).toMatchObject({ items: null })
  })

  it('makes changes in order, the later ones seeing the earlier', () => {
    const { text, changes } = setVariables('{}', [
      { path: 'a', value: { b: 1 }, add: true },
      { path: 'a.b', value: 2, add: false },
    ])
    expect(text).toBe('{"a":{"b":2}}')
    expect(changes).toEqual([
      { path: 'a', after: { b: 1 } },
      { path: 'a.b', before: 1, after: 2 },
    ])
  })

  it.each([
    'amuont',
    'customer.phone',
    'customer.address.zip.code',
    'items.2',
    'items.length',
    'items.-1',
    'items.00',
    'toString',
    'constructor',
    '__proto__',
    'customer.hasOwnProperty',
  ])('a new path such as %s is refused without add', (path) => {
    expect(() => set(path, 1)).toThrow(
      expect.objectContaining({
        code: 'invalid_job',
        message: `the variables have no "${path}"`,
        hint: expect.stringContaining('--add'),
      }),
    )
  })

  it('add creates a path with the objects on the way, and appends to a list', () => {
    expect(set('a.b.c', 1, { add: true })).toEqual({ ...before, a: { b: { c: 1 } } })
    expect(set('items.2', { price: 3 }, { add: true })).toMatchObject({
      items: [{ price: 1 }, { price: 2 }, { price: 3 }],
    })
  })

  it.each(['items.3', 'items.999999999', 'items.name', 'items.length'])('a list has no place %s', (path) => {
    expect(() => set(path, 1, { add: true })).toThrow(/is no place in a list of 2/)
  })

  it.each([
    ['amount', '1O', 'a number'],
    ['customer', 'Ann', 'an object'],
    ['items', '[1,', 'a list'],
    ['items.0.price', '', 'a number'],
  ])(
    'does not take bare text for %s, which is no text, without saying the value that it has',
    (path, value, kind) => {
      const change = { path, value, isBareText: true, add: false }
      expect(() => setVariables(order, [change])).toThrow(
        expect.objectContaining({
          message: `${JSON.stringify(path)} is ${kind}, and ${JSON.stringify(value)} is text`,
          hint: expect.stringContaining(`'${path}=${JSON.stringify(value)}'`),
        }),
      )
      expect(() => setVariables(order, [{ ...change, isBareText: false }])).not.toThrow()
    },
  )

  it('takes bare text for text, null and what is not there', () => {
    for (const path of ['customer.name', 'nothing', 'new'])
      expect(
        JSON.parse(
          setVariables('{"customer":{"name":"Ann"},"nothing":null}', [
            { path, value: 'Bob', isBareText: true, add: true },
          ]).text,
        ),
      ).toBeTruthy()
  })

  it('does not lead through a value that has no members', () => {
    expect(() => set('amount.cents', 1, { add: true })).toThrow(
      '"amount.cents" leads through "amount", which is a number and has no members',
    )
  })

  // B107
  it('__proto__ and constructor are plain members', () => {
    expect(setVariables('{}', [{ path: '__proto__.polluted', value: 1, add: true }]).text).toBe(
      '{"__proto__":{"polluted":1}}',
    )
    expect(setVariables('{}', [{ path: 'constructor.prototype.polluted', value: 1, add: true }]).text).toBe(
      '{"constructor":{"prototype":{"polluted":1}}}',
    )
    expect(setVariables('{"__proto__":{"a":1}}', [{ path: '__proto__.a', value: 2, add: false }]).text).toBe(
      '{"__proto__":{"a":2}}',
    )
    expect(
      setVariables('{}', [{ path: 'x', value: JSON.parse('{"__proto__":{"a":1}}'), add: true }]).text,
    ).toBe('{"x":{"__proto__":{"a":1}}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('the value is copied: a later change of it changes no job', () => {
    const value = { a: 1 }
    const { text } = setVariables('{"x":0,"y":0}', [
      { path: 'x', value, add: false },
      { path: 'y', value, add: false },
      { path: 'x.a', value: 2, add: false },
    ])
    expect(text).toBe('{"x":{"a":2},"y":{"a":1}}')
    expect(value).toEqual({ a: 1 })
  })

  it.each([5n, () => 1, undefined, Number.NaN])('a value that JSON cannot hold is refused: %s', (value) => {
    expect(() => set('amount', value)).toThrow(/^the value for "amount" cannot be stored: \$ is/)
  })

  it('the result must stay within the limit of variables', () => {
    expect(() =>
      setVariables(`{"a":"${'x'.repeat(600_000)}","b":0}`, [
        { path: 'b', value: 'y'.repeat(600_000), add: false },
      ]),
    ).toThrow(
      /^the changed variables cannot be stored: \$ has 1,200,015 bytes of JSON, and limits\.variables \(WF_MAX_VARIABLES\) allows 1,048,576 bytes/,
    )
  })

  // B076
  it('the limit is the one given', () => {
    const change = (length: number) =>
      setVariables('{"a":1}', [{ path: 'a', value: 'x'.repeat(length), add: false }], 2_000)
    expect(change(2_000 - '{"a":""}'.length).text).toHaveLength(2_000)
    expect(() => change(2_001 - '{"a":""}'.length)).toThrow(/has 2,001 bytes of JSON/)
  })

  it('a long value is described in the record of the change, not kept twice', () => {
    const { changes } = setVariables('{"a":1}', [{ path: 'a', value: 'x'.repeat(100_000), add: false }])
    expect(JSON.stringify(changes).length).toBeLessThan(300)
  })

  // B104
  it('unreadable variables cannot be changed', () => {
    expect(() => setVariables('{', [{ path: 'a', value: 1, add: true }])).toThrow(/are not JSON/)
  })
})

describe('parsePath', () => {
  it.each([
    ['amount', ['amount']],
    ['a.b.0', ['a', 'b', '0']],
    ['a\\.b.c', ['a.b', 'c']],
    ['a\\\\.b', ['a\\', 'b']],
    ['a\\b', ['a\\b']],
    ['mit Leerzeichen.ü', ['mit Leerzeichen', 'ü']],
  ])('%s', (path, keys) => {
    expect(parsePath(path)).toEqual(keys)
  })

  it.each(['', '.', 'a.', '.a', 'a..b'])('%j is no path', (path) => {
    expect(() => parsePath(path)).toThrow(/is not a path/)
  })
})
