/**
 * Throughput, failures and durations of the last hour, from the workers' statistics. Past minutes are cached,
 * so that a refresh reads the last few only.
 */
import type { StatDelta } from '../domain/stat-delta.ts'
import { durationBucketsMs } from '../metrics/names.ts'
import type { StoreReader } from '../store/port.ts'

const minuteMs = 60_000
export const hourOfMinutes = 60
/** Workers write each second; on a locked store the last figures of a minute may arrive late. */
const lateMs = 2 * minuteMs

export interface MinuteFigures {
  /** Epoch ms of its start. */
  minute: number
  done: number
  failed: number
}

export interface TypeFigures {
  /** Succeeded and failed attempts within the hour. */
  done: number
  failed: number
  /** Upper ends of the buckets in which they lie, in ms; null where nothing ran, Infinity beyond the last. */
  p50Ms: number | null
  p95Ms: number | null
}

export interface Series {
  /** Oldest first, one for each of the last 60 minutes, the present one last. */
  minutes: readonly MinuteFigures[]
  byType: Readonly<Record<string, TypeFigures>>
}

export interface SeriesReader {
  read(now: number): Promise<Series>
}

/** Outcomes that count as failures; deferrals, interruptions and business errors don't. */
const failures = new Set(['fail', 'incident', 'poison', 'lost', 'result_invalid'])
const successes = new Set(['success', 'business_error'])

export function seriesReader(reader: Pick<StoreReader, 'stats'>): SeriesReader {
  const kept = new Map<number, readonly StatDelta[]>()
  let readTo = 0
  return {
    async read(now) {
      const present = now - (now % minuteMs)
      const first = present - (hourOfMinutes - 1) * minuteMs
      const from = Math.max(first, readTo - lateMs)
      const fresh = await reader.stats(from)
      for (const minute of kept.keys()) if (minute < first || minute >= from) kept.delete(minute)
      for (const [minute, rows] of grouped(fresh)) kept.set(minute, rows)
      readTo = present
      return { minutes: minutesOf(kept, first), byType: figuresOf([...kept.values()].flat()) }
    },
  }
}

function grouped(rows: readonly StatDelta[]): Map<number, StatDelta[]> {
  const minutes = new Map<number, StatDelta[]>()
  for (const row of rows) {
    const list = minutes.get(row.minute) ?? []
    list.push(row)
    minutes.set(row.minute, list)
  }
  return minutes
}

function minutesOf(kept: ReadonlyMap<number, readonly StatDelta[]>, first: number): readonly MinuteFigures[] {
  return Array.from({ length: hourOfMinutes }, (_, index) => {
    const minute = first + index * minuteMs
    const rows = kept.get(minute) ?? []
    return { minute, done: sumOf(rows, successes), failed: sumOf(rows, failures) }
  })
}

function sumOf(rows: readonly StatDelta[], outcomes: ReadonlySet<string>): number {
  return rows.reduce((sum, { outcome, count }) => sum + (outcomes.has(outcome) ? count : 0), 0)
}

function figuresOf(rows: readonly StatDelta[]): Readonly<Record<string, TypeFigures>> {
  const types = new Map<string, StatDelta[]>()
  for (const row of rows) {
    const list = types.get(row.type) ?? []
    list.push(row)
    types.set(row.type, list)
  }
  return Object.fromEntries(
    [...types].map(([type, own]) => [
      type,
      {
        done: sumOf(own, successes),
        failed: sumOf(own, failures),
        p50Ms: quantile(own, 0.5),
        p95Ms: quantile(own, 0.95),
      },
    ]),
  )
}

function quantile(rows: readonly StatDelta[], share: number): number | null {
  const ran = rows.filter(({ outcome }) => successes.has(outcome) || failures.has(outcome))
  const total = ran.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  const buckets = new Array<number>(durationBucketsMs.length + 1).fill(0)
  for (const { bucket, count } of ran) buckets[bucket] = (buckets[bucket] ?? 0) + count
  let seen = 0
  const at = buckets.findIndex((count) => {
    seen += count
    return seen >= total * share
  })
  return durationBucketsMs[at] ?? Number.POSITIVE_INFINITY
}
