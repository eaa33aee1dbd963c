import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, idempotencyHash } from '../../src/domain/idempotency.ts'

/** The same data with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  const copy = {}
  for (const [key, member] of Object.entries(value).reverse()) {
    Object.defineProperty(copy, key, { value: reversed(member), enumerable: true })
  }
  return copy
}

describe('canonicalJson', () => {
  it('orders members at every depth and leaves lists alone', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 1], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},1]}')
  })

  // B107
  it('keeps a member called __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1},"b":1}')
  })

  // B109
  it('is the same whatever the order of the members, and means the same data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('idempotencyHash', () => {
  // A32 B109
  it('does not depend on the order of members or on blanks', () => {
    const hash = idempotencyHash('charge', '{"a":1,"b":{"c":2,"d":3}}')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(idempotencyHash('charge', '{ "b": {"d":3,"c":2}, "a": 1.0 }')).toBe(hash)
  })

  it.each([
    ['charge', '{"a":2}'],
    ['refund', '{"a":1}'],
    ['charge', '{"a":"1"}'],
    ['charge', '{"a":[1]}'],
    ['charge', '{}'],
    // A32 B109
  ])('differs for %s %s', (type, variables) => {
    expect(idempotencyHash(type, variables)).not.toBe(idempotencyHash('charge', '{"a":1}'))
  })
})
