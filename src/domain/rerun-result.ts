/** Whether a job that was sent to work again came through, or fell over the same cause. Pure. */
import type { ErrorRecord } from './error-record.ts'
import { fingerprint } from './fingerprint.ts'
import type { Incident, IncidentKind } from './incident.ts'
import type { Job } from './job.ts'
import type { AttemptRecord } from './outcome.ts'

/** A job as it stopped, before it was sent to work again. */
export interface Watched {
  jobKey: number
  type: string
  kind: IncidentKind
  /** Of the incident that it stopped with. */
  fingerprint: string
  /** Its last attempt then: those above it are new. */
  attempt: number
}

/** What is known of it now. */
export interface WatchedFacts {
  job: Pick<Job, 'state' | 'type'>
  attempts: readonly Pick<AttemptRecord, 'attempt' | 'outcome' | 'error'>[]
  incidents: readonly Incident[]
}

export type Verdict =
  | { status: 'completed' }
  /** An expected refusal: its end as the handler declares it. */
  | { status: 'rejected' }
  /** Somebody cancelled it, or it is not kept any more: it proves nothing. */
  | { status: 'gone' }
  /** A new attempt failed. With the same cause that counts at once; with another only when nothing is left to be tried. */
  | { status: 'failed'; isSameCause: boolean; fingerprint: string; error: ErrorRecord | null }

/** Ends of an attempt that say that something is wrong with the job; a deferral or a shutdown does not. */
const failures: ReadonlySet<AttemptRecord['outcome']> = new Set([
  'fail',
  'incident',
  'poison',
  'business_error',
  'result_invalid',
] as const)

/** Null while it is still to be seen. @param facts null when there is no such job any more */
export function verdictOf(watched: Watched, facts: WatchedFacts | null): Verdict | null {
  if (facts === null || facts.job.state === 'cancelled') return { status: 'gone' }
  const { state } = facts.job
  if (state === 'completed' || state === 'rejected') return { status: state }
  const failed = newFailures(watched, facts)
  const same = failed.find(({ isSameCause }) => isSameCause)
  if (same) return { status: 'failed', ...same }
  if (state !== 'failed' && state !== 'dead') return null
  const last = failed.at(-1) ?? { isSameCause: false, fingerprint: '', error: null }
  return { status: 'failed', ...last }
}

interface Failure {
  isSameCause: boolean
  fingerprint: string
  error: ErrorRecord | null
}

function newFailures(watched: Watched, { attempts, incidents }: WatchedFacts): readonly Failure[] {
  const fresh = attempts.filter(({ attempt }) => attempt > watched.attempt)
  const open = incidents.find(({ resolvedAt }) => resolvedAt === null)
  const ofAttempts = fresh.flatMap(({ outcome, error }) => {
    if (error === null) return []
    // One loss is the whole of what a crash loop is made of: two more need not be waited for.
    const isLoss = outcome === 'lost' && watched.kind === 'crash_loop'
    if (isLoss) return [{ isSameCause: true, fingerprint: watched.fingerprint, error }]
    return failures.has(outcome) ? [failureOf(watched, fingerprint(watched.type, error), error)] : []
  })
  return open ? [...ofAttempts, failureOf(watched, open.fingerprint, open.error)] : ofAttempts
}

function failureOf(watched: Watched, print: string, error: ErrorRecord): Failure {
  return { isSameCause: print === watched.fingerprint, fingerprint: print, error }
}
