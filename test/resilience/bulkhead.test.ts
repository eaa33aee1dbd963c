import { getEventListeners } from 'node:events'
import { bulkhead as cockatielBulkhead } from 'cockatiel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bulkhead, BulkheadFull } from '../../src/resilience/bulkhead.ts'
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts'
import { deferred, watched } from './scope.ts'

const forever = () => Number.POSITIVE_INFINITY

function scene({ limit = 2, waitMs = 1_000 } = {}) {
  const clock = createFakeClock()
  const bulkhead = new Bulkhead({ limit, waitMs }, clock)
  const started: string[] = []
  const call = (name: string, timeLeftMs = forever) => {
    const work = deferred<string>()
    const controller = new AbortController()
    const begin = () => {
      started.push(name)
      return work.promise
    }
    const seen = watched(bulkhead.run(begin, { signal: controller.signal, timeLeftMs }))
    return { ...work, controller, seen }
  }
  return { clock, bulkhead, started, call }
}

describe('the bulkhead', () => {
  // A29
  it('lets two through and refuses the third after a second in line', async () => {
    const { clock, bulkhead, started, call } = scene()
    call('one')
    call('two')
    const three = call('three')
    await clock.advance(999)
    expect([started, bulkhead.active, bulkhead.waiting, three.seen.state]).toEqual([
      ['one', 'two'],
      2,
      1,
      'pending',
    ])
    await clock.advance(1)
    expect(three.seen.thrown).toBeInstanceOf(BulkheadFull)
    expect([started, bulkhead.active, bulkhead.waiting, clock.pendingTimers]).toEqual([
      ['one', 'two'],
      2,
      0,
      0,
    ])
  })

  it('serves those in line in the order of their coming, before whoever comes meanwhile', async () => {
    const { clock, started, call } = scene({ limit: 1 })
    const one = call('one')
    const two = call('two')
    call('three')
    one.resolve('')
    call('four')
    await clock.settle()
    expect(started).toEqual(['one', 'two'])
    two.reject(new Error('no'))
    await clock.settle()
    expect(started).toEqual(['one', 'two', 'three'])
    expect(two.seen.thrown).toMatchObject({ message: 'no' })
  })

  // A29
  it('takes an aborted waiter out of the line, with its reason', async () => {
    const { clock, bulkhead, started, call } = scene({ limit: 1 })
    const one = call('one')
    const two = call('two')
    call('three')
    const reason = new Error('cancelled')
    two.controller.abort(reason)
    await clock.settle()
    expect([two.seen.thrown, bulkhead.waiting]).toEqual([reason, 1])
    one.resolve('')
    await clock.settle()
    expect(started).toEqual(['one', 'three'])
    expect(getEventListeners(two.controller.signal, 'abort')).toHaveLength(0)
    const late = call('late')
    late.controller.abort(reason)
    const before = new AbortController()
    before.abort(reason)
    await expect(bulkhead.run(async () => 1, { signal: before.signal, timeLeftMs: forever })).rejects.toBe(
      reason,
    )
    expect(bulkhead.active).toBe(1)
  })

  it('lets nobody stand in line for longer than the attempt has left', async () => {
    const { clock, call } = scene({ limit: 1 })
    call('one')
    const two = call('two', () => 300)
    await clock.advance(300)
    expect(two.seen.thrown).toBeInstanceOf(BulkheadFull)
  })

  it('gives the place back when a call throws before it waits for anything', async () => {
    const { bulkhead } = scene({ limit: 1 })
    const thrower = () => {
      throw new Error('at once')
    }
    for (let round = 0; round < 3; round++) {
      await expect(
        bulkhead.run(thrower, { signal: new AbortController().signal, timeLeftMs: forever }),
      ).rejects.toThrow('at once')
    }
    expect(bulkhead.active).toBe(0)
  })

  it('lets a hundred stand in line on one signal with one listener', async () => {
    const { clock, bulkhead } = scene({ limit: 1 })
    const { signal } = new AbortController()
    const works = Array.from({ length: 100 }, () => deferred())
    const calls = works.map(({ promise }) => bulkhead.run(() => promise, { signal, timeLeftMs: forever }))
    await clock.settle()
    expect([bulkhead.waiting, getEventListeners(signal, 'abort').length]).toEqual([99, 1])
    for (const work of works) work.resolve()
    await Promise.all(calls)
    expect([bulkhead.active, getEventListeners(signal, 'abort').length, clock.pendingTimers]).toEqual([
      0, 0, 0,
    ])
  })
})

/** What must be so, told by arrays and nothing else. */
interface Model {
  active: number[]
  /** Their work is over, but no promise has run since: they still hold their places. */
  ending: number
  line: { id: number; leavesAt: number }[]
  refused: number[]
  aborted: number[]
}

type Step =
  | { kind: 'come' }
  | { kind: 'end'; pick: number; fails: boolean }
  | { kind: 'abort'; pick: number }
  | { kind: 'pass'; ms: number }

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>({ kind: 'come' }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('end' as const), pick: fc.nat(), fails: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), pick: fc.nat() }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 120 }) }),
    },
  ),
  { maxLength: 30 },
)

const waitMs = 100
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

class World {
  readonly clock: FakeClock = createFakeClock()
  readonly model: Model = { active: [], ending: 0, line: [], refused: [], aborted: [] }
  readonly calls: ReturnType<World['begin']>[] = []
  readonly started: number[] = []
  readonly expectedStarts: number[] = []
  running = 0
  most = 0
  readonly limit: number
  readonly bulkhead: Bulkhead
  constructor(limit: number) {
    this.limit = limit
    this.bulkhead = new Bulkhead({ limit, waitMs }, this.clock)
  }

  begin(id: number) {
    const work = deferred()
    const controller = new AbortController()
    const run = async () => {
      this.started.push(id)
      this.running++
      this.most = Math.max(this.most, this.running)
      try {
        await work.promise
      } finally {
        this.running--
      }
    }
    return {
      ...work,
      controller,
      seen: watched(this.bulkhead.run(run, { signal: controller.signal, timeLeftMs: forever })),
    }
  }

  enter(id: number) {
    this.model.active.push(id)
    this.expectedStarts.push(id)
  }

  /** Promises run: who has ended leaves, and the place goes to the first in line. */
  async settle() {
    await turn()
    for (; this.model.ending > 0; this.model.ending--) {
      const next = this.model.line.shift()
      if (next) this.enter(next.id)
    }
  }

  step(step: Exclude<Step, { kind: 'pass' }>) {
    const { model, clock } = this
    if (step.kind === 'come') {
      const id = this.calls.length
      if (model.active.length + model.ending < this.limit) this.enter(id)
      else model.line.push({ id, leavesAt: clock.monotonic() + waitMs })
      this.calls.push(this.begin(id))
    } else if (step.kind === 'end' && model.active.length > 0) {
      const [id = 0] = model.active.splice(step.pick % model.active.length, 1)
      model.ending++
      if (step.fails) this.calls[id]?.reject(new Error('no'))
      else this.calls[id]?.resolve()
    } else if (step.kind === 'abort' && this.calls.length > 0) {
      const id = step.pick % this.calls.length
      if (model.line.some((one) => one.id === id)) {
        model.line = model.line.filter((one) => one.id !== id)
        model.aborted.push(id)
      }
      this.calls[id]?.controller.abort(new Error('aborted'))
    }
  }

  async pass(ms: number) {
    await this.settle()
    const { model, clock } = this
    const until = clock.monotonic() + ms
    model.refused.push(...model.line.filter(({ leavesAt }) => leavesAt <= until).map(({ id }) => id))
    model.line = model.line.filter(({ leavesAt }) => leavesAt > until)
    await clock.advance(ms)
  }
}

describe('the bulkhead against its model', () => {
  // A29
  it('holds its limit, its order and its places through 10,000 random interleavings', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        steps,
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        async (limit, list, settles) => {
          const world = new World(limit)
          for (const [index, step] of list.entries()) {
            // Unless it settles, the next thing happens before any promise of this one has run.
            if (step.kind === 'pass') await world.pass(step.ms)
            else world.step(step)
            if (settles[index]) await world.settle()
          }
          await world.settle()
          const { model, bulkhead, calls, clock } = world
          expect(world.started).toEqual(world.expectedStarts)
          expect([bulkhead.active, bulkhead.waiting, clock.pendingTimers]).toEqual([
            model.active.length,
            model.line.length,
            model.line.length,
          ])
          expect(world.most).toBeLessThanOrEqual(limit)
          for (const id of model.refused) expect(calls[id]?.seen.thrown).toBeInstanceOf(BulkheadFull)
          for (const id of model.aborted) expect(calls[id]?.seen.thrown).toMatchObject({ message: 'aborted' })
          for (const { resolve } of calls) resolve()
          await turn()
          expect([bulkhead.active, bulkhead.waiting, clock.pendingTimers]).toEqual([0, 0, 0])
        },
      ),
      { numRuns: 10_000 },
    )
  }, 120_000)

  it('starts and ends calls in the order in which cockatiel does', async () => {
    const order = fc.array(fc.record({ come: fc.boolean(), pick: fc.nat() }), { maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), order, async (limit, list) => {
        const ours = new Bulkhead({ limit, waitMs }, createFakeClock())
        const theirs = cockatielBulkhead(limit, 1_000)
        const logs = await Promise.all(
          [
            (fn: () => Promise<void>) =>
              ours.run(fn, { signal: new AbortController().signal, timeLeftMs: forever }),
            (fn: () => Promise<void>) => theirs.execute(fn),
          ].map(async (run) => {
            // What happens within one turn is a matter of microtasks, which are nobody's promise.
            const turns: string[][] = []
            const works: ReturnType<typeof deferred<void>>[] = []
            for (const { come, pick } of list) {
              const log: string[] = []
              turns.push(log)
              if (come) {
                const id = works.length
                const work = deferred()
                works.push(work)
                const note = (what: string) => turns.at(-1)?.push(`${what} ${id}`)
                void run(async () => {
                  note('starts')
                  await work.promise
                }).then(() => note('ended'))
              } else works[pick % Math.max(1, works.length)]?.resolve()
              await turn()
            }
            return turns.map((log) => log.sort())
          }),
        )
        expect(logs[0]).toEqual(logs[1])
      }),
      { numRuns: 200 },
    )
  })
})
