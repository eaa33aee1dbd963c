/** Reads the facts that explain the state of a job. */
import type { NamedBreaker } from '../domain/breaker-row.ts'
import type { HolderFacts, JobFacts, TypeFacts } from '../domain/explain-facts.ts'
import type { Job } from '../domain/job.ts'
import { isUnknown } from '../domain/step.ts'
import type { StoreReader } from '../store/port.ts'
import type { TypeView, WorkerView } from '../store/views.ts'
import { heldInAll } from './local-breakers.ts'

/** Returns null if there is no such job. `now`: store time. */
export async function jobFacts(reader: StoreReader, key: number, now: number): Promise<JobFacts | null> {
  const detail = await reader.job(key)
  if (detail === null) return null
  const { job, incidents, deadLetter, attempts, steps } = detail
  const [types, workers, breakers] = await Promise.all([
    reader.types(now),
    reader.workers(now),
    reader.breakers(),
  ])
  const alive = workers.filter(({ leaseUntil }) => leaseUntil > now)
  const view = types.find(({ type }) => type === job.type)
  return {
    job,
    now,
    type: typeFacts(job.type, view, alive),
    breakers: heldBy(view, breakers),
    ownBreakers: heldInAll(job.type, workers, now),
    holder: holderOf(job, workers),
    anyWorkerAlive: alive.length > 0,
    openIncident: incidents.find(({ resolvedAt }) => resolvedAt === null) ?? null,
    openDeadLetter: deadLetter?.closedAt === null ? deadLetter : null,
    lastAttempt: attempts.at(-1) ?? null,
    unknownSteps: steps.filter((step) => isUnknown(step, job)).map(({ step }) => step),
  }
}

function typeFacts(type: string, view: TypeView | undefined, alive: readonly WorkerView[]): TypeFacts {
  // A quarantine worker takes suspects only.
  const workers = alive.filter((worker) => !worker.quarantine && worker.types.includes(type))
  const concurrency = view?.declaration?.concurrency
  return {
    pausedAt: view?.pausedAt ?? null,
    pausedBy: view?.pausedBy ?? null,
    pauseReason: view?.pauseReason ?? null,
    pausedUntil: view?.pausedUntil ?? null,
    workers: workers.length,
    slots:
      concurrency === undefined
        ? null
        : workers.reduce((sum, worker) => sum + Math.min(concurrency, worker.concurrency), 0),
    running: view?.counts.running ?? 0,
    due: view?.counts.available ?? 0,
  }
}

function heldBy(view: TypeView | undefined, breakers: readonly NamedBreaker[]): readonly NamedBreaker[] {
  const names = view?.declaration?.breakers ?? []
  return breakers.filter(({ name, mode }) => mode !== 'closed' && names.includes(name))
}

function holderOf(job: Job, workers: readonly WorkerView[]): HolderFacts | null {
  if (job.state !== 'running') return null
  return workers.find(({ id }) => id === job.workerId) ?? null
}
