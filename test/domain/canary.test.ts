import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseCanaries } from '../../src/domain/canary.ts'

const targets = (...counts: readonly (readonly [fingerprint: string, count: number])[]) =>
  counts.flatMap(([fingerprint, count]) =>
    Array.from({ length: count }, (_, index) => ({ fingerprint, index })),
  )

describe('the jobs that are tried first', () => {
  it('are of each cause in turn, the largest first, and within one spread from first to last', () => {
    const { canaries, causes, unproven } = chooseCanaries(targets(['small', 2], ['large', 9]), 5)
    expect(canaries.map(({ fingerprint, index }) => `${fingerprint} ${index}`)).toEqual([
      'small 0',
      'small 1',
      'large 0',
      'large 4',
      'large 8',
    ])
    expect([causes, unproven]).toEqual([2, 0])
  })

  it('leave causes without any when there are more of those', () => {
    const { canaries, causes, unproven } = chooseCanaries(targets(['a', 1], ['b', 3], ['c', 2]), 2)
    expect(canaries.map(({ fingerprint }) => fingerprint)).toEqual(['b', 'c'])
    expect([causes, unproven]).toEqual([3, 1])
  })

  it('are as many as asked for, or all, and with the rest make up the whole in its order', () => {
    const one = fc.record({ fingerprint: fc.constantFrom('a', 'b', 'c', 'd') })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), fc.integer({ min: 1, max: 12 }), (all, count) => {
        const { canaries, rest, causes, unproven } = chooseCanaries(all, count)
        expect(canaries).toHaveLength(Math.min(count, all.length))
        const chosen = new Set(canaries)
        expect(all.filter((each) => chosen.has(each))).toEqual(canaries)
        expect(all.filter((each) => !chosen.has(each))).toEqual(rest)
        expect(unproven).toBe(causes - new Set(canaries.map(({ fingerprint }) => fingerprint)).size)
      }),
    )
  })
})
