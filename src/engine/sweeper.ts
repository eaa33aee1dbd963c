/**
 * Settles expired attempts as lost, stops jobs whose deadline passed while they waited, and prunes old rows. Several sweepers may
 * run on one store: a settlement is applied only if the lease is still expired then.
 *
 * After a suspend an expired lease proves nothing, because living workers could not renew either. So a sweeper that was suspended,
 * has just started, could not write, or waited long for the lock, waits one renewal interval.
 */
import type { Clock } from '../clock.ts'
import { deadlineError } from '../domain/decide.ts'
import { isStoreGone } from '../errors.ts'
import { fingerprint } from '../domain/fingerprint.ts'
import type { Logger } from '../logger.ts'
import type { RetentionPolicy } from '../domain/retention.ts'
import type { Ended } from '../domain/outcome.ts'
import { writer, type Engine, type StopOfJob } from './engine.ts'
import { fallbackPolicy } from './fallback-policy.ts'
import { createLeaseEvidence, type LeaseEvidence } from './stale-leases.ts'
import { retireWorkers } from './plans/workers.ts'
import { createPruner, type Pruner } from './pruner.ts'
import { createSleepDetector, type SleepDetector } from './sleep-detector.ts'
import type { ExpiredLease } from '../store/views.ts'

export interface SweeperOptions {
  engine: Engine
  clock: Clock
  log: Logger
  /** Time between two sweeps, in ms. */
  sweepMs: number
  /** Renewal interval of workers, in ms: how long a sweeper waits after a suspend. */
  renewalMs: number
  retention: RetentionPolicy
}

export interface SweepReport {
  /** Attempts settled as lost. */
  lost: number
  /** Jobs stopped because their deadline passed. */
  stopped: number
  /** Rows pruned. */
  pruned: number
  /** True: nothing was swept, because leases can't be trusted yet. */
  held: boolean
}

export interface Sweeper {
  /** Sweeps once. A call during a sweep returns that sweep's report. Rejects with the store's error. */
  sweep(): Promise<SweepReport>
  /** Sweeps every `sweepMs`. Logs the first of several errors in a row. */
  start(): void
  /** Resolves when the current sweep has ended. */
  stop(): Promise<void>
}

/** Smaller steps are time synchronisation, not a set clock. */
const loggedStepMs = 5_000
const batchSize = 64
const nothing: SweepReport = { lost: 0, stopped: 0, pruned: 0, held: false }

interface Sweeping extends SweeperOptions {
  detector: SleepDetector
  evidence: LeaseEvidence
  pruner: Pruner
  ended: AbortController
  /** Monotonic ms; no sweep before. */
  heldUntil: number
}

export function createSweeper(options: SweeperOptions): Sweeper {
  const { engine, clock, log, sweepMs } = options
  const sweeping: Sweeping = {
    ...options,
    detector: createSleepDetector(clock, engine.now, sweepMs),
    evidence: createLeaseEvidence(),
    pruner: createPruner({ store: engine[writer], clock, retention: options.retention }),
    ended: new AbortController(),
    heldUntil: clock.monotonic() + options.renewalMs,
  }
  let round: Promise<SweepReport> | null = null
  let running: Promise<void> | null = null
  const sweep = () => {
    round ??= sweepOnce(sweeping).finally(() => {
      round = null
    })
    return round
  }
  const run = async () => {
    let failing = false
    while (!sweeping.ended.signal.aborted) {
      try {
        if (!(await sweep()).held) failing = false
      } catch (error) {
        if (!failing && !isStoreGone(error))
          log.warn(`sweeping failed; trying again every ${sweepMs} ms: ${messageOf(error)}`)
        failing = true
      }
      await clock.sleep(sweepMs, sweeping.ended.signal)
    }
  }
  return {
    sweep,
    start() {
      running ??= run()
    },
    async stop() {
      sweeping.ended.abort()
      await Promise.allSettled([running, round])
    },
  }
}

async function sweepOnce(sweeping: Sweeping): Promise<SweepReport> {
  if (!(await leasesCanBeTrusted(sweeping))) return { ...nothing, held: true }
  try {
    await retireOverdue(sweeping)
    const lost = await settleExpired(sweeping)
    const stopped = await stopOverdue(sweeping)
    const pruned = await sweeping.pruner.prune(sweeping.ended.signal)
    return { lost, stopped, pruned, held: false }
  } catch (error) {
    holdBack(sweeping)
    throw error
  }
}

async function leasesCanBeTrusted(sweeping: Sweeping): Promise<boolean> {
  const { engine, clock, detector, log } = sweeping
  const store = engine[writer]
  // An empty write: while another process holds the lock no worker renews, and the wait counts as a suspend.
  await store.renew([], store.now(), store.now())
  const { slept, steppedMs } = detector.observe()
  if (Math.abs(steppedMs) > loggedStepMs)
    log.warn(
      `the clock jumped by ${Math.round(steppedMs / 1000)} s; leases are left alone for one renewal interval`,
    )
  if (slept) holdBack(sweeping)
  return clock.monotonic() >= sweeping.heldUntil
}

function holdBack(sweeping: Sweeping): void {
  sweeping.heldUntil = sweeping.clock.monotonic() + sweeping.renewalMs
  sweeping.evidence.forget()
}

async function retireOverdue({ engine, clock, evidence, log }: Sweeping): Promise<void> {
  const now = engine.now()
  const ids = evidence.overdue(await engine.reader.workers(now), { now, monotonic: clock.monotonic() })
  if (ids.length === 0) return
  log.warn(
    'workers have not renewed for a whole lease although the clock, which was set back, says otherwise',
    { workers: ids },
  )
  await engine[writer].transact(
    retireWorkers,
    ids.map((id) => ({ id })),
    now,
  )
}

async function settleExpired({ engine, log, ended }: Sweeping): Promise<number> {
  let total = 0
  while (!ended.signal.aborted) {
    const now = engine.now()
    const expired = await engine.reader.expiredLeases(now, batchSize)
    if (expired.length === 0) break
    const { settled } = await engine.exchange({ ended: expired.map((lease) => lostAttempt(lease, now)) })
    const lost = expired.filter((_, index) => settled[index] === 'applied')
    if (lost.length > 0)
      log.warn(lost.length === 1 ? '1 attempt lost its lease' : `${lost.length} attempts lost their lease`, {
        jobs: lost.map(({ job }) => job.key).slice(0, 10),
      })
    total += lost.length
    // None applied: another sweeper settled them first, and reading again would return the same.
    if (expired.length < batchSize || lost.length === 0) break
  }
  return total
}

function lostAttempt({ job, reason }: ExpiredLease, now: number): Ended {
  const detail =
    reason === 'lease_expired'
      ? `the lease of worker ${job.workerId} expired`
      : `no handler of worker ${job.workerId} held it any more`
  const durationMs = Math.max(0, now - (job.startedAt ?? now))
  return {
    job,
    outcome: { kind: 'lost', reason, detail },
    policy: fallbackPolicy,
    children: [],
    durationMs,
    onlyIfExpiredAt: now,
  }
}

async function stopOverdue({ engine, log, ended }: Sweeping): Promise<number> {
  let total = 0
  while (!ended.signal.aborted) {
    const now = engine.now()
    const jobs = await engine.reader.overdue(now, batchSize)
    const stops = jobs.map((job) => {
      const error = deadlineError(job.deadlineAt ?? now, Math.max(job.runAt, now))
      return {
        jobKey: job.key,
        type: job.type,
        incident: { kind: 'deadline_exceeded' as const, error, fingerprint: fingerprint(job.type, error) },
      }
    })
    const applied = await engine.stop(stops)
    const stopped = stops.filter((_, index) => applied[index])
    if (stopped.length > 0)
      log.warn(stopMessage(stopped), {
        incident: 'deadline_exceeded',
        jobs: stopped.map(({ jobKey }) => jobKey),
      })
    total += stopped.length
    if (jobs.length < batchSize || stopped.length === 0) break
  }
  return total
}

const mostNamed = 5

/** These jobs have no attempt whose log line would say it. */
function stopMessage(stops: readonly StopOfJob[]): string {
  const [first] = stops
  const names = stops.slice(0, mostNamed).map(({ type, jobKey }) => `${type} #${jobKey}`)
  const more = stops.length > mostNamed ? ` and ${stops.length - mostNamed} more` : ''
  const why =
    stops.length === 1 ? (first?.incident.error.message ?? '') : 'they could not start before their deadlines'
  return `▲ ${names.join(', ')}${more} incident deadline_exceeded: ${why}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
