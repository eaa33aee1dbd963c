/** What a worker has counted since it last told the store, which adds it up. */

export interface StatDelta {
  /** Epoch ms of the start of the minute. */
  minute: number
  type: string
  outcome: string
  /** Index into `durationBucketsMs` (metrics/names.ts). */
  bucket: number
  count: number
  sumMs: number
}

export interface CounterDelta {
  metric: string
  /** JSON text of an object of strings, keys sorted. */
  labels: string
  value: number
}
