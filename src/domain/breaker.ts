/**
 * A circuit breaker as a pure value: every event maps a state to the next one, the same for a breaker in the memory of one
 * process and for a row that all workers of a store share. The semantics are those of github.com/sony/gobreaker (counts,
 * interval, generation, half-open requests), with two additions: a probe that ends without a verdict frees its permit, and so
 * does one that has not ended within an open period. The instants of one breaker are either all monotonic or all epoch ms.
 */
export type BreakerMode = 'closed' | 'half_open' | 'open'

/** How a call ended. `excluded` says nothing about the dependency. */
export type Verdict = 'success' | 'failure' | 'excluded'

/** Calls of the current generation. A shared row has zeros while closed: each process counts its own calls. */
export interface BreakerCounts {
  readonly requests: number
  readonly successes: number
  readonly failures: number
  readonly exclusions: number
  readonly consecutiveSuccesses: number
  readonly consecutiveFailures: number
}

/** A probe under way: a call that was let through while half-open and has not ended. */
export interface BreakerPermit {
  readonly permit: number
  /** The worker's id; empty within one process. */
  readonly holder: string
  /** The permit is free from then on, even if its holder never reports. */
  readonly expiresAt: number
}

export interface BreakerState {
  readonly mode: BreakerMode
  /** Grows with each change of mode and each interval. Results of calls of an earlier generation change nothing. */
  readonly generation: number
  readonly counts: BreakerCounts
  /** What caused this mode. */
  readonly by: 'calls' | 'operator'
  readonly changedAt: number
  /** Open: when probes may pass. Closed: when the counts are reset. Null: never by time alone. */
  readonly expiresAt: number | null
  readonly probes: readonly BreakerPermit[]
}

/** What a breaker that isn't closed needs to know of its policy. */
export interface BreakerTerms {
  readonly openForMs: number
  /** Calls at once while half-open, and successes in a row that close it. */
  readonly probes: number
}

export interface BreakerRules extends BreakerTerms {
  /** Called after each failure while closed; true opens the breaker. */
  readonly shouldTrip: (counts: BreakerCounts) => boolean
  /** Counts of a closed breaker are reset after it; null: never. */
  readonly intervalMs: number | null
}

export interface At {
  readonly now: number
  readonly rules: BreakerRules
}

/** Given to a call that is let through, and back to `leave` when the call ends. */
export interface Ticket {
  readonly generation: number
  readonly permit: number
}

const noProbes: readonly BreakerPermit[] = []
const zero: BreakerCounts = {
  requests: 0,
  successes: 0,
  failures: 0,
  exclusions: 0,
  consecutiveSuccesses: 0,
  consecutiveFailures: 0,
}

/** A closed breaker of generation 0, whose counts are never reset. */
export const unopened: BreakerState = {
  ...{ mode: 'closed', generation: 0, counts: zero, by: 'calls' },
  ...{ changedAt: 0, expiresAt: null, probes: noProbes },
}

export function newBreaker(at: At): BreakerState {
  return turned(unopened, 'closed', at)
}

/** The state after the time that has passed. */
export function current(state: BreakerState, at: At): BreakerState {
  const { now, rules } = at
  if (state.mode === 'half_open')
    return state.counts.consecutiveSuccesses >= rules.probes ? turned(state, 'closed', at) : state
  if (state.expiresAt === null) return state
  if (state.mode === 'closed') return now >= state.expiresAt ? turned(state, 'closed', at) : state
  // An operator's opening lasts as long as it says, one by calls never much longer than its rules.
  const isOver = state.by === 'operator' ? now >= state.expiresAt : hasPassed(state.expiresAt, at)
  return isOver ? turned(state, 'half_open', at) : state
}

/** Lets a call through, or returns no ticket; then nothing changes by time alone before `retryAt`. */
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
  if (state.mode === 'closed') return { state: withCounts(state, counts, noProbes), ticket, retryAt }
  const probes = [...unexpired(state, at), { permit, holder, expiresAt: at.now + at.rules.openForMs }]
  return { state: withCounts(state, counts, probes), ticket, retryAt }
}

/** Ends a call. Counts only a ticket of the current generation. */
export function leave(
  before: BreakerState,
  at: At,
  { ticket, verdict }: { ticket: Ticket; verdict: Verdict },
): BreakerState {
  const now = current(before, at)
  if (ticket.generation !== now.generation) return now
  const probes =
    now.mode === 'closed' ? noProbes : now.probes.filter(({ permit }) => permit !== ticket.permit)
  const state = withCounts(now, counted(now.counts, verdict), probes)
  if (verdict === 'failure' && (state.mode === 'half_open' || at.rules.shouldTrip(state.counts)))
    return turned(state, 'open', at)
  return current(state, at)
}

/** Opens a breaker that is still closed in `generation`, in which the failures were counted. */
export function openIf(before: BreakerState, at: At, generation: number): BreakerState {
  const state = current(before, at)
  return state.mode === 'closed' && state.generation === generation ? turned(state, 'open', at) : state
}

/** Opens it for `forMs`, whatever its mode. */
export function trip(state: BreakerState, at: At, forMs: number): BreakerState {
  return { ...turned(current(state, at), 'open', at), by: 'operator', expiresAt: at.now + forMs }
}

/** Closes it, whatever its mode. */
export function close(state: BreakerState, at: At): BreakerState {
  return { ...turned(current(state, at), 'closed', at), by: 'operator' }
}

/** How many calls may pass now: Infinity while closed. */
export function freePlaces(before: BreakerState, at: At): number {
  const state = current(before, at)
  if (state.mode === 'closed') return Number.POSITIVE_INFINITY
  return state.mode === 'open'
    ? 0
    : Math.max(0, at.rules.probes - unexpired(state, at).length - state.counts.consecutiveSuccesses)
}

/** The first instant at which a call may pass; `at.now` if one may now. */
function mayEnterAt(state: BreakerState, at: At): number {
  if (freePlaces(state, at) > 0) return at.now
  if (state.mode === 'open') return state.expiresAt ?? at.now
  return Math.min(at.now + at.rules.openForMs, ...unexpired(state, at).map(({ expiresAt }) => expiresAt))
}

function unexpired(state: BreakerState, at: At): readonly BreakerPermit[] {
  return state.probes.filter(({ expiresAt }) => !hasPassed(expiresAt, at))
}

/** Also true for an instant too far ahead: the clock has been set back since, and would block the breaker for as long. */
function hasPassed(instant: number, { now, rules }: At): boolean {
  return now >= instant || instant - now > 2 * rules.openForMs
}

/** A new generation. */
export function turned({ generation }: BreakerState, mode: BreakerMode, { now, rules }: At): BreakerState {
  const lastsMs = { closed: rules.intervalMs, open: rules.openForMs, half_open: null }[mode]
  return {
    mode,
    generation: generation + 1,
    counts: zero,
    by: 'calls',
    changedAt: now,
    expiresAt: lastsMs === null ? null : now + lastsMs,
    probes: noProbes,
  }
}

/** Written out: with spreads a call through the whole chain cost a quarter more. */
function withCounts(
  { mode, generation, by, changedAt, expiresAt }: BreakerState,
  counts: BreakerCounts,
  probes: readonly BreakerPermit[],
): BreakerState {
  return { mode, generation, counts, by, changedAt, expiresAt, probes }
}

function counted(counts: BreakerCounts, verdict: Verdict): BreakerCounts {
  const { requests, successes, failures, exclusions, consecutiveSuccesses, consecutiveFailures } = counts
  if (verdict === 'excluded')
    return {
      requests,
      successes,
      failures,
      exclusions: exclusions + 1,
      consecutiveSuccesses,
      consecutiveFailures,
    }
  const isSuccess = verdict === 'success'
  return {
    requests,
    successes: isSuccess ? successes + 1 : successes,
    failures: isSuccess ? failures : failures + 1,
    exclusions,
    consecutiveSuccesses: isSuccess ? consecutiveSuccesses + 1 : 0,
    consecutiveFailures: isSuccess ? 0 : consecutiveFailures + 1,
  }
}
