/** Throughput, failures and run times in a window of time, computed from per-minute sums. */
import type { OutcomeKind } from '../domain/outcome.ts'
import { durationBucketsMs } from './names.ts'
import type { StoreReader } from '../store/port.ts'
import type { ActivityBy, AttemptTotal, StopTotal } from '../store/views.ts'

export interface ActivityWanted {
  windowMs: number
  by: ActivityBy
  types?: readonly string[]
  now: number
}

export interface ActivityGroup {
  /** The type, the outcome or incident kind, or the start of the minute in epoch ms. */
  group: string
  /** Attempts that completed or rejected their job. */
  completed: number
  /** Attempts that failed, opened an incident or were lost. */
  failed: number
  /** All attempts that ended, including deferred and interrupted ones. */
  attempts: number
  incidents: number
  deadLetters: number
  /** Median run time in ms of completed and failed attempts, interpolated within its bucket; null without any. */
  p50Ms: number | null
  p95Ms: number | null
  /** Completed jobs per minute. */
  perMinute: number
}

export interface Activity {
  /** Epoch ms: the start of the first minute. */
  since: number
  minutes: number
  groups: readonly ActivityGroup[]
}

const minuteMs = 60_000
const successes: ReadonlySet<OutcomeKind> = new Set<OutcomeKind>(['success', 'business_error'])
const failures: ReadonlySet<OutcomeKind> = new Set<OutcomeKind>([
  'fail',
  'incident',
  'poison',
  'lost',
  'result_invalid',
])

export async function readActivity(
  reader: Pick<StoreReader, 'attemptTotals' | 'stopTotals'>,
  { windowMs, by, types, now }: ActivityWanted,
): Promise<Activity> {
  const first = now - windowMs
  const since = first - (((first % minuteMs) + minuteMs) % minuteMs)
  const query = { since, by, ...(types === undefined ? {} : { types }) }
  const [attempts, stops] = [await reader.attemptTotals(query), await reader.stopTotals(query)]
  const minutes = Math.max(1, (now - since) / minuteMs)
  const names = new Set([...attempts, ...stops].map(({ group }) => group))
  const groups = [...names].map((group) =>
    groupOf(group, { attempts, stops, minutes: by === 'minute' ? 1 : minutes }),
  )
  return {
    since,
    minutes,
    groups:
      by === 'minute'
        ? sortedBy(groups, ({ group }) => Number(group))
        : sortedBy(groups, ({ attempts }) => -attempts),
  }
}

function sortedBy(
  groups: readonly ActivityGroup[],
  rank: (group: ActivityGroup) => number,
): readonly ActivityGroup[] {
  return [...groups].sort((a, b) => rank(a) - rank(b) || (a.group < b.group ? -1 : 1))
}

interface Totals {
  attempts: readonly AttemptTotal[]
  stops: readonly StopTotal[]
  minutes: number
}

function groupOf(group: string, { attempts, stops, minutes }: Totals): ActivityGroup {
  const own = attempts.filter((total) => total.group === group)
  const stop = stops.find((total) => total.group === group)
  const sum = (outcomes?: ReadonlySet<OutcomeKind>) =>
    own.reduce((total, { outcome, count }) => total + (!outcomes || outcomes.has(outcome) ? count : 0), 0)
  const ran = own.filter(({ outcome }) => successes.has(outcome) || failures.has(outcome))
  const completed = sum(successes)
  return {
    ...{ group, completed, failed: sum(failures), attempts: sum() },
    ...{ incidents: stop?.incidents ?? 0, deadLetters: stop?.deadLetters ?? 0 },
    ...{ p50Ms: quantile(ran, 0.5), p95Ms: quantile(ran, 0.95), perMinute: completed / minutes },
  }
}

/** Interpolates within a bucket, as Prometheus does; in the unbounded last bucket returns its lower end. Null without values. */
export function quantile(
  totals: readonly Pick<AttemptTotal, 'bucket' | 'count'>[],
  share: number,
): number | null {
  const buckets = new Array<number>(durationBucketsMs.length + 1).fill(0)
  for (const { bucket, count } of totals) buckets[bucket] = (buckets[bucket] ?? 0) + count
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = total * share
  let seen = 0
  for (const [index, count] of buckets.entries()) {
    const low = durationBucketsMs[index - 1] ?? 0
    const high = durationBucketsMs[index]
    if (count > 0 && seen + count >= wanted)
      return high === undefined ? low : low + ((high - low) * (wanted - seen)) / count
    seen += count
  }
  return durationBucketsMs.at(-1) ?? null
}
