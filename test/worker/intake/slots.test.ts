import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseHandler } from '../../../src/worker/handler/handler-schema.ts'
import { Slots } from '../../../src/worker/intake/slots.ts'

function slots(
  types: Record<string, { concurrency: number; maxJobsActivated?: number }>,
  cap?: number,
): Slots {
  const handlers = Object.entries(types).map(
    ([type, options]) => [type, normaliseHandler({ type, run: () => 1, ...options })] as const,
  )
  return new Slots(new Map(handlers), cap)
}

describe('slots', () => {
  it('offer each type what it has left, and no more than there are in all', () => {
    const seats = slots({ a: { concurrency: 4 }, b: { concurrency: 2 } }, 5)
    expect(seats.total).toBe(5)
    expect(seats.request(64)).toMatchObject({
      limit: 5,
      types: [
        { type: 'b', limit: 2 },
        { type: 'a', limit: 4 },
      ],
    })
    for (let job = 0; job < 4; job++) seats.take('a')
    expect(seats.request(64)).toMatchObject({ limit: 1, types: [{ type: 'b', limit: 1 }] })
    expect(seats.openTypes()).toEqual(['b'])
    seats.take('b')
    expect(seats.request(64)).toBeNull()
    expect(seats.openTypes()).toEqual([])
  })

  it('count attempts that are settled in the same transaction as free', () => {
    const seats = slots({ a: { concurrency: 1 } })
    seats.take('a')
    expect(seats.request(64)).toBeNull()
    expect(seats.request(64, ['a'])).toMatchObject({ limit: 1, types: [{ type: 'a', limit: 1 }] })
  })

  it('begin each wish with another type', () => {
    const seats = slots({ a: { concurrency: 1 }, b: { concurrency: 1 }, c: { concurrency: 1 } })
    const first = [1, 2, 3].map(() => seats.request(1)?.types[0]?.type)
    expect(new Set(first)).toEqual(new Set(['a', 'b', 'c']))
  })

  it('never let more start than a type or the whole allows, in whatever order jobs come and go', () => {
    const step = fc.record({
      leave: fc.array(fc.nat(20), { maxLength: 5 }),
      most: fc.integer({ min: 1, max: 8 }),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(step, { maxLength: 40 }), (cap, steps) => {
        const limits: Record<string, number> = { a: 3, b: 5, c: 1 }
        const seats = slots(
          Object.fromEntries(Object.entries(limits).map(([type, concurrency]) => [type, { concurrency }])),
          cap,
        )
        let running: string[] = []
        for (const { leave, most } of steps) {
          const leaving = [...new Set(leave)]
            .map((index) => running[index])
            .filter((type) => type !== undefined)
          const wish = seats.request(most, leaving)
          for (const type of leaving) {
            running.splice(running.indexOf(type), 1)
            seats.free(type)
          }
          const claimed = (wish?.types ?? [])
            .flatMap(({ type, limit }) => new Array<string>(limit).fill(type))
            .slice(0, wish?.limit ?? 0)
          for (const type of claimed) seats.take(type)
          running = [...running, ...claimed]
          expect(running.length).toBeLessThanOrEqual(Math.min(cap, 9))
          for (const [type, limit] of Object.entries(limits))
            expect(running.filter((each) => each === type).length).toBeLessThanOrEqual(limit)
          expect(seats.taken).toBe(running.length)
        }
      }),
    )
  })
})
