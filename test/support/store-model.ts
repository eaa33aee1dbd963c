/** A store as plain maps, small enough to be seen to be right. What decides is the domain's; this only fences, orders and keeps. */
import type { DeadLetter } from '../../src/domain/dead-letter.ts'
import type { Incident } from '../../src/domain/incident.ts'
import { finalStates, type ClaimedJob, type Fence, type Job, type NewJob } from '../../src/domain/job.ts'
import type { Settlement } from '../../src/domain/outcome.ts'
import { rampRoom } from '../../src/domain/ramp.ts'
import { resolveJob } from '../../src/domain/resolve-job.ts'
import type { Resolution } from '../../src/domain/resolution.ts'
import type { ClaimType, Enqueued, Settled } from '../../src/store/port.ts'
import type { Stop } from '../../src/engine/plans/stop.ts'

type Letter = Pick<DeadLetter, 'reason' | 'count' | 'closedAt'>

interface Kept {
  job: Job
  variables: string
  /** Kinds of all incidents, and whether the last one is open. */
  incidents: string[]
  open: boolean
  letter: Letter | null
  /** Settlements that were applied, by attempt. */
  applied: number[]
}

export class StoreModel {
  readonly jobs = new Map<number, Kept>()
  readonly leases = new Map<string, number>()
  readonly paused = new Set<string>()
  /** When a pause ended, and what was claimed since. */
  readonly ramps = new Map<string, { at: number; started: number }>()
  readonly streaks = new Map<string, number>()
  readonly #keys = new Map<string, { hash: string; jobKey: number }>()
  #lastKey = 0

  enqueue(job: NewJob, now: number): Enqueued {
    const idempotency = job.idempotency
    const known = idempotency === null ? undefined : this.#keys.get(`${job.type} ${idempotency.key}`)
    if (known !== undefined) {
      return known.hash === idempotency?.hash
        ? { status: 'duplicate', key: known.jobKey }
        : { status: 'refused', reason: 'idempotency_conflict', key: known.jobKey }
    }
    const key = ++this.#lastKey
    if (idempotency !== null)
      this.#keys.set(`${job.type} ${idempotency.key}`, { hash: idempotency.hash, jobKey: key })
    const waits = job.runAt > now
    const { type, priority, runAt, retries, retriesGiven, deadlineAt, parentKey } = job
    const counts = { attempt: 0, failures: 0, crashes: 0, deferrals: 0, deferringSince: null }
    const times = { createdAt: now, startedAt: null, runUntil: null, finishedAt: null, deadlineAt, runAt }
    const row: Job = {
      ...{
        key,
        type,
        state: waits ? 'waiting' : 'available',
        waitReason: waits ? 'delay' : null,
        priority,
        parentKey,
      },
      ...{ retries, retriesGiven, enqueuedRetries: retries, workerId: null },
      ...counts,
      ...times,
    }
    this.jobs.set(key, {
      job: row,
      variables: job.variables,
      incidents: [],
      open: false,
      letter: null,
      applied: [],
    })
    return { status: 'created', key }
  }

  claim(
    workerId: string,
    types: readonly ClaimType[],
    { suspects, now }: { suspects: boolean; now: number },
  ): ClaimedJob[] {
    const room = (type: string) => {
      const ramp = this.ramps.get(type)
      return ramp === undefined
        ? Number.POSITIVE_INFINITY
        : rampRoom({ sinceMs: now - ramp.at, started: ramp.started })
    }
    const open = types.filter(({ type }) => !this.paused.has(type) && room(type) > 0)
    const ofOpen = [...this.jobs.values()]
      .map(({ job }) => job)
      .filter((job) => open.some(({ type }) => type === job.type))
    const falls = ofOpen.filter((job) => job.state === 'waiting' && job.runAt <= now)
    const claimable = (job: Job) =>
      job.state === 'available' &&
      job.crashes >= 2 === suspects &&
      (job.deadlineAt === null || job.deadlineAt >= now)
    // A claim that would find nothing does not even make due what is due.
    if (!ofOpen.some(claimable) && !falls.some(({ crashes }) => !suspects || crashes >= 2)) return []
    for (const job of falls) Object.assign(job, { state: 'available', waitReason: null })
    return open.flatMap((type) =>
      [...this.jobs.values()]
        .filter(({ job }) => job.type === type.type && claimable(job))
        .sort(({ job: a }, { job: b }) => b.priority - a.priority || a.runAt - b.runAt || a.key - b.key)
        .slice(0, Math.min(type.limit, room(type.type)))
        .map(({ job, variables }) => {
          if (job.attempt === 0 && !job.retriesGiven)
            Object.assign(job, { retries: type.retries, enqueuedRetries: type.retries })
          const ramp = this.ramps.get(job.type)
          if (ramp) ramp.started++
          Object.assign(job, {
            state: 'running',
            attempt: job.attempt + 1,
            workerId,
            startedAt: now,
            runUntil: now + type.timeoutMs + 60_000,
          })
          return { ...job, variables, effectsEpoch: 0 }
        }),
    )
  }

  settle(settlement: Settlement, now: number): Settled {
    const { fence, next, onlyIfExpiredAt } = settlement
    const kept = this.jobs.get(fence.jobKey)
    const holds =
      kept?.job.state === 'running' &&
      kept.job.attempt === fence.attempt &&
      kept.job.workerId === fence.workerId
    if (
      kept === undefined ||
      !holds ||
      (onlyIfExpiredAt !== undefined && !this.#expired(kept.job, onlyIfExpiredAt))
    )
      return 'stale'
    Object.assign(kept.job, next, { workerId: null, runUntil: null })
    kept.applied.push(fence.attempt)
    this.#stop(kept, settlement)
    this.#count(settlement)
    for (const child of settlement.children) this.enqueue({ ...child, parentKey: fence.jobKey }, now)
    return 'applied'
  }

  #stop(kept: Kept, { incident, deadLetter }: Pick<Settlement, 'incident' | 'deadLetter'>): void {
    if (incident !== null) {
      kept.incidents.push(incident.kind)
      kept.open = true
    }
    if (deadLetter !== null)
      kept.letter = { reason: deadLetter.reason, count: (kept.letter?.count ?? 0) + 1, closedAt: null }
  }

  #count({ type, outcome, incident }: Settlement): void {
    const bad =
      outcome === 'business_error'
        ? incident !== null
        : ['poison', 'incident', 'result_invalid'].includes(outcome)
    if (outcome === 'success') this.streaks.set(type, 0)
    if (!bad) return
    const streak = (this.streaks.get(type) ?? 0) + 1
    this.streaks.set(type, streak)
    if (streak >= 20) this.paused.add(type)
  }

  resume(type: string, now: number): boolean {
    if (this.paused.has(type)) {
      this.streaks.set(type, 0)
      this.ramps.set(type, { at: now, started: 0 })
    }
    return this.paused.delete(type)
  }

  #expired({ workerId, runUntil }: Job, at: number): boolean {
    return (runUntil ?? 0) <= at || (this.leases.get(workerId ?? '') ?? 0) <= at
  }

  expired(now: number): Job[] {
    return [...this.jobs.values()]
      .filter(({ job }) => job.state === 'running' && this.#expired(job, now))
      .map(({ job }) => ({ ...job }))
  }

  renew(workerId: string, leaseUntil: number): Fence[] {
    if (!this.leases.has(workerId)) return []
    this.leases.set(workerId, leaseUntil)
    const held = [...this.jobs.values()].filter(
      ({ job }) => job.state === 'running' && job.workerId === workerId,
    )
    return held.map(({ job }) => ({ jobKey: job.key, attempt: job.attempt, workerId }))
  }

  resolve(resolution: Resolution, now: number): string {
    const kept = this.jobs.get(resolution.jobKey)
    if (kept === undefined) return 'not_found'
    const openIncident = kept.open ? ({} as Incident) : null
    const openDeadLetter = kept.letter?.closedAt === null ? (kept.letter as DeadLetter) : null
    const resolved = resolveJob({
      job: kept.job,
      openIncident,
      openDeadLetter,
      variables: kept.variables,
      resolution,
      now,
    })
    if (resolved.status !== 'changed') return resolved.status
    Object.assign(kept.job, resolved.next, { workerId: null, runUntil: null })
    if (resolved.variables !== undefined) kept.variables = resolved.variables
    if (resolved.close.incident) kept.open = false
    if (resolved.close.deadLetter && kept.letter !== null) kept.letter = { ...kept.letter, closedAt: now }
    return 'changed'
  }

  overdue(now: number): Job[] {
    const waits = ({ job }: Kept) =>
      (job.state === 'available' || job.state === 'waiting') &&
      job.deadlineAt !== null &&
      job.deadlineAt < now
    return [...this.jobs.values()].filter(waits).map(({ job }) => job)
  }

  stop({ jobKey, incident }: Stop, now: number): boolean {
    const kept = this.jobs.get(jobKey)
    if (kept === undefined || !this.overdue(now).includes(kept.job)) return false
    Object.assign(kept.job, { state: 'failed', waitReason: null })
    this.#stop(kept, { incident, deadLetter: null })
    return true
  }

  /** Jobs that ended before `before` go; their keys stay known. */
  prune(before: number): number {
    const old = [...this.jobs.values()].filter(
      ({ job }) => finalStates.includes(job.state) && (job.finishedAt ?? 0) < before,
    )
    for (const { job } of old) this.jobs.delete(job.key)
    return old.length
  }
}
