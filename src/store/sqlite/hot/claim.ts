/**
 * Takes due jobs for a worker, inside an open transaction. A claim reads only the entries it takes, from one partial
 * index per type, so its cost does not depend on how many jobs wait, run or have ended.
 */
import { rampRoom } from '../../../domain/ramp.ts'
import { WfError } from '../../../errors.ts'
import type { ClaimedJob } from '../../../domain/job.ts'
import type { ClaimRequest, ClaimType } from '../../port.ts'
import type { Connection } from '../file/connection.ts'
import { textOf } from '../rows/job-data.ts'
import { isConstraint } from '../file/sqlite-errors.ts'
import type { Rows } from '../rows/rows.ts'

/** How long a claim may outlast its attempt's timeout before the sweeper ends it, whatever the worker's lease says. */
const runUntilSlackMs = 60_000

/** Maximum number of due waiting jobs that one claim makes available, to keep its transaction short. */
const promotedAtOnce = 500
/** The same for each job that a claim may take, so that small claims stay cheap. Not for suspects, which are rare among them. */
const promotedPerSlot = 10

/** The columns that differ between available jobs: half of them, which matters at tens of thousands of claims a second. */
type ClaimRow = readonly [
  key: number,
  priority: number,
  runAt: number,
  retries: number,
  retriesGiven: number,
  enqueuedRetries: number,
  attempt: number,
  failures: number,
  crashes: number,
  deferrals: number,
  deferringSince: number | null,
  deadlineAt: number | null,
  createdAt: number,
  parentKey: number | null,
  variables: unknown,
  effectsEpoch: number | null,
]

const claimColumns = `j.key, j.priority, j.run_at, j.retries, j.retries_given, j.enqueued_retries, j.attempt, j.failures, j.crashes, j.deferrals,
  j.deferring_since, j.deadline_at, j.created_at, j.parent_key, d.variables, d.effects_epoch`

export interface Claimer {
  /** Whether a claim would find something. Reads only. */
  hasDue(types: readonly string[], suspects: boolean, now: number): boolean
  claim(request: ClaimRequest, now: number): Claimed
}

export interface Claimed {
  claimed: readonly ClaimedJob[]
  /** How many started of each type whose starts are limited. */
  rampStarts: ReadonlyMap<string, number>
}

interface OpenType extends ClaimType {
  /** Its starts are limited, because it was paused a moment ago. */
  onRamp: boolean
}

export function claimer({ db, types }: Rows): Claimer {
  const waiting = waitingJobs(db)
  const available = availableJobs(db)
  const take = taker(db)
  let lastServed: string | null = null
  let taking: number | null = null
  let rampStarts = new Map<string, number>()

  /** How many jobs of a type may start: none while it is paused, on a ramp after it, Infinity otherwise. */
  function room(type: string, now: number): number {
    const row = types.pause(type)
    if (row === null) return Number.POSITIVE_INFINITY
    const [pausedAt, until, resumedAt, started] = row
    if (pausedAt === null)
      return resumedAt === null ? Number.POSITIVE_INFINITY : rampRoom({ sinceMs: now - resumedAt, started })
    return until !== null && until <= now ? rampRoom({ sinceMs: now - until, started: 0 }) : 0
  }

  /** Read once a claim: the claim itself stays within the limit. */
  function opened(type: ClaimType, now: number): readonly OpenType[] {
    const most = type.limit > 0 ? room(type.type, now) : 0
    return most > 0
      ? [{ ...type, limit: Math.min(type.limit, most), onRamp: most < Number.POSITIVE_INFINITY }]
      : []
  }

  function claimType(
    request: ClaimRequest,
    { type, limit, now }: { type: OpenType; limit: number; now: number },
  ): ClaimedJob[] {
    const rows = available(request.suspects).take.all(type.type, now, limit)
    if (rows.length > 0) lastServed = type.type
    if (rows.length > 0 && type.onRamp)
      rampStarts.set(type.type, (rampStarts.get(type.type) ?? 0) + rows.length)
    return rows.map((row) => {
      taking = row[0]
      return take(row, { type, workerId: request.workerId, now })
    })
  }

  return {
    hasDue(names, suspects, now) {
      const waits = suspects ? waiting.suspectDue : waiting.due
      return names.some(
        (name) =>
          (available(suspects).look.get(name, now) !== undefined || waits(name, now)) && room(name, now) > 0,
      )
    },
    claim(request, now) {
      const open = startingAfter(request.types, lastServed).flatMap((type) => opened(type, now))
      taking = null
      rampStarts = new Map()
      try {
        let promotable = request.suspects
          ? promotedAtOnce
          : Math.min(promotedAtOnce, request.limit * promotedPerSlot)
        for (const { type } of open) promotable -= waiting.promote(type, now, promotable)
        const claimed = shareOut(open, request.limit, (type, limit) =>
          claimType(request, { type, limit, now }),
        )
        return { claimed, rampStarts }
      } catch (error) {
        throw isConstraint(error) ? brokenRow(taking, error) : error
      }
    },
  }
}

/** A claim's own values break no constraint, so the row broke one before: the file was damaged, or written by another program. */
function brokenRow(key: number | null, error: { code: string }): WfError {
  const job = key === null ? 'a waiting job that is due' : `job ${key}`
  return new WfError(
    'store_corrupt',
    `${job} breaks a rule of wf_jobs, so nothing can be claimed (${error.code})`,
    {
      hint: 'Restore a backup, or put that row right; `sqlite3 FILE "PRAGMA integrity_check"` tells whether there are more.',
      cause: error,
    },
  )
}

/** The types in the given order, starting after the one served last; with one free slot, the first would take every turn. */
function startingAfter(types: readonly ClaimType[], last: string | null): readonly ClaimType[] {
  const found = types.findIndex(({ type }) => type === last)
  return found < 0 ? types : [...types.slice(found + 1), ...types.slice(0, found + 1)]
}

/** Even shares. A share that a type doesn't use goes to the others. */
function shareOut(
  types: readonly OpenType[],
  limit: number,
  take: (type: OpenType, limit: number) => ClaimedJob[],
): readonly ClaimedJob[] {
  const claimed: ClaimedJob[] = []
  let hungry = types.map((type) => ({ type, left: type.limit }))
  while (hungry.length > 0 && claimed.length < limit) {
    const still: typeof hungry = []
    for (const [index, { type, left }] of hungry.entries()) {
      const share = Math.min(left, Math.ceil((limit - claimed.length) / (hungry.length - index)))
      if (share === 0) break
      const got = take(type, share)
      for (const job of got) claimed.push(job)
      if (got.length === share && left > share) still.push({ type, left: left - share })
    }
    hungry = still
  }
  return claimed
}

function waitingJobs(db: Connection) {
  const due = db.prepare<[string, number], number>(
    "SELECT 1 FROM wf_jobs INDEXED BY wf_jobs_waiting WHERE state = 'waiting' AND type = ? AND run_at <= ? LIMIT 1",
  )
  // Reads as far as one claim would promote; otherwise each due retry would count as a suspect.
  const suspectDue = db.prepare<
    [string, number],
    number
  >(`SELECT 1 FROM (SELECT crashes FROM wf_jobs INDEXED BY wf_jobs_waiting
    WHERE state = 'waiting' AND type = ? AND run_at <= ? ORDER BY run_at LIMIT ${promotedAtOnce}) WHERE crashes >= 2 LIMIT 1`)
  const promote = db.prepare<
    [string, number, number]
  >(`UPDATE wf_jobs SET state = 'available', wait_reason = NULL WHERE key IN (
    SELECT key FROM wf_jobs INDEXED BY wf_jobs_waiting WHERE state = 'waiting' AND type = ? AND run_at <= ? ORDER BY run_at LIMIT ? + 0)`)
  const isDue = (type: string, now: number) => due.get(type, now) !== undefined
  return {
    due: isDue,
    suspectDue: (type: string, now: number) => suspectDue.get(type, now) !== undefined,
    promote: (type: string, now: number, limit: number) =>
      limit > 0 && isDue(type, now) ? promote.run(type, now, limit).changes : 0,
  }
}

/**
 * `LIMIT ? + 0`, not `LIMIT ?`: SQLite reads a plain parameter while it plans, and plans again for each execution.
 * Skips jobs past their deadline: the sweeper turns them into incidents.
 */
function availableJobs(db: Connection) {
  const from = (
    columns: string,
    suspects: boolean,
  ) => `SELECT ${columns} WHERE j.state = 'available' AND j.crashes ${suspects ? '>= 2' : '< 2'}
    AND j.type = ? AND (j.deadline_at IS NULL OR j.deadline_at >= ?)`
  const prepare = (suspects: boolean) => {
    const jobs = `wf_jobs j INDEXED BY ${suspects ? 'wf_jobs_suspect' : 'wf_jobs_available'}`
    return {
      look: db.prepare<[string, number], number>(`${from(`1 FROM ${jobs}`, suspects)} LIMIT 1`),
      take: db
        .prepare<[string, number, number], ClaimRow>(
          `${from(`${claimColumns} FROM ${jobs} LEFT JOIN wf_job_data d ON d.job_key = j.key`, suspects)}
          ORDER BY j.priority DESC, j.run_at, j.key LIMIT ? + 0`,
        )
        .raw(),
    }
  }
  const usual = prepare(false)
  const suspect = prepare(true)
  return (suspects: boolean) => (suspects ? suspect : usual)
}

function taker(db: Connection) {
  const start = db.prepare<[number, string, number, number, number]>(
    "UPDATE wf_jobs SET state = 'running', attempt = ?, worker_id = ?, started_at = ?, run_until = ? WHERE key = ?",
  )
  const setRetries = db.prepare<[number, number, number]>(
    'UPDATE wf_jobs SET retries = ?, enqueued_retries = ? WHERE key = ?',
  )
  return (
    row: ClaimRow,
    { type, workerId, now }: { type: ClaimType; workerId: string; now: number },
  ): ClaimedJob => {
    const job = claimedFrom(row, { type, workerId, now })
    if (job.attempt === 1 && !job.retriesGiven && job.retries !== type.retries) {
      job.retries = type.retries
      job.enqueuedRetries = type.retries
      setRetries.run(type.retries, type.retries, job.key)
    }
    start.run(job.attempt, workerId, now, now + type.timeoutMs + runUntilSlackMs, job.key)
    return job
  }
}

/** The job as its row reads once it runs. */
function claimedFrom(
  row: ClaimRow,
  { type, workerId, now }: { type: ClaimType; workerId: string; now: number },
): ClaimedJob {
  return {
    key: row[0],
    type: type.type,
    state: 'running',
    waitReason: null,
    priority: row[1],
    runAt: row[2],
    retries: row[3],
    retriesGiven: row[4] === 1,
    enqueuedRetries: row[5],
    attempt: row[6] + 1,
    failures: row[7],
    crashes: row[8],
    deferrals: row[9],
    deferringSince: row[10],
    workerId,
    startedAt: now,
    runUntil: now + type.timeoutMs + runUntilSlackMs,
    deadlineAt: row[11],
    createdAt: row[12],
    finishedAt: null,
    parentKey: row[13],
    variables: textOf(row[14]),
    effectsEpoch: row[15] ?? 0,
  }
}
