/**
 * The table of the life of a job: what an outcome makes of a job. Pure; the only place that knows it. It must not
 * know how anything is stored: the fence in the settlement lets the store see whether the attempt still counts.
 */
import { backoffDelayMs } from './backoff.ts'
import { maxDurationMs } from '../text/duration.ts'
import { errorRecord, ownErrorRecord, type ErrorRecord } from './error-record.ts'
import { fingerprint } from './fingerprint.ts'
import type { DeadLetterReason } from './dead-letter.ts'
import type { IncidentKind } from './incident.ts'
import type { ChildJob, Job, WaitReason } from './job.ts'
import type { AttemptRecord, NewChildJob, NextJob, Outcome, Policy, Settlement } from './outcome.ts'

export interface Decision {
  job: Job
  outcome: Outcome
  policy: Policy
  children: readonly ChildJob[]
  now: number
  /** A number in [0, 1). */
  random: () => number
}

/** Losses in a row after which a job stops: its handler kills processes. */
const crashLimit = 3
/** Wait after the second loss in a row; the first costs none. */
const secondLossMs = 1_000
/** Deferrals in a row by anything but a breaker or a pause, from first to last, after which a person should know. */
const deferLimitMs = 24 * 3_600_000
/**
 * An attempt whose own call failed, and was then not let through again, is forgiven for so long in a row: the other side is
 * down. Where it lasts, the fault may be the job's: each further one is a failure, or it would come back for ever.
 */
const forgivenMs = 3_600_000
/** A deferral costs nothing, so that nothing but this keeps `come back now` from spinning. */
const shortestDeferMs = 100

/** What becomes of the job, before it is written out as a settlement. */
interface Verdict {
  next: Partial<NextJob> & Pick<NextJob, 'state'>
  stop?: { incident?: IncidentKind; deadLetter?: DeadLetterReason; error: ErrorRecord }
  /** Ms until the next start, where the outcome chose one. */
  backoffMs?: number
}

export function decide(given: Decision): Settlement {
  const decision = { ...given, outcome: unforgiven(given) ?? given.outcome }
  const { job, outcome, now } = decision
  const verdict = withinDeadline(verdictOf(decision), decision)
  const next = nextJob(job, verdict.next, now)
  const { stop } = verdict
  return {
    // A job that nobody holds has a fence that fits no row: the store calls it stale.
    fence: { jobKey: job.key, attempt: job.attempt, workerId: job.workerId ?? '' },
    type: job.type,
    outcome: outcome.kind,
    startedAt: job.startedAt ?? now,
    next,
    attempt: outcome.kind === 'success' ? null : attemptRecord(decision, verdict, next),
    incident: stop?.incident
      ? { kind: stop.incident, error: stop.error, fingerprint: fingerprint(job.type, stop.error) }
      : null,
    deadLetter: stop?.deadLetter ? { reason: stop.deadLetter, error: stop.error } : null,
    result: outcome.kind === 'success' ? (outcome.result ?? null) : null,
    children: childrenOf(decision.children, next.state),
  }
}

/** What an outcome does not name stays as it was; losses in a row and deferrals in a row end with it. */
function nextJob(job: Job, change: Verdict['next'], now: number): NextJob {
  return {
    state: change.state,
    waitReason: change.waitReason ?? null,
    runAt: change.runAt ?? job.runAt,
    retries: change.retries ?? job.retries,
    failures: change.failures ?? job.failures,
    crashes: change.crashes ?? 0,
    deferrals: change.deferrals ?? job.deferrals,
    deferringSince: change.deferringSince ?? null,
    finishedAt: change.state === 'completed' || change.state === 'rejected' ? now : null,
  }
}

function verdictOf(decision: Decision): Verdict {
  const { job, outcome, now } = decision
  switch (outcome.kind) {
    case 'success':
      return { next: { state: 'completed' } }
    case 'fail':
      return failed(decision, outcome)
    case 'defer':
      return deferred(job, outcome, now)
    case 'incident':
      return stopped({ incident: outcome.incident, error: outcome.error })
    case 'poison':
      return stopped({ incident: 'poison_message', deadLetter: 'poison', error: outcome.error })
    case 'business_error':
      return outcome.declared
        ? { next: { state: 'rejected' } }
        : stopped({ incident: 'unhandled_business_error', error: withCode(outcome) })
    case 'result_invalid':
      return stopped({ incident: 'result_invalid', error: outcome.error })
    case 'interrupted':
      return { next: { state: 'available', runAt: now } }
    case 'lost':
      return lost(job, outcome, now)
  }
}

function stopped(stop: NonNullable<Verdict['stop']>, next: Partial<NextJob> = {}): Verdict {
  return { next: { ...next, state: 'failed' }, stop }
}

function failed(
  { job, policy, now, random }: Decision,
  outcome: Extract<Outcome, { kind: 'fail' }>,
): Verdict {
  const spent = { retries: Math.max(0, job.retries - 1), failures: job.failures + 1 }
  const { error } = outcome
  if (spent.retries === 0) {
    if (policy.onExhausted === 'incident') return stopped({ incident: 'job_no_retries', error }, spent)
    return { next: { ...spent, state: 'dead' }, stop: { deadLetter: 'exhausted', error } }
  }
  const delayMs = usableDelay(outcome.delayMs) ?? backoffDelayMs(policy.backoff, spent.failures, random)
  return {
    next: { ...spent, ...comesBack(now + delayMs, delayMs === 0 ? null : 'backoff') },
    backoffMs: delayMs,
  }
}

/** A delay that came from a handler and is no number falls back to the policy's: it must neither lose the job nor spin. */
function usableDelay(delayMs: number | undefined): number | undefined {
  return delayMs === undefined || Number.isNaN(delayMs)
    ? undefined
    : Math.round(Math.min(Math.max(0, delayMs), maxDurationMs))
}

/** The failure that a deferral has come down to; null where it is none, or not yet. */
function unforgiven({ job: { deferringSince }, outcome, now }: Decision): Outcome | null {
  if (
    outcome.kind !== 'defer' ||
    outcome.failure === undefined ||
    deferringSince === null ||
    now - deferringSince < forgivenMs
  )
    return null
  return { kind: 'fail', category: 'error', error: outcome.failure }
}

/**
 * Handler, bulkhead, the other side's own word and an own call that failed defer out of the job's own reasons, and 24 hours of that in a row stop it. What a breaker
 * or a pause holds back neither counts nor ends the row: the row's start moves by as long as they hold the job.
 */
function deferred(job: Job, outcome: Extract<Outcome, { kind: 'defer' }>, now: number): Verdict {
  const asked = Number.isNaN(outcome.until) ? now : outcome.until
  const until = Math.round(Math.min(Math.max(asked, now + shortestDeferMs), now + maxDurationMs))
  const counts = (outcome.by !== 'breaker' && outcome.by !== 'pause') || outcome.failure !== undefined
  const held = job.deferringSince === null ? null : job.deferringSince + until - now
  const deferringSince = counts ? (job.deferringSince ?? now) : held
  const next = { deferrals: job.deferrals + 1, deferringSince }
  if (counts && deferringSince !== null && now - deferringSince >= deferLimitMs) {
    const message = `deferred for 24 hours in a row, ${next.deferrals} times, the last time because: ${outcome.reason}`
    return stopped(
      {
        incident: 'deferred_too_long',
        error: ownErrorRecord({ name: 'DeferredTooLong', code: 'DEFERRED_TOO_LONG', message }),
      },
      next,
    )
  }
  return { next: { ...next, ...comesBack(until, 'deferred') }, backoffMs: until - now }
}

function lost(job: Job, outcome: Extract<Outcome, { kind: 'lost' }>, now: number): Verdict {
  const crashes = job.crashes + 1
  if (crashes < crashLimit) {
    const delayMs = crashes === 1 ? 0 : secondLossMs
    return {
      next: { crashes, ...comesBack(now + delayMs, delayMs === 0 ? null : 'backoff') },
      backoffMs: delayMs,
    }
  }
  const message = `lost ${crashes} times in a row: its handler may be killing the worker process`
  return stopped(
    {
      incident: 'crash_loop',
      error: ownErrorRecord({ name: 'CrashLoop', code: 'CRASH_LOOP', message, cause: lossRecord(outcome) }),
    },
    { crashes },
  )
}

function comesBack(
  runAt: number,
  waitReason: WaitReason | null,
): Pick<NextJob, 'state' | 'waitReason' | 'runAt'> {
  return { state: waitReason === null ? 'available' : 'waiting', waitReason, runAt }
}

/** A job that would come back too late to start stops now, when the cause is still at hand. */
function withinDeadline(verdict: Verdict, { job, outcome }: Decision): Verdict {
  if (job.deadlineAt === null) return verdict
  const { state, runAt = job.runAt } = verdict.next
  if ((state !== 'available' && state !== 'waiting') || runAt <= job.deadlineAt) return verdict
  const cause = errorOf(outcome)
  const error = deadlineError(job.deadlineAt, runAt, cause ?? undefined)
  return stopped(
    { incident: 'deadline_exceeded', error },
    { ...verdict.next, waitReason: null, runAt: job.runAt },
  )
}

/** The record of an incident `deadline_exceeded`; also for a job whose deadline passed while it waited. */
export function deadlineError(deadlineAt: number, startAt: number, cause?: ErrorRecord): ErrorRecord {
  const message = `its next start (${iso(startAt)}) would come after its deadline (${iso(deadlineAt)})`
  return ownErrorRecord({
    name: 'DeadlineExceeded',
    code: 'DEADLINE_EXCEEDED',
    message,
    ...(cause ? { cause } : {}),
  })
}

function iso(at: number): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at)
}

function attemptRecord({ job, outcome, now }: Decision, verdict: Verdict, next: NextJob): AttemptRecord {
  const comesAgain = next.state === 'available' || next.state === 'waiting'
  return {
    jobKey: job.key,
    attempt: job.attempt,
    workerId: job.workerId ?? '',
    startedAt: job.startedAt ?? now,
    finishedAt: now,
    outcome: outcome.kind,
    error: errorOf(outcome),
    failureCategory: outcome.kind === 'fail' ? outcome.category : null,
    nonRetryable: nonRetryable.has(outcome.kind),
    backoffMs: comesAgain ? (verdict.backoffMs ?? null) : null,
    nextRunAt: comesAgain ? next.runAt : null,
  }
}

const nonRetryable: ReadonlySet<Outcome['kind']> = new Set([
  'incident',
  'poison',
  'business_error',
  'result_invalid',
] as const)

function errorOf(outcome: Outcome): ErrorRecord | null {
  switch (outcome.kind) {
    case 'success':
      return null
    case 'defer':
      return ownErrorRecord({
        name: 'Deferred',
        code: `BY_${outcome.by.toUpperCase()}`,
        message: outcome.reason,
      })
    case 'interrupted':
      return ownErrorRecord({ name: 'Interrupted', code: 'INTERRUPTED', message: outcome.reason })
    case 'lost':
      return lossRecord(outcome)
    case 'business_error':
      return withCode(outcome)
    default:
      return outcome.error
  }
}

function lossRecord(outcome: Extract<Outcome, { kind: 'lost' }>): ErrorRecord {
  return ownErrorRecord({ name: 'Lost', code: outcome.reason.toUpperCase(), message: outcome.detail })
}

/** The business code is what people filter by, whatever `code` the thrown error carried. */
function withCode({ code, message, error }: Extract<Outcome, { kind: 'business_error' }>): ErrorRecord {
  const bounded = errorRecord({ name: error.name, message, code })
  return {
    ...error,
    code: bounded.code,
    message: bounded.message,
    truncated: error.truncated || bounded.truncated,
  }
}

/** `success` only with the completion; `stopped` only where this attempt ends the job without one. */
function childrenOf(children: readonly ChildJob[], state: NextJob['state']): NewChildJob[] {
  if (children.length === 0) return []
  const stops = state === 'failed' || state === 'dead' || state === 'rejected'
  const wanted = children.filter((child) => (child.when === 'success' ? state === 'completed' : stops))
  return wanted.map(({ when: _, ...child }) => child)
}
