/**
 * Applies settlements inside an open transaction. The fence is in the statement itself: key,
 * `running`, attempt and worker. A stale report changes nothing and is kept as a row `stale`.
 */
import { ownErrorRecord, type ErrorRecord } from '../../../domain/error-record.ts'
import { fingerprint } from '../../../domain/fingerprint.ts'
import type { AttemptRecord, Settlement } from '../../../domain/outcome.ts'
import type { Connection } from '../file/connection.ts'
import { enqueuer } from './enqueue.ts'
import type { Rows } from '../rows/rows.ts'

const fenced = "WHERE key = ? AND state = 'running' AND attempt = ? AND worker_id = ?"
const leaseExpired =
  '(run_until <= ? OR NOT EXISTS (SELECT 1 FROM wf_workers w WHERE w.id = worker_id AND w.lease_until > ?))'

export interface Settler {
  /** Throws SQLite's error for a row that it refuses; the caller then rolls the settlement back. */
  settle(settlement: Settlement, now: number): 'applied' | 'stale'
  /** After the database refused a settlement: stops the job with an incident that says so. */
  refuse(settlement: Settlement, why: string, now: number): 'refused' | 'stale'
}

export function settler(rows: Rows): Settler {
  const { db, attempts, incidents, deadLetters } = rows
  const end = jobEnder(db)
  const jobs = enqueuer(rows)
  const addResult = db.prepare<[number, string]>('INSERT INTO wf_results (job_key, result) VALUES (?, ?)')
  // Writes nothing of the refused settlement: any part may be what was refused.
  const stopAsIs = db.prepare(
    `UPDATE wf_jobs SET state = 'failed', run_until = NULL ${fenced} AND (? IS NULL OR ${leaseExpired})`,
  )

  function addChildren({ fence, children }: Settlement, now: number): void {
    for (const child of children) {
      const enqueued = jobs.enqueueChild({ ...child, parentKey: fence.jobKey }, now)
      if (enqueued.status === 'refused')
        throw new RefusedChild(child.type, enqueued.reason === 'idempotency_conflict' ? enqueued.key : null)
    }
  }

  function addStop({ fence, type, incident, deadLetter }: Settlement, now: number): void {
    if (incident !== null) incidents.open({ key: fence.jobKey, type, attempt: fence.attempt }, incident, now)
    if (deadLetter !== null) deadLetters.open(fence.jobKey, deadLetter, now)
  }

  return {
    settle(settlement, now) {
      if (!end(settlement)) {
        const stale = staleReport(settlement, now)
        if (stale !== null) attempts.add(stale)
        return 'stale'
      }
      if (settlement.attempt !== null) attempts.add(settlement.attempt)
      if (settlement.incident !== null || settlement.deadLetter !== null) addStop(settlement, now)
      if (settlement.result !== null) addResult.run(settlement.fence.jobKey, settlement.result)
      if (settlement.children.length > 0) addChildren(settlement, now)
      return 'applied'
    },
    refuse(settlement, why, now) {
      const { fence, type, onlyIfExpiredAt = null } = settlement
      if (
        stopAsIs.run(
          fence.jobKey,
          fence.attempt,
          fence.workerId,
          onlyIfExpiredAt,
          onlyIfExpiredAt,
          onlyIfExpiredAt,
        ).changes === 0
      )
        return 'stale'
      const error = refusalError(settlement, why)
      attempts.add(refusedAttempt(settlement, error, now))
      incidents.open(
        { key: fence.jobKey, type, attempt: fence.attempt },
        { kind: 'settlement_refused', error, fingerprint: fingerprint(type, error) },
        now,
      )
      return 'refused'
    },
  }
}

/** The store refused a job that an attempt enqueued. */
export class RefusedChild extends Error {
  constructor(type: string, firstKey: number | null) {
    super(
      `the job ${type} that this attempt enqueued was refused${firstKey === null ? '' : `: its idempotency key belongs to job ${firstKey}, which has other variables`}`,
    )
  }
}

/** Returns true if the attempt was current, so that the row was updated. */
function jobEnder(db: Connection): (settlement: Settlement) => boolean {
  const update = `UPDATE wf_jobs SET state = ?, wait_reason = ?, run_at = ?, retries = ?, failures = ?, crashes = ?, deferrals = ?, deferring_since = ?,
    finished_at = ?, run_until = NULL ${fenced}`
  const end = db.prepare(update)
  // A completion writes only what it changes: half the work of the most frequent statement.
  const complete = db.prepare(
    `UPDATE wf_jobs SET state = 'completed', crashes = 0, deferring_since = NULL, finished_at = ?, run_until = NULL ${fenced}`,
  )
  const endExpired = db.prepare(`${update} AND ${leaseExpired}`)
  return ({ next, fence, onlyIfExpiredAt }) => {
    const { state, waitReason, runAt, retries, failures, crashes, deferrals, deferringSince, finishedAt } =
      next
    const { jobKey, attempt, workerId } = fence
    if (onlyIfExpiredAt === undefined && state === 'completed')
      return complete.run(finishedAt, jobKey, attempt, workerId).changes > 0
    if (onlyIfExpiredAt === undefined) {
      return (
        end.run(
          state,
          waitReason,
          runAt,
          retries,
          failures,
          crashes,
          deferrals,
          deferringSince,
          finishedAt,
          jobKey,
          attempt,
          workerId,
        ).changes > 0
      )
    }
    const values = [
      state,
      waitReason,
      runAt,
      retries,
      failures,
      crashes,
      deferrals,
      deferringSince,
      finishedAt,
      jobKey,
      attempt,
      workerId,
    ]
    return endExpired.run(...values, onlyIfExpiredAt, onlyIfExpiredAt).changes > 0
  }
}

/** A handler's late report. A late loss, from a supervisor or sweeper, is dropped: it says nothing about the attempt. */
function staleReport({ fence, attempt, outcome, startedAt }: Settlement, now: number) {
  if (outcome === 'lost') return null
  const record = attempt ?? {
    finishedAt: now,
    startedAt,
    error: null,
    failureCategory: null,
    nonRetryable: false,
  }
  return { ...record, ...fence, outcome: 'stale' as const, backoffMs: null, nextRunAt: null }
}

function refusalError({ outcome }: Settlement, why: string): ErrorRecord {
  const message = `the store refused what this attempt (${outcome}) wanted to write: ${why}`
  return ownErrorRecord({ name: 'SettlementRefused', code: 'SETTLEMENT_REFUSED', message })
}

function refusedAttempt(
  { fence, outcome, startedAt }: Settlement,
  error: ErrorRecord,
  now: number,
): AttemptRecord {
  return {
    ...fence,
    outcome,
    startedAt,
    finishedAt: now,
    error,
    failureCategory: null,
    nonRetryable: true,
    backoffMs: null,
    nextRunAt: null,
  }
}
