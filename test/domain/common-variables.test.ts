import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commonVariables } from '../../src/domain/common-variables.ts'

const texts = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each))
const common = (members: readonly unknown[], others: readonly unknown[]) =>
  commonVariables(texts(members), texts(others))
const repeat = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index))

describe('what the jobs of a cause have in common', () => {
  it('is what all of them have and the others have not', () => {
    const members = repeat(20, (order) => ({ order, region: 'eu', currency: 'EUR' }))
    const others = repeat(20, (order) => ({ order: order + 100, region: 'us', currency: 'EUR' }))
    expect(common(members, others)).toEqual([{ path: 'region', value: 'eu', share: 1, shareOfOthers: 0 }])
  })

  it('needs nine members in ten, and at most three of the others in ten', () => {
    const of = (share: number) => repeat(20, (index) => ({ region: index < share ? 'eu' : `r${index}` }))
    expect(common(of(18), of(0))).toMatchObject([{ path: 'region', share: 0.9 }])
    expect(common(of(17), of(0))).toEqual([])
    expect(common(of(20), of(6))).toMatchObject([{ shareOfOthers: 0.3 }])
    expect(common(of(20), of(7))).toEqual([])
  })

  it('tells values of different kinds apart, finds them below others, and passes lists by', () => {
    const members = repeat(5, () => ({ a: { 'b.c': { on: true } }, n: null, list: [1], id: '1' }))
    const others = repeat(5, () => ({ a: { 'b.c': { on: false } }, list: [2], id: 1 }))
    expect(common(members, others).map(({ path, value }) => [path, value])).toEqual([
      ['a["b.c"].on', true],
      ['id', '1'],
      ['n', null],
    ])
  })

  it('says nothing of one member, of few others, or where there is nothing to compare with', () => {
    const member = { region: 'eu' }
    const other = { region: 'us' }
    expect(common([member], [other, other, other])).toEqual([])
    expect(common([member, member], [other, other])).toEqual([])
    expect(common([member, member], [other, other, other])).toHaveLength(1)
  })

  it('never tells what looks secret, by its name, by a name above it, or by its form', () => {
    const members = repeat(5, () => ({
      password: 'p',
      session: { id: 'x' },
      url: 'https://u:pw@host/',
      region: 'eu',
    }))
    const others = repeat(5, () => ({}))
    expect(common(members, others).map(({ path }) => path)).toEqual(['region'])
  })

  it('takes no two whole numbers for the same that lost their digits', () => {
    const text = '{"id":9007199254740993}'
    expect(commonVariables([text, text], ['{}', '{}', '{}'])).toEqual([])
  })

  it('takes what cannot be read for a job without variables', () => {
    expect(commonVariables(['', '[1]', 'null', '{"a":1}'], ['{}', '{', '{}'])).toEqual([])
  })

  it('keeps its word whatever the variables are', () => {
    const value = fc.dictionary(
      fc.constantFrom('a', 'b', '__proto__'),
      fc.oneof(fc.constantFrom('x', 'y'), fc.boolean(), fc.dictionary(fc.constantFrom('c'), fc.nat(1))),
    )
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 2, maxLength: 12 }),
        fc.array(value, { minLength: 3, maxLength: 12 }),
        (members, others) => {
          const shareIn = (list: readonly object[], path: string, wanted: unknown) =>
            list.filter(
              (each) =>
                path
                  .split('.')
                  .reduce<unknown>(
                    (at, key) => Object.getOwnPropertyDescriptor(new Object(at), key)?.value,
                    each,
                  ) === wanted,
            ).length / list.length
          for (const each of common(members, others)) {
            expect(each.share).toBe(shareIn(members, each.path, each.value))
            expect(each.share).toBeGreaterThanOrEqual(0.9)
            expect(each.shareOfOthers).toBe(shareIn(others, each.path, each.value))
            expect(each.shareOfOthers).toBeLessThanOrEqual(0.3)
          }
        },
      ),
    )
  })
})
