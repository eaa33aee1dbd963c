/** Names of the metrics as the outside world knows them. They never change; what is new gets a new name. */
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
} as const

/** Stored counters behind the histogram: one a bucket (not cumulative) and the sum. */
export const durationBucket = `${metrics.duration}_bucket`
export const durationSum = `${metrics.duration}_sum`

/** Upper ends of the buckets of a handler's run time, in ms; what is longer falls into one more bucket at the end. */
export const durationBucketsMs = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
] as const

/** JSON text with sorted keys: the form in which a store tells counters apart. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1))),
  )
}
