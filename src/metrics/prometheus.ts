/**
 * Prometheus text exposition (format 0.0.4): the counters that all processes of a store have written, and gauges of how
 * it stands now. Reads only. Any process of the store answers the same, and the same again after a restart.
 */
import type { NamedBreaker } from '../domain/breaker-row.ts'
import type { CounterDelta } from '../domain/stat-delta.ts'
import { escapeText } from '../text/escape.ts'
import type { StoreReader } from '../store/port.ts'
import { durationBucket, durationBucketsMs, durationSum, metrics } from './names.ts'
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
  name: string
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  samples: readonly Sample[]
}

const counterHelp: Readonly<Record<string, string>> = {
  [metrics.handled]: 'Attempts that came to an end, by outcome.',
  [metrics.retries]: 'Calls of a dependency that were tried again within an attempt.',
  [metrics.backpressure]: 'Attempts put off because something was full or closed.',
  [metrics.panics]: 'Errors that no handler caught and that cost a worker process.',
  [metrics.idempotencyHits]: 'Steps whose remembered result was used instead of running them again.',
  [metrics.degraded]: 'Optional features that failed.',
  [metrics.unresponsive]:
    'Seconds in which a worker process did not answer, because a handler blocked its event loop.',
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
    workersGauge(living.length),
    breakersGauge(breakers, living, now),
  ]
  return all
    .filter((metric) => metric.samples.length > 0)
    .map(textOf)
    .join('')
}

type Counter = Omit<CounterDelta, 'labels'> & { labels: Labels }

function plainCounters(counters: readonly Counter[]): Metric[] {
  return Object.entries(counterHelp).map(([name, help]) => {
    const samples = counters.filter((counter) => counter.metric === name)
    return { name, kind: 'counter', help, samples }
  })
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
  return { name: metrics.duration, kind: 'histogram', help: 'Run time of handlers.', samples }
}

function gauges(types: readonly TypeView[], now: number): Metric[] {
  const gauge = (name: string, help: string, value: (view: TypeView) => number): Metric => {
    const samples = types.map((view) => ({ labels: { type: view.type }, value: value(view) }))
    return { name, kind: 'gauge', help, samples }
  }
  const states = ['available', 'waiting', 'running'] as const
  const depth = types.flatMap(({ type, counts }) =>
    states.map((state): Sample => ({ labels: { type, state }, value: counts[state] ?? 0 })),
  )
  return [
    { name: 'wf_jobs', kind: 'gauge', help: 'Unfinished jobs by state.', samples: depth },
    gauge(
      'wf_oldest_due_seconds',
      'How long the oldest due job has been waiting to start.',
      ({ oldestDueAt }) => (oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1000),
    ),
    gauge(
      'wf_open_incidents',
      'Jobs that stopped and wait for a person.',
      ({ counts }) => counts.failed ?? 0,
    ),
    gauge('wf_dead_letters', 'Jobs that were given up and set aside.', ({ counts }) => counts.dead ?? 0),
    gauge('wf_type_paused', '1 while no job of the type starts.', ({ pausedAt }) =>
      pausedAt === null ? 0 : 1,
    ),
  ]
}

function workersGauge(living: number): Metric {
  return {
    name: 'wf_workers',
    kind: 'gauge',
    help: 'Worker processes with a living lease.',
    samples: [{ labels: {}, value: living }],
  }
}

/** An opening that is over is half-open, whether or not anybody has asked since. Of breakers that workers have for themselves the worst counts. */
function breakersGauge(shared: readonly NamedBreaker[], living: readonly WorkerView[], now: number): Metric {
  const levels = { closed: 0, half_open: 1, open: 2 } as const
  const worst = new Map<string, number>()
  for (const { name, mode, expiresAt } of [...shared, ...living.flatMap(({ breakers = [] }) => breakers)]) {
    const isOver = mode === 'open' && expiresAt !== null && expiresAt <= now
    worst.set(name, Math.max(worst.get(name) ?? 0, levels[isOver ? 'half_open' : mode]))
  }
  const samples = [...worst].map(([breaker, value]) => ({ labels: { breaker }, value }))
  return {
    name: metrics.breakerState,
    kind: 'gauge',
    help: 'Breakers of dependencies: 0 closed, 1 half-open, 2 open.',
    samples,
  }
}

/** Labels come from handlers: read as data, never trusted to be what was written. */
function labelsOf({ labels }: CounterDelta): Labels {
  try {
    const parsed: unknown = JSON.parse(labels)
    if (typeof parsed !== 'object' || parsed === null) return {}
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}

function textOf({ name, kind, help, samples }: Metric): string {
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

/** What a terminal would obey becomes the text of its escape: the page is read by people as well. */
function escaped(value: string): string {
  return escapeText(value, { lines: true })
    .replaceAll('\t', '\\t')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
}
