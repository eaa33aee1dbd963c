import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BreakerPolicy } from '../../src/resilience/breaker-policy.ts'
import { current, freePlaces, type Verdict } from '../../src/domain/breaker.ts'
import { type BreakerChange, CircuitBreaker } from '../../src/resilience/circuit-breaker.ts'
import { DependencyRefusal } from '../../src/resilience/dependency-refused.ts'
import { seededRandom } from '../../src/random.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import { MemoryBreakerRow } from './memory-breaker-row.ts'
import { deferred, watched } from './scope.ts'

const plain: BreakerPolicy = {
  failures: 5,
  shouldTrip: null,
  intervalMs: null,
  openForMs: 1_000,
  probes: 1,
  isSuccessful: null,
  isExcluded: null,
  shared: true,
  hold: true,
}

function scene(given: Partial<BreakerPolicy> & { processes?: number } = {}) {
  const policy = { ...plain, ...given }
  const clock = createFakeClock()
  const row = new MemoryBreakerRow(clock, policy)
  const changes: BreakerChange[] = []
  /** When the dependency was asked, and by which process. */
  const asked: { at: number; process: number }[] = []
  const breakers = Array.from({ length: given.processes ?? 2 }, (_, process) => {
    const parts = { name: 'stripe', policy, clock, random: seededRandom(process) }
    const listen = {
      onChange: (change: BreakerChange) => void changes.push(change),
    }
    return new CircuitBreaker({ ...parts, ...listen, shared: row.view(`w${process}`) })
  })
  /** A call of one process, whose end is in the test's hands: `success` resolves, the others throw their own name. */
  const call = (process: number) => {
    const work = deferred()
    const run = () => {
      asked.push({ at: clock.monotonic(), process })
      return work.promise
    }
    const seen = watched(breakers[process]!.run(run, (thrown) => thrown as Verdict))
    return {
      seen,
      end: (verdict: Verdict) => (verdict === 'success' ? work.resolve() : work.reject(verdict)),
    }
  }
  const done = async (process: number, verdict: Verdict) => {
    const one = call(process)
    one.end(verdict)
    await clock.settle()
    return one.seen
  }
  return { clock, row, breakers, changes, asked, call, done }
}

const refused = (seen: { thrown?: unknown }) => seen.thrown instanceof DependencyRefusal

describe('a breaker that processes share', () => {
  // A26
  it('opened by one process, it holds the others as soon as they have looked', async () => {
    const { row, done, asked, changes } = scene()
    for (let call = 0; call < 5; call++) await done(0, 'failure')
    expect(row.state).toMatchObject({ mode: 'open', generation: 2 })
    expect((await done(1, 'failure')).thrown).toBe('failure')
    row.refresh()
    expect(refused(await done(1, 'success'))).toBe(true)
    expect(refused(await done(0, 'success'))).toBe(true)
    expect(asked).toHaveLength(6)
    expect(changes.map(({ from, to }) => `${from} → ${to}`)).toEqual(['closed → open', 'closed → open'])
  })

  // A25
  it('sends no event to its row while it is closed', async () => {
    const { row, done } = scene()
    for (let call = 0; call < 100; call++) await done(call % 2, call % 5 === 0 ? 'failure' : 'success')
    expect(row.events).toEqual([])
  })

  // A25
  it('opens once when fifty fail in one tick in two processes', async () => {
    const { row, call, clock } = scene()
    const calls = Array.from({ length: 50 }, (_, index) => call(index % 2))
    await clock.settle()
    for (const { end } of calls) end('failure')
    await clock.settle()
    expect(row.state).toMatchObject({ mode: 'open', generation: 2 })
    expect(row.events).toEqual(['open', 'open'])
  })

  // A25
  it('lets one probe through in all processes, and closes for all when it succeeds', async () => {
    const { row, clock, call, done, asked } = scene({ processes: 3 })
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    row.refresh()
    await clock.advance(1_000)
    const calls = Array.from({ length: 300 }, (_, index) => call(index % 3))
    await clock.settle()
    const through = calls.filter(({ seen }) => seen.state === 'pending')
    expect([through.length, asked.length]).toEqual([1, 6])
    expect(row.events.filter((what) => what === 'acquire')).toHaveLength(3)
    for (const { seen } of calls.filter((one) => one.seen.state === 'rejected')) {
      expect((seen.thrown as DependencyRefusal).delayMs).toBeGreaterThanOrEqual(1_000)
    }
    expect(row.state.probes).toMatchObject([{ holder: expect.stringMatching(/^w[012]$/) }])
    through[0]!.end('success')
    await clock.settle()
    row.refresh()
    for (const process of [0, 1, 2]) expect((await done(process, 'success')).state).toBe('resolved')
  })

  // A25
  it('lets a process through that asks for a permit and learns that it is closed', async () => {
    const { row, clock, done } = scene()
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    await clock.advance(1_000)
    await row.close()
    expect((await done(0, 'success')).state).toBe('resolved')
    expect(row.events).toEqual(['open', 'close', 'acquire'])
  })

  // A25
  it('a failed probe opens it for a new period; one that says nothing gives its place back', async () => {
    const { row, clock, done } = scene()
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    await clock.advance(1_000)
    await done(0, 'excluded')
    expect(freePlaces(row.state, row.at())).toBe(1)
    await done(0, 'failure')
    expect(row.state).toMatchObject({ mode: 'open', expiresAt: clock.now() + 1_000 })
    await clock.advance(1_000)
    await done(0, 'success')
    expect(row.state.mode).toBe('closed')
  })

  // A25
  it('the probe of a process that was killed frees its place after an open period', async () => {
    const { row, clock, call, done } = scene()
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    await clock.advance(1_000)
    call(0)
    await clock.settle()
    row.refresh()
    const second = await done(1, 'success')
    expect(refused(second)).toBe(true)
    expect((second.thrown as DependencyRefusal).delayMs).toBeGreaterThanOrEqual(1_000)
    await clock.advance(1_000)
    expect((await done(1, 'success')).state).toBe('resolved')
    expect(row.state.mode).toBe('closed')
  })

  // A25
  it('counts of an earlier generation open nothing', async () => {
    const { row, call, clock, done } = scene()
    const late = Array.from({ length: 5 }, () => call(1))
    await clock.settle()
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    await row.close()
    row.refresh()
    for (const { end } of late) end('failure')
    await clock.settle()
    expect(row.state.mode).toBe('closed')
    expect(row.events).toEqual(['open', 'close'])
  })

  // A25
  it('a process that has not yet seen it close and open again does not open it on old counts', async () => {
    const { row, done } = scene()
    for (let turn = 0; turn < 4; turn++) await done(1, 'failure')
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    await row.close()
    await done(1, 'failure')
    expect(row.events).toEqual(['open', 'close', 'open'])
    expect(row.state.mode).toBe('closed')
    expect((await done(1, 'success')).state).toBe('resolved')
  })

  // A26
  it('an operator trips it for all, and closes it', async () => {
    const { row, clock, done, changes, breakers } = scene()
    await row.trip({ forMs: 60_000 })
    row.refresh()
    await clock.advance(59_000)
    expect([refused(await done(0, 'success')), refused(await done(1, 'success'))]).toEqual([true, true])
    expect(changes[0]).toEqual({ name: 'stripe', from: 'closed', to: 'open', generation: 2, by: 'operator' })
    expect(breakers[0]!.snapshot()).toEqual({ mode: 'open', generation: 2, ageMs: 59_000, retryInMs: 1_000 })
    await row.close()
    row.refresh()
    expect((await done(0, 'success')).state).toBe('resolved')
    expect(changes.at(-1)).toMatchObject({ from: 'open', to: 'closed', by: 'operator' })
  })

  it('opens, probes and closes for its process alone when the row does not answer', async () => {
    const { row, clock, done, breakers } = scene()
    row.failure = new Error('the store is locked')
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    expect(refused(await done(0, 'success'))).toBe(true)
    expect(breakers[0]!.snapshot()).toMatchObject({ mode: 'open', retryInMs: 1_000 })
    await clock.advance(1_000)
    expect((await done(0, 'success')).state).toBe('resolved')
    expect(breakers[0]!.snapshot()).toMatchObject({ mode: 'closed' })
  })

  it('lets nothing through on a permit that it did not get, and asks again soon', async () => {
    const { row, clock, done, asked } = scene({ openForMs: 60_000 })
    for (let turn = 0; turn < 5; turn++) await done(0, 'failure')
    await clock.advance(60_000)
    row.failure = new Error('the store is locked')
    const held = await done(0, 'success')
    expect([refused(held), asked.length]).toEqual([true, 5])
    expect((held.thrown as DependencyRefusal).delayMs).toBeLessThanOrEqual(5_000 + 12_000)
    row.failure = null
    expect((await done(0, 'success')).state).toBe('resolved')
  })
})

type Step =
  | { kind: 'call'; process: number }
  | { kind: 'end'; pick: number; verdict: Verdict }
  | { kind: 'pass'; ms: number }
  | { kind: 'refresh' }
  | { kind: 'kill'; process: number }
  | { kind: 'trip' }
  | { kind: 'close' }
  /** Whether the store answers from here on. */
  | { kind: 'keeper'; answers: boolean }

const processOf = fc.integer({ min: 0, max: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('call' as const), process: processOf }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      pick: fc.nat(),
      verdict: fc.constantFrom<Verdict>('success', 'failure', 'failure', 'failure', 'excluded'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 499, 500, 1_000) }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'refresh' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), process: processOf }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'trip' }, { kind: 'close' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('keeper' as const), answers: fc.boolean() }) },
)
const rules = { failures: fc.integer({ min: 1, max: 3 }), probes: fc.integer({ min: 1, max: 2 }) }
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function walk(world: ReturnType<typeof scene>, steps: readonly Step[]) {
  let calls: { process: number; end: (verdict: Verdict) => void }[] = []
  for (const one of steps) {
    if (one.kind === 'call') calls.push({ process: one.process, end: world.call(one.process).end })
    else if (one.kind === 'end') calls.splice(one.pick % Math.max(1, calls.length), 1)[0]?.end(one.verdict)
    else if (one.kind === 'pass') world.clock.block(one.ms)
    else if (one.kind === 'refresh') world.row.refresh()
    else if (one.kind === 'kill') calls = calls.filter(({ process }) => process !== one.process)
    else if (one.kind === 'keeper') world.row.failure = one.answers ? null : new Error('the store is locked')
    else if (world.row.failure) continue
    else if (one.kind === 'trip') await world.row.trip({ forMs: 700 })
    else await world.row.close()
    await turn()
  }
}

describe('a shared breaker through random interleavings of three processes', () => {
  // A25
  it('asks the dependency at most its probes in any open period, once every process has seen it open', async () => {
    const only = step.filter(({ kind }) => kind !== 'trip' && kind !== 'close' && kind !== 'keeper')
    await fc.assert(
      fc.asyncProperty(fc.record(rules), fc.array(only, { maxLength: 40 }), async (given, steps) => {
        const world = scene({ ...given, processes: 3 })
        for (let call = 0; call < given.failures; call++) {
          world.call(0).end('failure')
          await turn()
        }
        world.row.refresh()
        const before = world.asked.length
        await walk(
          world,
          steps.map((one) => (one.kind === 'end' ? { ...one, verdict: 'failure' } : one)),
        )
        const probed = world.asked.slice(before)
        for (const [index, { at }] of probed.entries()) {
          const later = probed[index + given.probes]
          if (later) expect(later.at - at).toBeGreaterThanOrEqual(plain.openForMs)
        }
      }),
      { numRuns: 5_000 },
    )
  }, 120_000)

  // B038
  it('closes within one open period of a healthy dependency, whatever its state, even after its row was unreachable', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(rules), fc.array(step, { maxLength: 40 }), async (given, steps) => {
        const world = scene({ ...given, processes: 3 })
        await walk(world, steps)
        world.row.failure = null
        world.clock.block(plain.openForMs)
        for (let probe = 0; probe < given.probes; probe++) {
          world.row.refresh()
          world.call(probe % 3).end('success')
          await turn()
        }
        expect(current(world.row.state, world.row.at()).mode).toBe('closed')
        world.row.refresh()
        for (const process of [0, 1, 2]) {
          const { seen, end } = world.call(process)
          end('success')
          await turn()
          expect(seen.state).toBe('resolved')
        }
      }),
      { numRuns: 5_000 },
    )
  }, 120_000)
})
