/**
 * A circuit breaker as a value: its state and what each event makes of it, pure, so that the same rules hold in one
 * process and in a store's transaction. The semantics are those of github.com/sony/gobreaker (counts, interval,
 * generation, half-open requests), with two additions: a probe whose end says nothing gives its place back, and so does
 * one that has not ended within an open period. Knows no clock: instants come in, monotonic or epoch, but one kind.
 */
export type BreakerMode = 'closed' | 'half_open' | 'open'

/** How a call ended: `excluded` says nothing about the dependency. */
export type Verdict = 'success' | 'failure' | 'excluded'

/** Of the present generation. */
export interface Counts {
  readonly requests: number
  readonly successes: number
  readonly failures: number
  readonly exclusions: number
  readonly consecutiveSuccesses: number
  readonly consecutiveFailures: number
}

/** A call that is let through while half-open and has not ended. */
export interface Probe {
  readonly permit: number
  /** Who makes it: a worker's id; empty within one process. */
  readonly holder: string
  readonly expiresAt: number
}

export interface BreakerState {
  readonly mode: BreakerMode
  /** Grows with each change of mode and each interval. What belongs to an earlier one changes nothing. */
  readonly generation: number
  readonly counts: Counts
  /** Who brought this mode about. */
  readonly by: 'calls' | 'operator'
  readonly changedAt: number
  /** Open: when probes may go. Closed: when the counts start anew. Null: never by itself. */
  readonly expiresAt: number | null
  readonly probes: readonly Probe[]
}

export interface BreakerRules {
  /** Asked after each failure while closed. */
  readonly shouldTrip: (counts: Counts) => boolean
  /** Closed counts start anew after it; null: never. */
  readonly intervalMs: number | null
  readonly openForMs: number
  /** Requests at once while half-open, and successes in a row that close it. */
  readonly probes: number
}

export interface At {
  readonly now: number
  readonly rules: BreakerRules
}

/** Handed in again when the call ends. */
export interface Ticket {
  readonly generation: number
  readonly permit: number
}

const none: readonly Probe[] = []
const zero: Counts = {
  requests: 0,
  successes: 0,
  failures: 0,
  exclusions: 0,
  consecutiveSuccesses: 0,
  consecutiveFailures: 0,
}

export function newBreaker(at: At): BreakerState {
  return turned({ generation: 0 }, 'closed', at)
}

/** What time alone has made of it. */
export function current(state: BreakerState, at: At): BreakerState {
  const { now, rules } = at
  if (state.mode === 'half_open')
    return state.counts.consecutiveSuccesses >= rules.probes ? turned(state, 'closed', at) : state
  if (state.expiresAt === null) return state
  if (state.mode === 'closed') return now >= state.expiresAt ? turned(state, 'closed', at) : state
  // An operator's word holds as long as it says; an opening of its own never much longer than its rules do.
  const isOver = state.by === 'operator' ? now >= state.expiresAt : hasPassed(state.expiresAt, at)
  return isOver ? turned(state, 'half_open', at) : state
}

/** Asks for a call to be let through; without a ticket it is not, and nothing changes by itself before `retryAt`. */
export function enter(
  before: BreakerState,
  at: At,
  holder = '',
): { state: BreakerState; ticket: Ticket | null; retryAt: number } {
  const state = current(before, at)
  const retryAt = mayEnterAt(state, at)
  if (retryAt > at.now) return { state, ticket: null, retryAt }
  const permit = state.counts.requests + 1
  const { successes, failures, exclusions, consecutiveSuccesses, consecutiveFailures } = state.counts
  const counts = {
    requests: permit,
    successes,
    failures,
    exclusions,
    consecutiveSuccesses,
    consecutiveFailures,
  }
  const ticket = { generation: state.generation, permit }
  if (state.mode === 'closed') return { state: going(state, counts, none), ticket, retryAt }
  const probes = [...living(state, at), { permit, holder, expiresAt: at.now + at.rules.openForMs }]
  return { state: going(state, counts, probes), ticket, retryAt }
}

/** A call has ended. Only a ticket of the present generation counts. */
export function leave(
  before: BreakerState,
  at: At,
  { ticket, verdict }: { ticket: Ticket; verdict: Verdict },
): BreakerState {
  const now = current(before, at)
  if (ticket.generation !== now.generation) return now
  const probes = now.mode === 'closed' ? none : now.probes.filter(({ permit }) => permit !== ticket.permit)
  const state = going(now, counted(now.counts, verdict), probes)
  if (verdict === 'failure' && (state.mode === 'half_open' || at.rules.shouldTrip(state.counts)))
    return turned(state, 'open', at)
  return current(state, at)
}

/** Opens what is still closed in the generation in which the failures were counted; whoever comes later finds it done. */
export function openIf(before: BreakerState, at: At, generation: number): BreakerState {
  const state = current(before, at)
  return state.mode === 'closed' && state.generation === generation ? turned(state, 'open', at) : state
}

/** Opens it for `forMs`, whatever it was. */
export function trip(state: BreakerState, at: At, forMs: number): BreakerState {
  return { ...turned(current(state, at), 'open', at), by: 'operator', expiresAt: at.now + forMs }
}

/** Closes it, whatever it was. */
export function close(state: BreakerState, at: At): BreakerState {
  return { ...turned(current(state, at), 'closed', at), by: 'operator' }
}

/** How many calls it would let through now: Infinity while closed. */
export function freePlaces(before: BreakerState, at: At): number {
  const state = current(before, at)
  if (state.mode === 'closed') return Number.POSITIVE_INFINITY
  return state.mode === 'open'
    ? 0
    : Math.max(0, at.rules.probes - living(state, at).length - state.counts.consecutiveSuccesses)
}

/** The first instant from which a call may be let through; `at.now` where it may be now. */
function mayEnterAt(state: BreakerState, at: At): number {
  if (freePlaces(state, at) > 0) return at.now
  if (state.mode === 'open') return state.expiresAt ?? at.now
  return Math.min(at.now + at.rules.openForMs, ...living(state, at).map(({ expiresAt }) => expiresAt))
}

function living(state: BreakerState, at: At): readonly Probe[] {
  return state.probes.filter(({ expiresAt }) => !hasPassed(expiresAt, at))
}

/** Also where it lies too far ahead to be true: the clock it was set by has been set back, and would hold it for as long. */
function hasPassed(instant: number, { now, rules }: At): boolean {
  return now >= instant || instant - now > 2 * rules.openForMs
}

function turned({ generation }: { generation: number }, mode: BreakerMode, { now, rules }: At): BreakerState {
  const lasts = { closed: rules.intervalMs, open: rules.openForMs, half_open: null }[mode]
  return {
    mode,
    generation: generation + 1,
    counts: zero,
    by: 'calls',
    changedAt: now,
    expiresAt: lasts === null ? null : now + lasts,
    probes: none,
  }
}

/** The same generation, further on. Written out: with spreads a call through a whole chain cost a quarter more. */
function going(
  { mode, generation, by, changedAt, expiresAt }: BreakerState,
  counts: Counts,
  probes: readonly Probe[],
): BreakerState {
  return { mode, generation, counts, by, changedAt, expiresAt, probes }
}

function counted(counts: Counts, verdict: Verdict): Counts {
  const { requests, successes, failures, exclusions, consecutiveSuccesses, consecutiveFailures } = counts
  switch (verdict) {
    case 'success':
      return {
        requests,
        successes: successes + 1,
        failures,
        exclusions,
        consecutiveSuccesses: consecutiveSuccesses + 1,
        consecutiveFailures: 0,
      }
    case 'failure':
      return {
        requests,
        successes,
        failures: failures + 1,
        exclusions,
        consecutiveSuccesses: 0,
        consecutiveFailures: consecutiveFailures + 1,
      }
    case 'excluded':
      return {
        requests,
        successes,
        failures,
        exclusions: exclusions + 1,
        consecutiveSuccesses,
        consecutiveFailures,
      }
  }
}
