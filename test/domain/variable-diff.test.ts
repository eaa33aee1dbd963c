import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setVariables } from '../../src/domain/set-variable.ts'
import { variableDiff } from '../../src/domain/edited-variables.ts'

describe('variableDiff', () => {
  it('names what was changed, where it stands', () => {
    const before = {
      amount: -1,
      customer: { name: 'Ann', city: 'Graz' },
      items: [{ price: 1 }, { price: 2 }],
      gone: 1,
    }
    const after = {
      amount: 10,
      customer: { name: 'Ann', zip: '8010' },
      items: [{ price: 1 }, { price: 3 }],
      note: null,
    }
    expect(variableDiff(before, after)).toEqual([
      { path: 'amount', value: 10, add: false },
      { path: 'customer.zip', value: '8010', add: true },
      { path: 'customer.city', value: null, remove: true, add: false },
      { path: 'items.1.price', value: 3, add: false },
      { path: 'note', value: null, add: true },
      { path: 'gone', value: null, remove: true, add: false },
    ])
  })

  it('makes of the one what the other is, whatever they are', () => {
    const variables = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 5,
    })
    fc.assert(
      fc.property(variables, variables, (before, after) => {
        const [from, to] = [JSON.stringify(before), JSON.stringify(after)]
        const changes = variableDiff(
          JSON.parse(from) as Record<string, unknown>,
          JSON.parse(to) as Record<string, unknown>,
        )
        expect(JSON.parse(setVariables(from, changes).text)).toEqual(JSON.parse(to))
      }),
    )
  })
})
