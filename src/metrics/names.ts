/** Every metric as Prometheus reads it. Names never change; a new meaning gets a new name. docs/metrics.md is generated from `catalogue`. */
export const metrics = {
  handled: 'wf_worker_jobs_handled_total',
  duration: 'wf_worker_job_duration_seconds',
  retries: 'wf_worker_retries_total',
  breakerState: 'wf_worker_circuit_breaker_state',
  backpressure: 'wf_worker_backpressure_events_total',
  panics: 'wf_worker_panics_total',
  idempotencyHits: 'wf_worker_idempotency_cache_hits_total',
  degraded: 'wf_worker_degraded_total',
  unresponsive: 'wf_worker_unresponsive_seconds_total',
  jobs: 'wf_jobs',
  oldestDue: 'wf_oldest_due_seconds',
  openIncidents: 'wf_open_incidents',
  deadLetters: 'wf_dead_letters',
  paused: 'wf_type_paused',
  workers: 'wf_workers',
} as const

export type MetricName = (typeof metrics)[keyof typeof metrics]

export interface MetricInfo {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}

/** In the order of the exposition. */
export const catalogue: Readonly<Record<MetricName, MetricInfo>> = {
  [metrics.handled]: {
    kind: 'counter',
    labels: ['type', 'outcome'],
    help: 'Attempts that ended, by outcome: success, fail, bpmn_error, incident, poison.',
  },
  [metrics.retries]: {
    kind: 'counter',
    labels: ['type', 'dependency'],
    help: 'Repeated calls of a dependency within an attempt.',
  },
  [metrics.backpressure]: {
    kind: 'counter',
    labels: ['type', 'reason'],
    help: 'Jobs deferred by a dependency, by reason: breaker, bulkhead, retry_after.',
  },
  [metrics.panics]: {
    kind: 'counter',
    labels: ['type'],
    help: 'Uncaught errors that ended a worker process.',
  },
  [metrics.idempotencyHits]: {
    kind: 'counter',
    labels: ['type'],
    help: 'Steps whose stored result was used instead of running them again.',
  },
  [metrics.degraded]: {
    kind: 'counter',
    labels: ['worker', 'feature'],
    help: 'Optional features that failed.',
  },
  [metrics.unresponsive]: {
    kind: 'counter',
    labels: ['worker'],
    help: 'Seconds in which a worker process did not answer because a handler blocked its event loop.',
  },
  [metrics.duration]: { kind: 'histogram', labels: ['type'], help: 'Run time of handlers.' },
  [metrics.jobs]: { kind: 'gauge', labels: ['type', 'state'], help: 'Unfinished jobs by state.' },
  [metrics.oldestDue]: {
    kind: 'gauge',
    labels: ['type'],
    help: 'How long the oldest due job has been waiting to start.',
  },
  [metrics.openIncidents]: {
    kind: 'gauge',
    labels: ['type'],
    help: 'Failed jobs, each with an open incident.',
  },
  [metrics.deadLetters]: {
    kind: 'gauge',
    labels: ['type'],
    help: 'Dead jobs, each with an open dead letter.',
  },
  [metrics.paused]: { kind: 'gauge', labels: ['type'], help: '1 while the type is paused.' },
  [metrics.workers]: { kind: 'gauge', labels: [], help: 'Workers with a living lease.' },
  [metrics.breakerState]: {
    kind: 'gauge',
    labels: ['breaker'],
    help: 'Breakers of dependencies: 0 closed, 1 half-open, 2 open.',
  },
}

/** Stored counters behind the histogram: one for each bucket (not cumulative) and the sum. */
export const durationBucket = `${metrics.duration}_bucket`
export const durationSum = `${metrics.duration}_sum`

/** Upper bounds of the buckets of a handler's run time, in ms; one more bucket takes what is longer. */
export const durationBucketsMs = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
] as const

/** Returns JSON text with sorted keys, by which a store identifies a counter. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1))),
  )
}
