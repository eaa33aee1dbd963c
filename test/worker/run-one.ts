/** One attempt on the real runner, a fake clock and no store. */
import { defaultSizes, type ClaimedJob, type SizeLimits } from '../../src/domain/job.ts'
import type { Outcome } from '../../src/domain/outcome.ts'
import type { LogFields, Logger } from '../../src/logger.ts'
import { createEvents, type EngineEvents } from '../../src/engine/events.ts'
import { seededRandom } from '../../src/random.ts'
import type { Progress } from '../../src/store/port.ts'
import { createFakeClock, type FakeClock } from '../../src/testing/fake-clock.ts'
import type { Attempt } from '../../src/worker/runner/attempt.ts'
import { type AttemptEnd, Runner } from '../../src/worker/runner/runner.ts'
import {
  createAttemptServices,
  type AttemptServicesOptions,
} from '../../src/worker/runner/attempt-services.ts'
import { normaliseHandler } from '../../src/worker/handler/handler-schema.ts'
import { MemorySteps } from './memory-steps.ts'

export interface LogLine extends LogFields {
  level: string
  message: string
}

/** A logger that keeps its lines. */
export function keepingLogger(lines: LogLine[] = [], fields: LogFields = {}): Logger & { lines: LogLine[] } {
  const at = (level: string) => (message: string, more?: LogFields) =>
    void lines.push({ level, message, ...fields, ...more })
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => keepingLogger(lines, { ...fields, ...more }),
  }
}

export function claimedJob(job: Partial<ClaimedJob> = {}): ClaimedJob {
  return {
    key: 12,
    type: 'a',
    state: 'running',
    waitReason: null,
    priority: 0,
    runAt: 0,
    retries: 3,
    retriesGiven: false,
    enqueuedRetries: 3,
    attempt: 1,
    failures: 0,
    crashes: 0,
    deferrals: 0,
    deferringSince: null,
    workerId: 'w#1',
    startedAt: 0,
    runUntil: 1,
    deadlineAt: null,
    createdAt: 0,
    finishedAt: null,
    parentKey: null,
    variables: '{}',
    effectsEpoch: 0,
    ...job,
  }
}

export interface Bench {
  clock: FakeClock
  runner: Runner
  events: EngineEvents
  steps: MemorySteps
  ends: AttemptEnd[]
  log: ReturnType<typeof keepingLogger>
  progress: Progress[]
  /** What was counted: metric and labels, and how often. */
  counts: Map<string, number>
  /** Starts an attempt of `handler` (its type may be left out); a handler of the same object keeps its dependencies. */
  start(handler: object, job?: Partial<ClaimedJob>): Attempt
  /** The outcome of the only attempt that has ended; fails when there are none or several. */
  outcome(): Outcome | null
}

export interface BenchOptions extends Pick<AttemptServicesOptions, 'sharedBreaker'> {
  sizes?: SizeLimits
  /** All that will be started, when they declare dependencies. */
  handlers?: readonly object[]
}

export function bench({ sizes = defaultSizes, handlers = [], ...more }: BenchOptions = {}): Bench {
  const clock = createFakeClock()
  const ends: AttemptEnd[] = []
  const progress: Progress[] = []
  const log = keepingLogger()
  const events = createEvents()
  const steps = new MemorySteps(clock)
  const counts = new Map<string, number>()
  events.on('counted', ({ metric, labels, value }) => {
    const name = [metric, ...Object.values(labels)].join(' ')
    counts.set(name, (counts.get(name) ?? 0) + value)
  })
  const loaded = new Map(handlers.map((handler) => [handler, normaliseHandler({ type: 'a', ...handler })]))
  const byType = new Map([...loaded.values()].map((handler) => [handler.type, handler]))
  const services = createAttemptServices({
    clock,
    random: seededRandom(1),
    log,
    events,
    handlers: byType,
    workerId: 'w#1',
    steps,
    ...more,
  })
  const runner = new Runner({
    clock,
    now: clock.now,
    log,
    storeId: 'store-1',
    sizes,
    services,
    progress: (told) => void progress.push(told),
    onEnd: (end) => void ends.push(end),
  })
  return {
    clock,
    runner,
    events,
    steps,
    ends,
    log,
    progress,
    counts,
    start: (handler, job) =>
      runner.start(claimedJob(job), loaded.get(handler) ?? normaliseHandler({ type: 'a', ...handler })),
    outcome() {
      const [end, another] = ends
      if (!end || another) throw new Error(`${ends.length} attempts have ended, not one`)
      return end.outcome
    },
  }
}

/** Runs one attempt whose handler settles by itself. */
export async function outcomeOf(
  handler: object,
  job?: Partial<ClaimedJob>,
  sizes?: SizeLimits,
): Promise<Outcome | null> {
  const { start, clock, outcome } = bench(sizes === undefined ? {} : { sizes })
  start(handler, job)
  await clock.settle()
  return outcome()
}
