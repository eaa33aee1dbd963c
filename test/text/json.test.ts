import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxJsonDepth, parseVariables, toJson } from '../../src/text/json.ts'

const json = (value: unknown, maxBytes = 1_000_000) => toJson(value, { maxBytes, what: 'the result' })
const refusal = (value: unknown, maxBytes?: number) => {
  const made = json(value, maxBytes)
  return made.ok ? `kept as ${made.text}` : made.refusal
}
const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

class Money {
  amount = 5
  #hidden = 1
  get doubled() {
    return this.amount * 2 + this.#hidden
  }
}

describe('what is kept', () => {
  it.each<[string, unknown, string]>([
    ['plain data', { a: [1, 'x', true, null, { b: -0.5 }] }, '{"a":[1,"x",true,null,{"b":-0.5}]}'],
    ['null', null, 'null'],
    ['text', 'x', '"x"'],
    ['undefined members are dropped', { a: undefined, b: 1 }, '{"b":1}'],
    ['gaps of an array become null', [1, undefined, 2], '[1,null,2]'],
    // B060
    ['a Date becomes ISO text', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a class instance gives its own members', { price: new Money() }, '{"price":{"amount":5}}'],
    ['toJSON is asked', { url: new URL('https://x.example/') }, '{"url":"https://x.example/"}'],
    ['toJSON may drop a member', { a: { toJSON: () => undefined }, b: 1 }, '{"b":1}'],
    ['boxed values are opened', [new Object(5), new Object('x'), new Object(false)], '[5,"x",false]'],
    ['objects without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    // B101
    ['NUL', { a: '\0' }, '{"a":"\\u0000"}'],
    ['half a character', { a: '\ud800' }, '{"a":"\\ud800"}'],
    ['the same object twice is no circle', ((shared) => [shared, shared])({ a: 1 }), '[{"a":1},{"a":1}]'],
    // B107
    ['a member called __proto__', JSON.parse('{"__proto__":{"polluted":1}}'), '{"__proto__":{"polluted":1}}'],
  ])('%s', (_, value, text) => {
    expect(json(value)).toEqual({ ok: true, text })
  })

  it('gives the text that JSON.stringify gives, for everything that JSON can hold', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        expect(json(value)).toEqual({ ok: true, text: JSON.stringify(value) })
      }),
    )
  })

  it('gives the same text on the careful road, which a Date at the end forces', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), (value) => {
        const forced = [value, new Date(0)]
        expect(json(forced)).toEqual({ ok: true, text: JSON.stringify(forced) })
      }),
    )
  })

  // B101
  it('comes back exactly as it was', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })),
        (value) => {
          const made = json(value)
          expect(made.ok && parseVariables(made.text)).toEqual(JSON.parse(JSON.stringify(value)))
        },
      ),
    )
  })
})

describe('what is refused', () => {
  const circle: Record<string, unknown> = { a: { b: {} } }
  ;(circle['a'] as Record<string, Record<string, unknown>>)['b']!['back'] = circle['a']
  it.each<[string, unknown, string]>([
    // B060
    ['a BigInt', { id: 2n ** 60n }, '$.id is a BigInt, which JSON does not know; make it a string'],
    ['a BigInt alone', 5n, '$ is a BigInt'],
    // A17
    ['a circle', circle, '$.a.b.back is circular: it is the same object as $.a'],
    [
      'a circle of arrays',
      ((list: unknown[]) => list.push(list) && list)([]),
      '$[0] is circular: it is the same object as $',
    ],
    ['a function', { list: [{ run: () => 1 }] }, '$.list[0].run is a function'],
    ['a symbol', [Symbol('s')], '$[0] is a symbol'],
    ['undefined', undefined, '$ is undefined'],
    // B060
    ['a Map', { m: new Map() }, '$.m is a Map, which JSON would empty; use Object.fromEntries(map)'],
    ['a Set', { s: new Set() }, '$.s is a Set, which JSON would empty; use [...set]'],
    ['NaN', { n: Number.NaN }, '$.n is NaN, which JSON does not know; use null'],
    ['Infinity', [1, -Infinity], '$[1] is -Infinity'],
    ['a Buffer', { file: Buffer.from('x') }, "$.file is a Buffer; store value.toString('base64')"],
    ['bytes', { file: new Uint8Array(4) }, '$.file is a Uint8Array; store it as base64 text'],
    ['an invalid Date', { at: new Date(Number.NaN) }, '$.at is an invalid Date'],
    ['a Promise', { a: Promise.resolve(1) }, '$.a is a Promise: an await is missing'],
    ['an Error', { e: new Error('boom') }, '$.e is an Error ("boom"); store its message'],
    ['a RegExp', /x/, '$ is a RegExp, which JSON would empty'],
    ['a Map out of toJSON', { a: { toJSON: () => new Map() } }, '$.a is a Map'],
    ['an odd key', { 'odd key': { '\u001b': 5n } }, '$["odd key"]["\\u001b"] is a BigInt'],
    ['a getter that throws', { get a() { throw new Error('no luck') } }, '$.a could not be read: Error: no luck'], // biome-ignore format: one getter
    ['a toJSON that throws', { a: { toJSON() { throw new Error('no luck') } } }, '$.a could not be read: Error: no luck'], // biome-ignore format: one method
  ])('%s, by its path', (_, value, message) => {
    expect(refusal(value)).toContain(`the result cannot be stored: ${message}`)
  })

  // B075
  it('nesting beyond the limit, without running out of stack', () => {
    expect(json(nested(maxJsonDepth)).ok).toBe(true)
    expect(refusal(nested(maxJsonDepth + 1))).toContain('lies deeper than 500 levels')
    expect(refusal(nested(100_000))).toContain('lies deeper than 500 levels')
    let deep: Record<string, unknown> = {}
    for (let n = 0; n < 100_000; n++) deep = { deep }
    expect(refusal(deep)).toMatch(/\$(\.deep){6}…\(\d+ more\)…(\.deep){6} lies deeper/)
  })

  // B075
  it('a path through huge keys is short', () => {
    expect(refusal({ ['k'.repeat(500_000)]: 5n }).length).toBeLessThan(200)
  })

  it('a revoked proxy, without throwing', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(json(proxy).ok).toBe(false)
    expect(json({ a: proxy }).ok).toBe(false)
  })
})

describe('size', () => {
  it.each([
    ['ASCII', 'x'],
    ['two bytes', 'é'],
    ['three bytes', '語'],
    ['four bytes', '😀'],
    ['escapes', '"'],
    ['control characters', '\u0001'],
    // B076
  ])('counts bytes, not characters: %s', (_, unit) => {
    for (const wrap of [(text: string) => ({ text }), (text: string) => [text, new Date(0)]]) {
      const value = wrap(unit.repeat(100))
      const bytes = Buffer.byteLength(JSON.stringify(value))
      expect(json(value, bytes).ok).toBe(true)
      expect(refusal(value, bytes - 1)).toContain(
        `$ has ${bytes} bytes of JSON, more than ${bytes - 1} bytes`,
      )
    }
  })

  // B076
  it('measures a text up to four times the limit and builds none of it', () => {
    const shared = 'x'.repeat(1_000)
    let read = 0
    const endless = new Proxy([], {
      get: (target, key) => {
        if (key === 'length') return 600_000_000
        if (typeof key === 'string' && /^\d+$/.test(key)) read++
        return typeof key === 'string' && /^\d+$/.test(key) ? shared : Reflect.get(target, key)
      },
    })
    expect(refusal(endless, 1_048_576)).toContain(
      '$ has more than 4,194,304 bytes of JSON, more than 1,048,576 bytes',
    )
    expect(read).toBeLessThan(6_000)
  })

  // A17
  it('refuses a string of 50 MB and one huge key', () => {
    expect(refusal('x'.repeat(50_000_000))).toContain('$ has more than 4,000,000 bytes of JSON')
    expect(refusal({ ['k'.repeat(5_000_000)]: 1 })).toContain('$ has more than 4,000,000 bytes of JSON')
  })

  it('an array of a billion gaps ends', () => {
    expect(refusal(new Array(1_000_000_000))).toContain('$ has more than 4,000,000 bytes')
  })

  // B076
  it('names the setting of a limit that can be changed', () => {
    const made = toJson({ a: 'x' }, { maxBytes: 8, what: 'the result', setting: 'limits.result' })
    expect(made).toEqual({
      ok: false,
      path: '$',
      refusal:
        'the result cannot be stored: $ has 9 bytes of JSON, and limits.result allows 8 bytes; keep the data elsewhere and store its address',
    })
  })
})

describe('parseVariables', () => {
  // B107
  it('keeps __proto__ as data and pollutes nothing', () => {
    const variables = parseVariables(
      '{"__proto__":{"retries":999,"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    )
    expect(Object.keys(variables)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(variables)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  // B104
  it.each(['', '{', 'NaN', '[1', '\ufeff{}', "{'a':1}", '{"a":1} x', '['.repeat(1_000_000)])(
    'refuses %.20j: no JSON',
    (text) => {
      expect(() => parseVariables(text)).toThrow(
        expect.objectContaining({
          code: 'invalid_job',
          message: expect.stringMatching(/^the variables are not JSON: /),
        }),
      )
    },
  )

  // B104
  it.each(['null', '[1]', '5', '"x"', 'true'])('refuses %s: no object', (text) => {
    expect(() => parseVariables(text)).toThrow(
      expect.objectContaining({ code: 'invalid_job', message: expect.stringContaining('not an object') }),
    )
  })

  // B106
  it('rounds numbers beyond 2^53 as JSON.parse does', () => {
    expect(parseVariables('{"id":9007199254740993}')).toEqual({ id: 9007199254740992 })
  })
})
