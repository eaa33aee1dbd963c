/** A run of workers from its first line to its last: the log, the signals, the run itself, and how it ended. */
import type { Clock } from '../../clock.ts'
import { createEngine } from '../../engine/engine.ts'
import { createEvents } from '../../engine/events.ts'
import { createSweeper } from '../../engine/sweeper.ts'
import { isEmpty, type LeftBehind } from '../../engine/drained.ts'
import type { Logger } from '../../logger.ts'
import { createStats } from '../../metrics/stats.ts'
import { systemRandom } from '../../random.ts'
import type { WfError } from '../../errors.ts'
import type { Store } from '../../store/port.ts'
import { onSignals } from '../../worker/signals.ts'
import { count, sumOf, type OutcomeCounts } from '../../worker/outcome-counts.ts'
import { reportError } from '../errors.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Output } from '../../terminal/output.ts'
import { exitCodeOf, tellEnd } from './run-end.ts'
import { openWorkLog } from './run-log.ts'
import type { Run, RunParts, WorkOptions } from './run-options.ts'

export async function work({
  store,
  clock,
  output,
  ...options
}: WorkOptions & { store: Store; clock: Clock; output: Output }): Promise<ExitCode> {
  const startedAt = clock.monotonic()
  const { log, close } = await openWorkLog(output, { clock, logLevel: options.logLevel })
  if (options.config.durability === 'process')
    log.warn("durability is 'process': a power cut can lose the last commits (a crash of a process can't)")
  const left: LeftBehind[] = []
  const unattempted: OutcomeCounts = {}
  try {
    const parts = {
      ...(await partsOf({ store, clock, log, left, unattempted, options })),
      report: (error: WfError) => reportError(error, output, 'run-worker'),
    }
    const metrics = options.metricsPort === null ? null : await openMetrics(options.metricsPort, parts)
    const run = await startRun(parts)
    const release = onSignals(process, clock, run)
    try {
      const ended = await run.ended
      const end = { ...ended, counts: sumOf([ended.counts, unattempted]) }
      tellEnd(log, { end, left, seconds: (clock.monotonic() - startedAt) / 1000, suffix: options.suffix })
      return exitCodeOf(end, options)
    } finally {
      release()
      metrics?.close()
    }
  } finally {
    await close()
  }
}

/** Neither way loads what only the other needs. */
async function startRun(parts: RunParts): Promise<Run> {
  if (!parts.inline) return (await import('./run-supervised.ts')).superviseRun(parts)
  return (await import('./run-inline.ts')).runInline(parts)
}

interface Given {
  store: Store
  clock: Clock
  log: Logger
  /** Filled with what an --until-empty run leaves. */
  left: LeftBehind[]
  /** Filled with what stopped during an --until-empty run without an attempt: jobs whose deadline passed. */
  unattempted: OutcomeCounts
  options: WorkOptions
}

async function partsOf({
  store,
  clock,
  log,
  left,
  unattempted,
  options,
}: Given): Promise<Omit<RunParts, 'report'>> {
  const events = createEvents()
  const stops = new Map<string, number>()
  events.on('stopped', ({ jobs }) => {
    for (const { type } of jobs) stops.set(type, (stops.get(type) ?? 0) + 1)
  })
  const engine = createEngine({ store, random: systemRandom, events, sizes: options.config.sizes })
  const { renewalMs, sweepMs, retention } = options.config
  const { location, storeId } = await store.info()
  const look = async (types: readonly string[]) => {
    const found = await isEmpty(store, types, store.now())
    if (!found.empty) return false
    left.push(...found.left)
    for (const type of types) count(unattempted, 'failed', stops.get(type) ?? 0)
    return true
  }
  return {
    ...options,
    engine,
    clock,
    log,
    place: location,
    storeId,
    upkeep: [
      createSweeper({ engine, clock, log, sweepMs, renewalMs, retention }),
      createStats({ events, store, clock, log }),
    ],
    isEmpty: options.untilEmpty ? look : null,
  }
}

async function openMetrics(port: number, { engine, log }: RunParts) {
  const [{ serveMetrics }, { prometheusText, prometheusContentType }] = await Promise.all([
    import('../../worker/metrics-server.ts'),
    import('../../metrics/prometheus.ts'),
  ])
  const { reader } = engine
  const server = await serveMetrics(port, {
    contentType: prometheusContentType,
    text: () => prometheusText(reader, reader.now()),
  })
  log.info(`metrics on http://127.0.0.1:${server.port}/metrics`)
  return server
}
