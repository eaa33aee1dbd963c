/**
 * Prometheus text exposition (format 0.0.4): the counters that all processes of a store have written, and gauges of its
 * current state. Reads only. Any process of the store returns the same text, also after a restart.
 */
import type { NamedBreaker } from '../domain/breaker-row.ts'
import type { CounterDelta } from '../domain/stat-delta.ts'
import { escapeText } from '../text/escape.ts'
import type { StoreReader } from '../store/port.ts'
import {
  catalogue,
  durationBucket,
  durationBucketsMs,
  durationSum,
  type MetricName,
  metrics,
} from './names.ts'
import type { TypeView, WorkerView } from '../store/views.ts'

export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string>>

interface Sample {
  /** Follows the metric's name: `_bucket`, `_sum`, `_count`. */
  suffix?: string
  labels: Labels
  value: number
}

interface Metric {
  name: MetricName
  samples: readonly Sample[]
}

/** @param now epoch ms by the store's clock */
export async function prometheusText(
  reader: Pick<StoreReader, 'counters' | 'types' | 'workers' | 'breakers'>,
  now: number,
): Promise<string> {
  const [counters, types, workers, breakers] = await Promise.all([
    reader.counters(),
    reader.types(now),
    reader.workers(now),
    reader.breakers(),
  ])
  const living = workers.filter((worker) => worker.leaseUntil > now)
  const parsed = counters.map((counter) => ({ ...counter, labels: labelsOf(counter) }))
  const all = [
    ...plainCounters(parsed),
    durations(parsed),
    ...gauges(types, now),
    { name: metrics.workers, samples: [{ labels: {}, value: living.length }] },
    breakersGauge(breakers, living, now),
  ]
  return all
    .filter((metric) => metric.samples.length > 0)
    .map(textOf)
    .join('')
}

type Counter = Omit<CounterDelta, 'labels'> & { labels: Labels }

function plainCounters(counters: readonly Counter[]): Metric[] {
  return Object.values(metrics)
    .filter((name) => catalogue[name].kind === 'counter')
    .map((name) => ({ name, samples: counters.filter((counter) => counter.metric === name) }))
}

function durations(counters: readonly Counter[]): Metric {
  const sums = counters.filter(({ metric }) => metric === durationSum)
  const samples = sums.flatMap(({ labels, value }): Sample[] => {
    const { type = '' } = labels
    const own = new Map(
      counters
        .filter((each) => each.metric === durationBucket && each.labels['type'] === type)
        .map((each) => [each.labels['le'], each.value]),
    )
    let count = 0
    const buckets = [...durationBucketsMs.map((ms) => String(ms / 1000)), '+Inf'].map((le): Sample => {
      count += own.get(le) ?? 0
      return { suffix: '_bucket', labels: { type, le }, value: count }
    })
    return [
      ...buckets,
      { suffix: '_sum', labels: { type }, value },
      { suffix: '_count', labels: { type }, value: count },
    ]
  })
  return { name: metrics.duration, samples }
}

function gauges(types: readonly TypeView[], now: number): Metric[] {
  const gauge = (name: MetricName, value: (view: TypeView) => number): Metric => ({
    name,
    samples: types.map((view) => ({ labels: { type: view.type }, value: value(view) })),
  })
  const states = ['available', 'waiting', 'running'] as const
  const depth = types.flatMap(({ type, counts }) =>
    states.map((state): Sample => ({ labels: { type, state }, value: counts[state] ?? 0 })),
  )
  return [
    { name: metrics.jobs, samples: depth },
    gauge(metrics.oldestDue, ({ oldestDueAt }) =>
      oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1000,
    ),
    gauge(metrics.openIncidents, ({ counts }) => counts.failed ?? 0),
    gauge(metrics.deadLetters, ({ counts }) => counts.dead ?? 0),
    gauge(metrics.paused, ({ pausedAt }) => (pausedAt === null ? 0 : 1)),
  ]
}

/** An open breaker past its expiry counts as half-open. Of process-local breakers of one name the worst state counts. */
function breakersGauge(shared: readonly NamedBreaker[], living: readonly WorkerView[], now: number): Metric {
  const levels = { closed: 0, half_open: 1, open: 2 } as const
  const worst = new Map<string, number>()
  for (const { name, mode, expiresAt } of [...shared, ...living.flatMap(({ breakers = [] }) => breakers)]) {
    const isOver = mode === 'open' && expiresAt !== null && expiresAt <= now
    worst.set(name, Math.max(worst.get(name) ?? 0, levels[isOver ? 'half_open' : mode]))
  }
  const samples = [...worst].map(([breaker, value]) => ({ labels: { breaker }, value }))
  return { name: metrics.breakerState, samples }
}

/** Labels come from handlers: untrusted data. */
function labelsOf({ labels }: CounterDelta): Labels {
  try {
    const parsed: unknown = JSON.parse(labels)
    if (typeof parsed !== 'object' || parsed === null) return {}
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}

function textOf({ name, samples }: Metric): string {
  const { kind, help } = catalogue[name]
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelList(labels)} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
}

function labelList(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name.replace(/[^a-zA-Z0-9_]/g, '_')}="${escaped(value)}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** Control characters become the text of their escapes, since people read the page in a terminal too. */
function escaped(value: string): string {
  return escapeText(value, { lines: true })
    .replaceAll('\t', '\\t')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
}
