import { describe, expect, it } from 'vitest'
import { attempt, className, preview } from '../../src/text/preview.ts'

class Order {
  id = 1
}

describe('preview', () => {
  it.each<[unknown, string]>([
    ['x', '"x"'],
    ['\u001b', '"\\u001b"'],
    [5, '5'],
    [undefined, 'undefined'],
    [null, 'null'],
    [10n, '10n'],
    [2n ** 3_000n, 'a huge BigInt'],
    [Symbol('s'), 'Symbol(s)'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(Number.NaN), 'an invalid Date'],
    [Promise.resolve(), 'a Promise'],
    [new Order(), 'Order {"id": 1}'],
    [class Foo {}, 'class Foo'],
    [() => 1, 'function'],
    [{ a: { b: { c: 1 } } }, '{"a": {"b": {…}}}'],
    [[[[1]]], '[[[…]]]'],
    [[1, 2, 3, 4, 5, 6, 7, 8, 9], '[1, 2, 3, 4, 5, 6, 7, 8, …]'],
  ])('draws %s as %s', (value, text) => {
    expect(preview(value)).toBe(text)
  })

  it('is as short as it is asked to be, without half a character at its end', () => {
    expect(preview('x'.repeat(1_000_000), 10)).toBe('"xxxxxxxx…')
    expect(preview('😀'.repeat(100), 11)).toBe('"😀😀😀😀…')
    expect(preview(Array.from({ length: 9 }, () => 'x'.repeat(500))).length).toBe(200)
  })

  it('shows what it can of what throws', () => {
    const hostile = { get: () => attemptless(), enumerable: true }
    expect(preview(Object.defineProperties({ b: 1 }, { a: hostile }))).toBe('{"b": 1, "a": "(unreadable)"}')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(preview(proxy)).toBe('an unreadable object')
    expect(className(proxy)).toBe('Object')
  })
})

function attemptless(): never {
  throw new Error('no')
}

it('attempt gives what is read, or the other thing', () => {
  expect(attempt(() => 1, 2)).toBe(1)
  expect(attempt(attemptless, 2)).toBe(2)
})
