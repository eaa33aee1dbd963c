/** Counts attempts by minute, type, outcome and duration. Adding one costs two array writes. */
import type { OutcomeKind } from '../domain/outcome.ts'
import type { StatDelta } from '../domain/stat-delta.ts'
import { durationBucketsMs } from './names.ts'

const outcomes: readonly OutcomeKind[] = [
  'success',
  'fail',
  'defer',
  'incident',
  'poison',
  'business_error',
  'interrupted',
  'lost',
  'result_invalid',
]
const rowOf = new Map(outcomes.map((outcome, index) => [outcome, index]))
const buckets = durationBucketsMs.length + 1
const minuteMs = 60_000

interface TypeTotals {
  counts: Float64Array
  sumsMs: Float64Array
}

export interface AttemptTotals {
  add(attempt: { type: string; outcome: OutcomeKind; durationMs: number; at: number }): void
  /** Returns what was added since the last call. */
  take(): readonly StatDelta[]
}

export function createAttemptTotals(): AttemptTotals {
  let types = new Map<string, TypeTotals>()
  let minute = 0
  let earlier: StatDelta[] = []

  const startMinute = (next: number) => {
    earlier.push(...deltasOf(types, minute))
    types = new Map()
    minute = next
  }
  return {
    add({ type, outcome, durationMs, at }) {
      const atMinute = Math.floor(at / minuteMs) * minuteMs
      if (atMinute !== minute) startMinute(atMinute)
      const totals = types.get(type) ?? emptyTotals()
      if (!types.has(type)) types.set(type, totals)
      const cell = (rowOf.get(outcome) ?? 0) * buckets + bucketOf(durationMs)
      totals.counts[cell] = (totals.counts[cell] ?? 0) + 1
      totals.sumsMs[cell] = (totals.sumsMs[cell] ?? 0) + Math.max(0, durationMs)
    },
    take() {
      startMinute(minute)
      const taken = earlier
      earlier = []
      return taken
    },
  }
}

/** Returns the index of the first bucket that the duration fits. */
export function bucketOf(durationMs: number): number {
  const index = durationBucketsMs.findIndex((upTo) => durationMs <= upTo)
  return index === -1 ? durationBucketsMs.length : index
}

function emptyTotals(): TypeTotals {
  const cells = outcomes.length * buckets
  return { counts: new Float64Array(cells), sumsMs: new Float64Array(cells) }
}

function deltasOf(types: ReadonlyMap<string, TypeTotals>, minute: number): StatDelta[] {
  const deltas: StatDelta[] = []
  for (const [type, { counts, sumsMs }] of types) {
    for (const [cell, count] of counts.entries()) {
      const outcome = outcomes[Math.floor(cell / buckets)]
      if (count > 0 && outcome)
        deltas.push({ minute, type, outcome, bucket: cell % buckets, count, sumMs: sumsMs[cell] ?? 0 })
    }
  }
  return deltas
}
