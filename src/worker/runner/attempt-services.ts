/**
 * What the handlers of one worker share behind `ctx.call`, `ctx.optional` and `ctx.once`: its dependencies, the store of
 * steps, and who counts and tells what happens to them. It must not know attempts, claims and processes.
 */
import type { WorkerWrites } from '../../engine/worker-writes.ts'
import type { Clock } from '../../clock.ts'
import type { Job } from '../../domain/job.ts'
import type { EngineEvents } from '../../engine/events.ts'
import type { Logger } from '../../logger.ts'
import type { Random } from '../../random.ts'
import type { BreakerChange, SharedBreaker } from '../../resilience/circuit-breaker.ts'
import { Dependencies, type HandlerDependencies } from '../../resilience/dependencies.ts'
import { DegradedLog, logBreaker } from '../breakers/breaker-log.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'

/** The part of a store that keeps what `ctx.once` has done. */
export type StepStore = WorkerWrites['steps']

export interface AttemptServices {
  readonly dependencies: Dependencies
  /** What a handler declares, by its type. */
  readonly declared: ReadonlyMap<string, HandlerDependencies>
  readonly steps: StepStore
  /** A call is about to be tried again. */
  retried(job: Job, dependency: string): void
  /** An optional step failed. */
  degraded(job: Job, feature: string, thrown: unknown): void
  /** A step's result was there already. */
  remembered(job: Job, step: string): void
  /** An earlier attempt began the step and did not say how it ended. */
  unknown(job: Job, step: string): void
}

export interface AttemptServicesOptions {
  clock: Clock
  random: Random
  log: Logger
  events: EngineEvents
  handlers: ReadonlyMap<string, LoadedHandler>
  /** `label#incarnation`. */
  workerId: string
  /** What metrics call the worker; its id without the incarnation unless told. */
  countedAs?: string
  steps: StepStore
  /** Returns the row of a breaker that all workers share. Absent: every breaker is local to the process. */
  sharedBreaker?: (name: string) => SharedBreaker
  onBreaker?: (change: BreakerChange) => void
}

/** Throws WfError `invalid_handler` where two handlers say different things about a dependency that they share. */
export function createAttemptServices({
  clock,
  random,
  log,
  events,
  handlers,
  workerId,
  steps,
  sharedBreaker,
  ...options
}: AttemptServicesOptions): AttemptServices {
  const onChange = (change: BreakerChange) => {
    logBreaker(log, change)
    options.onBreaker?.(change)
  }
  const dependencies = new Dependencies({ clock, random, onChange, ...(sharedBreaker && { sharedBreaker }) })
  const declared = new Map(
    [...handlers.values()].map((handler) => [
      handler.type,
      dependencies.declare(handler.type, handler.dependencies),
    ]),
  )
  const degradedLog = new DegradedLog(clock, log)
  // Without the incarnation: a counter is kept for as long as the store, and workers come and go.
  const worker = options.countedAs ?? workerId.replace(/#.*$/s, '')
  const count = (metric: string, labels: Readonly<Record<string, string>>) =>
    events.emit('counted', { metric, labels, value: 1 })
  return {
    dependencies,
    declared,
    steps,
    retried: ({ type }, dependency) => count('wf_worker_retries_total', { type, dependency }),
    degraded(job, feature, thrown) {
      count('wf_worker_degraded_total', { worker, feature })
      events.emit('degraded', { jobKey: job.key, type: job.type, attempt: job.attempt, feature, thrown })
      degradedLog.failed(job, feature, thrown)
    },
    remembered: ({ type }) => count('wf_worker_idempotency_cache_hits_total', { type }),
    unknown({ key, type, attempt }, step) {
      const words = `job ${key} (${type}) attempt ${attempt}: an earlier attempt began the step ${step} and did not say how it ended: it may have taken effect`
      log.warn(words, { job: key, type, attempt, step })
    },
  }
}
