/**
 * The read side for commands, the dashboard and clients: adds to the store's rows what follows from the time (ages, when a job is
 * due) and why a due job doesn't start. Writes nothing.
 */
import type { NamedBreaker } from '../domain/breaker-row.ts'
import type { DeadLetter, StoredLetter } from '../domain/dead-letter.ts'
import { formatDuration } from '../text/duration.ts'
import type { Incident } from '../domain/incident.ts'
import type { Job, JobState } from '../domain/job.ts'
import type { StoreReader } from '../store/port.ts'
import { isUnknown } from '../domain/step.ts'
import { heldInAll } from './local-breakers.ts'
import { nextSteps, type NextStep } from './next-steps.ts'
import type { IncidentView, JobDetail, StoreInfo, TypeView, WorkerView } from '../store/views.ts'
import type { Page, Paged } from '../store/page.ts'
import type { Selector } from '../domain/selector.ts'

/** Why a waiting job will not start when it is due. */
export interface Held {
  by: 'paused' | 'no_worker' | 'breaker'
  /** A finished sentence without a full stop. */
  why: string
}

export interface InspectedJob extends Job {
  /** Ms since it was enqueued. */
  ageMs: number
  /** Ms until it is due; 0 if it is due; null if it isn't waiting to run. */
  dueInMs: number | null
  /** Of the current attempt; null unless it runs. */
  runningMs: number | null
  held: Held | null
  /** Lost twice in a row: it runs alone. */
  suspect: boolean
}

export interface InspectedDetail extends Omit<JobDetail, 'job'> {
  job: InspectedJob
  openIncident: Incident | null
  nextSteps: readonly NextStep[]
}

export interface InspectedIncident extends Omit<IncidentView, 'job'> {
  job: InspectedJob
  ageMs: number
}

export interface InspectedDeadLetter extends DeadLetter {
  ageMs: number
}

export interface InspectedType extends TypeView {
  /** Ms that the oldest due job has waited; null if none is due. */
  oldestDueMs: number | null
  /** Available, waiting and running. */
  unfinished: number
  held: Held | null
}

export interface InspectedWorker extends WorkerView {
  alive: boolean
  /** Negative if the lease has expired. */
  leaseLeftMs: number
  upMs: number
}

export interface Inspector {
  info(): Promise<StoreInfo>
  job(key: number): Promise<InspectedDetail | null>
  jobs(selector: Selector, page: Page): Promise<Paged<InspectedJob>>
  incidents(selector: Selector, page: Page): Promise<Paged<InspectedIncident>>
  deadLetters(selector: Selector, page: Page): Promise<Paged<InspectedDeadLetter>>
  deadLetter(key: number): Promise<(InspectedDeadLetter & StoredLetter) | null>
  workers(): Promise<readonly InspectedWorker[]>
  types(): Promise<readonly InspectedType[]>
  counts(): Promise<Readonly<Partial<Record<JobState, number>>>>
}

/** `now`: the store's clock. */
export function createInspector(reader: StoreReader, now: () => number): Inspector {
  /** Reads pauses, breakers and workers only if they can block one of the jobs. */
  const inspect = async (jobs: readonly Job[]): Promise<readonly InspectedJob[]> => {
    const at = now()
    const holds = jobs.some(canBeHeld) ? holdsOf(await factsOf(reader, at), at) : null
    return jobs.map((job) => inspectJob(job, holds && canBeHeld(job) ? holds(job.type) : null, at))
  }
  return {
    info: () => reader.info(),
    counts: () => reader.counts(),
    async job(key) {
      const detail = await reader.job(key)
      if (!detail) return null
      const [job] = await inspect([detail.job])
      const openIncident = detail.incidents.find((incident) => incident.resolvedAt === null) ?? null
      return job
        ? { ...detail, job, openIncident, nextSteps: nextSteps(job, openIncident, unknownSteps(detail)) }
        : null
    },
    async jobs(selector, page) {
      const { items, ...rest } = await reader.jobs(selector, page)
      return { items: await inspect(items), ...rest }
    },
    async incidents(selector, page) {
      const { items, ...rest } = await reader.incidents(selector, page)
      const jobs = await inspect(items.map((incident) => incident.job))
      const inspected = items.flatMap((incident, index) => {
        const job = jobs[index]
        return job ? [{ ...incident, job, ageMs: since(incident.createdAt, now()) }] : []
      })
      return { items: inspected, ...rest }
    },
    async deadLetters(selector, page) {
      const { items, ...rest } = await reader.deadLetters(selector, page)
      return {
        items: items.map((letter) => ({ ...letter, ageMs: since(letter.receivedAt, now()) })),
        ...rest,
      }
    },
    async deadLetter(key) {
      const letter = await reader.deadLetter(key)
      return letter && { ...letter, ageMs: since(letter.receivedAt, now()) }
    },
    async workers() {
      const at = now()
      return (await reader.workers(at)).map((worker) => inspectWorker(worker, at))
    },
    async types() {
      const at = now()
      const facts = await factsOf(reader, at)
      const holds = holdsOf(facts, at)
      return facts.views.map((view) => inspectType(view, holds(view.type), at))
    },
  }
}

function unknownSteps({ job, steps }: JobDetail): readonly string[] {
  return steps.filter((step) => isUnknown(step, job)).map(({ step }) => step)
}

/** Never negative, even if the clock was set back. */
function since(at: number, now: number): number {
  return Math.max(0, now - at)
}

function canBeHeld({ state }: Job): boolean {
  return state === 'available' || state === 'waiting'
}

function inspectJob(job: Job, held: Held | null, now: number): InspectedJob {
  return {
    ...job,
    ageMs: since(job.createdAt, now),
    dueInMs: canBeHeld(job) ? Math.max(0, job.runAt - now) : null,
    runningMs: job.state === 'running' ? since(job.startedAt ?? now, now) : null,
    held,
    suspect: canBeHeld(job) && job.crashes >= 2,
  }
}

interface HoldFacts {
  views: readonly TypeView[]
  breakers: readonly NamedBreaker[]
  workers: readonly WorkerView[]
}

async function factsOf(reader: StoreReader, now: number): Promise<HoldFacts> {
  return {
    views: await reader.types(now),
    breakers: await reader.breakers(),
    workers: await reader.workers(now),
  }
}

/** Returns what blocks a type, also one that no worker has declared. */
function holdsOf({ views, breakers, workers }: HoldFacts, now: number): (type: string) => Held | null {
  const types = new Map(views.map((view) => [view.type, view]))
  const notClosed = new Map(
    breakers.filter(({ mode }) => mode !== 'closed').map((breaker) => [breaker.name, breaker]),
  )
  return (type) => {
    const view = types.get(type)
    const held = heldBy(type, view, now)
    if (held || !view) return held
    const breaker = view.declaration?.breakers
      ?.map((name) => notClosed.get(name))
      .find((found) => found !== undefined)
    if (breaker) return { by: 'breaker', why: breakerWords(breaker, now) }
    const [local] = heldInAll(type, workers, now)
    return local
      ? { by: 'breaker', why: breakerWords({ ...local, reason: 'local to each worker' }, now) }
      : null
  }
}

function breakerWords(
  { name, expiresAt, reason }: Pick<NamedBreaker, 'name' | 'expiresAt' | 'reason'>,
  now: number,
): string {
  const leftMs = (expiresAt ?? 0) - now
  const why = reason === null ? '' : `: ${reason}`
  return leftMs > 0
    ? `the breaker of ${name} is open for another ${formatDuration(leftMs)}${why}`
    : `the breaker of ${name} lets only probes through`
}

/** Returns the pause or the missing worker that blocks a type. */
export function heldBy(type: string, view: TypeView | undefined, now: number): Held | null {
  if (view && view.pausedAt !== null) {
    const reason = view.pauseReason === null ? '' : `: ${view.pauseReason}`
    const left = view.pausedUntil === null ? '' : ` for another ${formatDuration(view.pausedUntil - now)}`
    return { by: 'paused', why: `${type} is paused by ${view.pausedBy ?? 'somebody'}${left}${reason}` }
  }
  return view && view.workers > 0 ? null : { by: 'no_worker', why: `no worker for type ${type} is running` }
}

function inspectType(view: TypeView, held: Held | null, now: number): InspectedType {
  const { available = 0, waiting = 0, running = 0 } = view.counts
  const unfinished = available + waiting + running
  return {
    ...view,
    oldestDueMs: view.oldestDueAt === null ? null : since(view.oldestDueAt, now),
    unfinished,
    held: held?.by === 'no_worker' && unfinished === 0 ? null : held,
  }
}

function inspectWorker(worker: WorkerView, now: number): InspectedWorker {
  return {
    ...worker,
    alive: worker.leaseUntil > now,
    leaseLeftMs: worker.leaseUntil - now,
    upMs: since(worker.startedAt, now),
  }
}
