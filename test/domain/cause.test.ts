import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { programStart, trendOf, worseFirst, type StartedWorker, type Trend } from '../../src/domain/cause.ts'

describe('the trend of a cause', () => {
  const table: readonly (readonly [last: number, before: number, Trend])[] = [
    [0, 0, 'steady'],
    [1, 0, 'rising'],
    [0, 1, 'falling'],
    [3, 3, 'steady'],
    [109, 100, 'steady'],
    [112, 100, 'rising'],
    [100, 109, 'steady'],
    [100, 112, 'falling'],
    [2, 1, 'rising'],
  ]
  it.each(table)('%i in the last window and %i before is %s', (last, before, trend) => {
    expect(trendOf({ last, before })).toBe(trend)
  })

  it('is the opposite when the windows are swapped', () => {
    const opposite: Record<Trend, Trend> = { rising: 'falling', falling: 'rising', steady: 'steady' }
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(100_000), (last, before) => {
        expect(trendOf({ last, before })).toBe(opposite[trendOf({ last: before, before: last })])
      }),
    )
  })
})

describe('the order of causes', () => {
  it('is by count, then the newest first, and the same whatever order they come in', () => {
    const one = fc.record({
      count: fc.integer({ min: 1, max: 3 }),
      lastAt: fc.nat(3),
      fingerprint: fc.string(),
    })
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ fingerprint }) => fingerprint }), (causes) => {
        const sorted = [...causes].sort(worseFirst)
        expect([...causes].reverse().sort(worseFirst)).toEqual(sorted)
        for (const [index, { count, lastAt }] of sorted.entries()) {
          const next = sorted[index + 1]
          if (next) expect(count > next.count || (count === next.count && lastAt >= next.lastAt)).toBe(true)
        }
      }),
    )
  })
})

describe('when the running program began', () => {
  const worker = (label: string, startedAt: number, more: Partial<StartedWorker> = {}): StartedWorker => ({
    ...{ label, startedAt, leaseUntil: 1_000, types: ['mail'], quarantine: false },
    ...more,
  })
  const start = (...workers: readonly StartedWorker[]) => programStart(workers, 'mail', 500)

  it('is unknown when no living worker handles the type', () => {
    expect(start()).toBeNull()
    expect(
      start(worker('old', 10, { leaseUntil: 500 }), worker('other', 20, { types: ['charge'] })),
    ).toBeNull()
  })

  it('is that of the newest label: the release that came last', () => {
    expect(start(worker('old', 10), worker('new', 300))).toBe(300)
  })

  it('is not moved by a process that was replaced, nor by one that runs suspects alone', () => {
    expect(start(worker('web', 10), worker('web', 400), worker('lone', 450, { quarantine: true }))).toBe(10)
  })
})
