import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BreakerRules,
  type BreakerState,
  close,
  current,
  enter,
  freePlaces,
  leave,
  newBreaker,
  openIf,
  type Ticket,
  trip,
  type Verdict,
} from '../../src/domain/breaker.ts'
import { BreakerModel, type ModelRules } from './breaker-model.ts'

const rulesOf = ({ failures, ...rest }: ModelRules): BreakerRules => ({
  ...rest,
  shouldTrip: (counts) => counts.consecutiveFailures >= failures,
})
const plain: ModelRules = { failures: 5, intervalMs: null, openForMs: 1_000, probes: 1 }

/** A breaker with its instants in hand. */
function scene(given: Partial<ModelRules> & { shouldTrip?: BreakerRules['shouldTrip'] } = {}) {
  const rules = {
    ...rulesOf({ ...plain, ...given }),
    ...(given.shouldTrip && { shouldTrip: given.shouldTrip }),
  }
  let now = 0
  let state = newBreaker({ now, rules })
  const at = () => ({ now, rules })
  const self = {
    rules,
    at,
    get state() {
      return current(state, at())
    },
    set state(next: BreakerState) {
      state = next
    },
    pass(ms: number) {
      now += ms
    },
    enter() {
      const entered = enter(state, at())
      state = entered.state
      return entered
    },
    /** Lets a call through that must be let through. */
    let(): Ticket {
      const { ticket } = self.enter()
      if (!ticket) throw new Error('it was not let through')
      return ticket
    },
    end(ticket: Ticket, verdict: Verdict) {
      state = leave(state, at(), { ticket, verdict })
    },
    call(verdict: Verdict) {
      self.end(self.let(), verdict)
    },
    times(count: number, verdict: Verdict) {
      for (let call = 0; call < count; call++) self.call(verdict)
    },
  }
  return self
}

describe('a breaker', () => {
  // A25
  it('opens with the fifth consecutive failure, and not with five that a success parts', () => {
    const breaker = scene()
    breaker.times(4, 'failure')
    breaker.call('success')
    breaker.times(4, 'failure')
    expect(breaker.state.mode).toBe('closed')
    breaker.call('failure')
    expect(breaker.state).toMatchObject({ mode: 'open', changedAt: 0, expiresAt: 1_000 })
  })

  // A25
  it('lets nothing through while open, and says until when', () => {
    const breaker = scene()
    breaker.times(5, 'failure')
    breaker.pass(999)
    expect(breaker.enter()).toMatchObject({ ticket: null, retryAt: 1_000, state: { mode: 'open' } })
  })

  // A25 B036
  it('lets one of a hundred through at its expiry; a failure opens it for a new period, a success closes it', () => {
    const breaker = scene()
    breaker.times(5, 'failure')
    for (let period = 0; period < 3; period++) {
      breaker.pass(1_000)
      const tickets = Array.from({ length: 100 }, () => breaker.enter().ticket).filter(
        (ticket) => ticket !== null,
      )
      expect(tickets).toHaveLength(1)
      breaker.pass(10)
      breaker.end(tickets[0]!, 'failure')
      expect(breaker.state).toMatchObject({ mode: 'open', expiresAt: (period + 1) * 1_010 + 1_000 })
    }
    breaker.pass(1_000)
    breaker.call('success')
    expect(breaker.state).toMatchObject({ mode: 'closed', counts: { requests: 0 } })
  })

  it('needs as many successes in a row as it lets probes through', () => {
    const breaker = scene({ probes: 3 })
    breaker.times(5, 'failure')
    breaker.pass(1_000)
    const tickets = [breaker.let(), breaker.let(), breaker.let()]
    expect(breaker.enter().ticket).toBeNull()
    for (const ticket of tickets.slice(0, 2)) breaker.end(ticket, 'success')
    expect([breaker.state.mode, breaker.enter().ticket]).toEqual(['half_open', null])
    breaker.end(tickets[2]!, 'success')
    expect(breaker.state.mode).toBe('closed')
  })

  // A25
  it('ignores late results of an earlier generation', () => {
    const breaker = scene()
    const late = [breaker.let(), breaker.let(), breaker.let()]
    breaker.times(5, 'failure')
    breaker.end(late[0]!, 'success')
    expect(breaker.state.mode).toBe('open')
    breaker.pass(1_000)
    const probe = breaker.let()
    breaker.end(late[1]!, 'failure')
    expect(breaker.state.mode).toBe('half_open')
    breaker.end(probe, 'success')
    breaker.end(late[2]!, 'failure')
    breaker.end(probe, 'failure')
    expect(breaker.state).toMatchObject({ mode: 'closed', counts: { failures: 0, consecutiveFailures: 0 } })
  })

  // A25
  it('opens once when fifty fail in one tick', () => {
    const breaker = scene()
    const tickets = Array.from({ length: 50 }, () => breaker.let())
    for (const ticket of tickets) breaker.end(ticket, 'failure')
    expect(breaker.state).toMatchObject({ mode: 'open', generation: 2 })
  })

  // A25
  it('counts what is excluded neither way', () => {
    const breaker = scene()
    breaker.times(4, 'failure')
    breaker.times(10, 'excluded')
    expect(breaker.state).toMatchObject({
      mode: 'closed',
      counts: { exclusions: 10, consecutiveFailures: 4 },
    })
    breaker.call('failure')
    expect(breaker.state.mode).toBe('open')
  })

  // A25
  it('gives the place of a probe back when its end says nothing, and when it never ends', () => {
    const breaker = scene()
    breaker.times(5, 'failure')
    breaker.pass(1_000)
    breaker.call('excluded')
    const lost = breaker.let()
    expect(breaker.enter()).toMatchObject({ ticket: null, retryAt: 2_000 })
    breaker.pass(999)
    expect(breaker.enter().ticket).toBeNull()
    breaker.pass(1)
    const second = breaker.let()
    breaker.end(second, 'success')
    breaker.end(lost, 'failure')
    expect(breaker.state.mode).toBe('closed')
  })

  it('closes on the late success of a probe that was slower than an open period', () => {
    const breaker = scene()
    breaker.times(5, 'failure')
    breaker.pass(1_000)
    const slow = breaker.let()
    breaker.pass(1_500)
    breaker.let()
    breaker.end(slow, 'success')
    expect(breaker.state.mode).toBe('closed')
  })

  it('starts its counts anew after each interval, and ignores what began in the one before', () => {
    const breaker = scene({ intervalMs: 100 })
    breaker.times(4, 'failure')
    const late = breaker.let()
    breaker.pass(100)
    breaker.end(late, 'failure')
    expect(breaker.state).toMatchObject({
      mode: 'closed',
      generation: 2,
      counts: { requests: 0, failures: 0 },
    })
  })

  // B038
  it('closes after its window has emptied, with a rule that wants a volume', () => {
    const breaker = scene({
      intervalMs: 100,
      shouldTrip: ({ requests, failures }) => requests >= 10 && failures / requests >= 0.5,
    })
    for (let cycle = 0; cycle < 2; cycle++) {
      breaker.times(9, 'failure')
      expect(breaker.state.mode).toBe('closed')
      breaker.call('failure')
      expect(breaker.state.mode).toBe('open')
      breaker.pass(5_000)
      breaker.call('failure')
      expect(breaker.state.mode).toBe('open')
      breaker.pass(1_000)
      breaker.call('success')
      expect(breaker.state.mode).toBe('closed')
    }
  })

  it('opens by compare and set: of many who counted in one generation the first opens it', () => {
    const breaker = scene()
    const { generation } = breaker.state
    breaker.state = openIf(breaker.state, breaker.at(), generation)
    const opened = breaker.state
    breaker.pass(10)
    breaker.state = openIf(breaker.state, breaker.at(), generation)
    expect(breaker.state).toEqual(opened)
    breaker.state = close(breaker.state, breaker.at())
    breaker.state = openIf(breaker.state, breaker.at(), generation)
    expect(breaker.state.mode).toBe('closed')
  })

  it('is tripped for as long as its operator says, and closed at once', () => {
    const breaker = scene()
    breaker.state = trip(breaker.state, breaker.at(), 60_000)
    breaker.pass(59_999)
    expect(breaker.state).toMatchObject({ mode: 'open', by: 'operator', expiresAt: 60_000 })
    expect(freePlaces(breaker.state, breaker.at())).toBe(0)
    breaker.pass(1)
    expect(freePlaces(breaker.state, breaker.at())).toBe(1)
    breaker.let()
    expect(freePlaces(breaker.state, breaker.at())).toBe(0)
    breaker.state = close(breaker.state, breaker.at())
    expect([breaker.state.mode, freePlaces(breaker.state, breaker.at())]).toEqual([
      'closed',
      Number.POSITIVE_INFINITY,
    ])
  })

  it('does not stay open for the hour by which a clock was set back', () => {
    const breaker = scene()
    breaker.pass(3_600_000)
    breaker.times(5, 'failure')
    breaker.pass(-3_600_000)
    breaker.let()
    expect(breaker.state.mode).toBe('half_open')
    breaker.pass(3_600_000)
    breaker.let()
    breaker.pass(-3_600_000)
    breaker.call('success')
    expect(breaker.state.mode).toBe('closed')
  })

  it('closes when its rules are changed to what it has already reached', () => {
    const breaker = scene({ probes: 3 })
    breaker.times(5, 'failure')
    breaker.pass(1_000)
    breaker.call('success')
    const now = { now: 1_000, rules: rulesOf({ ...plain, probes: 1 }) }
    expect(enter(breaker.state, now)).toMatchObject({ state: { mode: 'closed' }, ticket: {} })
  })
})

type Step =
  | { kind: 'enter' }
  | { kind: 'end'; pick: number; verdict: Verdict }
  | { kind: 'pass'; ms: number }
  | { kind: 'trip'; forMs: number }
  | { kind: 'close' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Step>({ kind: 'enter' }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      pick: fc.nat(),
      verdict: fc.constantFrom<Verdict>('success', 'failure', 'failure', 'excluded'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 30, 49, 50, 51, 100, 1_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('trip' as const), forMs: fc.constantFrom(1, 50, 500) }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'close' }) },
)

const rules = fc.record({
  failures: fc.integer({ min: 1, max: 3 }),
  intervalMs: fc.constantFrom(null, 40, 120),
  openForMs: fc.constantFrom(50, 100),
  probes: fc.integer({ min: 1, max: 3 }),
})

class World {
  now = 0
  readonly rules: BreakerRules
  readonly model: BreakerModel
  state: BreakerState
  tickets: { ours: Ticket; theirs: { generation: number; number: number } }[] = []

  constructor(given: ModelRules) {
    this.rules = rulesOf(given)
    this.model = new BreakerModel(given, 0)
    this.state = newBreaker(this.at())
  }

  at() {
    return { now: this.now, rules: this.rules }
  }

  step(step: Step): void {
    if (step.kind === 'pass') this.now += step.ms
    else if (step.kind === 'enter') this.enter()
    else if (step.kind === 'end' && this.tickets.length > 0) {
      const pick = step.pick % this.tickets.length
      const { ours, theirs } = this.tickets[pick]!
      this.tickets.splice(pick, 1)
      this.state = leave(this.state, this.at(), { ticket: ours, verdict: step.verdict })
      this.model.afterRequest(theirs, step.verdict, this.now)
    } else if (step.kind === 'trip') {
      this.state = trip(this.state, this.at(), step.forMs)
      this.model.currentState(this.now)
      this.model.setState('open', this.now, step.forMs)
    } else if (step.kind === 'close') {
      this.state = close(this.state, this.at())
      this.model.currentState(this.now)
      this.model.setState('closed', this.now)
    }
  }

  enter(): boolean {
    const entered = enter(this.state, this.at())
    const theirs = this.model.beforeRequest(this.now)
    this.state = entered.state
    expect(entered.ticket === null).toBe(theirs === null)
    if (entered.ticket === null) expect(entered.retryAt).toBeGreaterThan(this.now)
    if (entered.ticket && theirs) this.tickets.push({ ours: entered.ticket, theirs })
    return entered.ticket !== null
  }

  same(): void {
    this.model.currentState(this.now)
    this.state = current(this.state, this.at())
    const { mode, generation, counts } = this.state
    const { requests, successes, failures, exclusions, successesInARow, failuresInARow } = this.model
    expect({ mode, generation, counts }).toEqual({
      mode: this.model.mode,
      generation: this.model.generation,
      counts: {
        requests,
        successes,
        failures,
        exclusions,
        consecutiveSuccesses: successesInARow,
        consecutiveFailures: failuresInARow,
      },
    })
  }
}

describe('the breaker against gobreaker', () => {
  // A25
  it('does what the model does through 10,000 random interleavings', () => {
    fc.assert(
      fc.property(rules, fc.array(step, { maxLength: 40 }), (given, steps) => {
        const world = new World(given)
        for (const one of steps) {
          world.step(one)
          world.same()
        }
      }),
      { numRuns: 10_000 },
    )
  }, 120_000)

  // A25 B036
  it('lets at most its probes through in any open period while the dependency is down', () => {
    const telling = step.filter(({ kind }) => kind !== 'trip' && kind !== 'close')
    fc.assert(
      fc.property(rules, fc.array(telling, { maxLength: 60 }), (given, steps) => {
        const world = new World({ ...given, failures: 1 })
        for (const one of steps) world.step(one.kind === 'end' ? { ...one, verdict: 'failure' } : one)
        const { probed } = world.model
        for (const [index, at] of probed.entries()) {
          const later = probed[index + given.probes]
          if (later !== undefined) expect(later - at).toBeGreaterThanOrEqual(given.openForMs)
        }
      }),
      { numRuns: 10_000 },
    )
  }, 120_000)

  // B038
  it('from whatever state, a healthy dependency closes it within one open period', () => {
    fc.assert(
      fc.property(rules, fc.array(step, { maxLength: 40 }), (given, steps) => {
        const world = new World(given)
        for (const one of steps) world.step(one)
        // The dependency is well from here on; calls that hang from before never end. Only an operator's word may last longer.
        const { mode, by, expiresAt } = current(world.state, world.at())
        const waits = mode === 'open' && by === 'operator' ? (expiresAt ?? 0) - world.now : given.openForMs
        world.tickets = []
        world.now += waits
        for (let probe = 0; probe < given.probes; probe++) {
          if (current(world.state, world.at()).mode === 'closed') break
          expect(world.enter()).toBe(true)
          world.step({ kind: 'end', pick: 0, verdict: 'success' })
        }
        expect(current(world.state, world.at()).mode).toBe('closed')
      }),
      { numRuns: 10_000 },
    )
  }, 120_000)
})
