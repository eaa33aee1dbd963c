/**
 * Runs one attempt of a handler as in production: through a real store (in memory), the runner and the table of
 * outcomes. Time stands still unless the test moves the clock.
 */
import { ownErrorRecord, type ErrorRecord } from '../domain/error-record.ts'
import { WfError } from '../errors.ts'
import type { IncidentKind } from '../domain/incident.ts'
import type { ClaimedJob, Job } from '../domain/job.ts'
import type { EnqueueInput } from '../domain/new-job.ts'
import type { Outcome, OutcomeKind } from '../domain/outcome.ts'
import { createEngine, type Engine } from '../engine/engine.ts'
import { createEvents } from '../engine/events.ts'
import { loggerOf, type LogFields, type LogLevel } from '../logger.ts'
import { seededRandom } from '../random.ts'
import type { Store } from '../store/port.ts'
import type { AbortKind } from '../worker/runner/abort-reason.ts'
import type { Handler } from '../worker/handler/define-handler.ts'
import { type AttemptEnd, Runner } from '../worker/runner/runner.ts'
import { createAttemptServices } from '../worker/runner/attempt-services.ts'
import { normaliseHandler } from '../worker/handler/handler-schema.ts'
import type { LoadedHandler } from '../worker/handler/loaded-handler.ts'
import { createFakeClock, type FakeClock } from './fake-clock.ts'
import { openMemoryStore } from './memory-store.ts'
import type { JobDetail } from '../store/views.ts'

export interface RunHandlerOptions extends Pick<EnqueueInput, 'retries' | 'deadline' | 'idempotencyKey'> {
  /** Number of the attempt; 1 … 100 (default: 1). Earlier attempts were interrupted. */
  attempt?: number
  /** Steps of `ctx.once` that earlier attempts left: with a result, or with an unknown outcome. */
  steps?: Readonly<Record<string, { result: unknown } | 'unknown'>>
  /** The test moves it, for example past a timeout: `await clock.advance(45_000)`. */
  clock?: FakeClock
  /** Aborts the handler's signal after this time on the clock. */
  abort?: { reason: AbortKind; inMs: number }
}

export interface HandlerRun<R> {
  /** `none`: the attempt was cancelled or lost its lease, so nothing is reported. */
  outcome: OutcomeKind | 'none'
  /** As read back from the store. */
  result: R | undefined
  error: ErrorRecord | null
  /** The job after the attempt: state, retries left, next start. */
  job: Job
  incident: IncidentKind | null
  /** The jobs that this attempt enqueued. */
  children: readonly { job: Job; variables: unknown }[]
  progress: readonly { fraction: number; note: string | null }[]
  /** Failures in `ctx.optional`. */
  degraded: readonly { feature: string; thrown: unknown }[]
  /** Steps of `ctx.once`; without a result if the outcome is unknown. */
  steps: readonly { step: string; result?: unknown }[]
  logs: readonly { level: LogLevel; message: string; fields: LogFields }[]
}

const workerId = 'runHandler#1'

/** Runs one attempt. Rejects with a WfError `invalid_handler` or `invalid_job`; all that the handler does is an outcome. */
export async function runHandler<V, R>(
  handler: Handler<V, R>,
  variables: object = {},
  options: RunHandlerOptions = {},
): Promise<HandlerRun<R>> {
  const { clock = createFakeClock(), attempt = 1, steps = {}, abort, ...job } = options
  const loaded = normaliseHandler(handler)
  const store = await openMemoryStore({ clock, random: seededRandom(1) })
  try {
    const engine = createEngine({ store, random: seededRandom(1), events: createEvents() })
    const claimed = await claim(engine, loaded, { input: { ...job, type: loaded.type, variables }, attempt })
    await leaveSteps(store, claimed, steps)
    const attemptRun = await execute({ engine, store, loaded, claimed, clock, abort })
    const { outcome } = attemptRun.end
    if (outcome) await settle(engine, attemptRun.end, outcome)
    return {
      ...(await reportOf<R>(engine, claimed.key, outcome)),
      progress: attemptRun.progress,
      degraded: attemptRun.degraded,
      logs: attemptRun.logs,
    }
  } finally {
    await store.close()
  }
}

async function claim(
  engine: Engine,
  loaded: LoadedHandler,
  { input, attempt }: { input: EnqueueInput; attempt: number },
): Promise<ClaimedJob> {
  if (!Number.isInteger(attempt) || attempt < 1 || attempt > 100) {
    throw new WfError('usage', `attempt is ${attempt}`, { hint: 'it is a whole number from 1 to 100' })
  }
  await engine.enqueue([input])
  const { type, timeoutMs, policy } = loaded
  const request = {
    workerId,
    limit: 1,
    suspects: false,
    types: [{ type, limit: 1, timeoutMs, retries: policy.retries }],
  }
  let [job] = (await engine.exchange({ ended: [], claim: request })).claimed
  while (job && job.attempt < attempt) {
    await settle(
      engine,
      { job, policy },
      { kind: 'interrupted', reason: 'an attempt before the one under test' },
    )
    job = (await engine.exchange({ ended: [], claim: request })).claimed[0]
  }
  if (!job) throw new WfError('unexpected', 'the job could not be claimed: is its deadline over?')
  return job
}

async function leaveSteps(
  store: Store,
  { key, attempt }: ClaimedJob,
  steps: NonNullable<RunHandlerOptions['steps']>,
): Promise<void> {
  const fence = { jobKey: key, attempt, workerId }
  for (const [step, state] of Object.entries(steps)) {
    await store.beginStep(fence, step, store.now())
    if (state !== 'unknown')
      await store.completeStep(fence, step, JSON.stringify(state.result ?? null), store.now())
  }
}

interface Execution {
  engine: Engine
  store: Store
  loaded: LoadedHandler
  claimed: ClaimedJob
  clock: FakeClock
  abort: RunHandlerOptions['abort']
}

async function execute({ engine, store, loaded, claimed, clock, abort }: Execution) {
  const { storeId } = await store.info()
  const progress: { fraction: number; note: string | null }[] = []
  const logs: { level: LogLevel; message: string; fields: LogFields }[] = []
  const log = loggerOf((level, message, { fields }) => void logs.push({ level, message, fields }))
  const degraded: { feature: string; thrown: unknown }[] = []
  engine.events.on('degraded', ({ feature, thrown }) => void degraded.push({ feature, thrown }))
  const handlers = new Map([[loaded.type, loaded]])
  const services = createAttemptServices({
    clock,
    random: seededRandom(1),
    log,
    events: engine.events,
    handlers,
    workerId,
    steps: store,
  })
  const end = await new Promise<AttemptEnd>((resolve) => {
    const runner = new Runner({
      clock,
      storeId,
      sizes: engine.sizes,
      now: () => store.now(),
      log,
      services,
      progress: ({ fraction, note }) => void progress.push({ fraction, note }),
      onEnd(over) {
        stopAbort()
        runner.close()
        resolve(over)
      },
    })
    const stopAbort = abort
      ? clock.after(abort.inMs, () => runner.abort(runner.running, abort.reason))
      : () => undefined
    runner.start(claimed, loaded)
  })
  return { end, progress, degraded, logs }
}

async function settle(
  engine: Engine,
  over: AttemptEnd | { job: ClaimedJob; policy: LoadedHandler['policy'] },
  outcome: Outcome,
): Promise<void> {
  const ended =
    'attempt' in over
      ? {
          job: over.attempt.job,
          policy: over.attempt.handler.policy,
          children: over.attempt.children,
          durationMs: over.durationMs,
        }
      : { ...over, children: [], durationMs: 0 }
  await engine.exchange({ ended: [{ ...ended, outcome }] })
}

async function reportOf<R>(
  engine: Engine,
  key: number,
  outcome: Outcome | null,
): Promise<Omit<HandlerRun<R>, 'progress' | 'degraded' | 'logs'>> {
  const detail = await detailOf(engine, key)
  const children = await Promise.all(detail.children.map((child) => detailOf(engine, child)))
  return {
    outcome: outcome?.kind ?? 'none',
    result: detail.result === null ? undefined : (JSON.parse(detail.result) as R),
    error: errorOf(outcome),
    job: detail.job,
    incident: detail.incidents.find(({ resolvedAt }) => resolvedAt === null)?.kind ?? null,
    steps: detail.steps.map(({ step, result }) =>
      result === null ? { step } : { step, result: JSON.parse(result) as unknown },
    ),
    children: children.map(({ job, variables }) => ({ job, variables: JSON.parse(variables) as unknown })),
  }
}

async function detailOf({ reader }: Engine, key: number): Promise<JobDetail> {
  const detail = await reader.job(key)
  if (!detail) throw new WfError('unexpected', `job ${key} is gone`)
  return detail
}

function errorOf(outcome: Outcome | null): ErrorRecord | null {
  if (!outcome) return null
  if ('error' in outcome) return outcome.error
  return outcome.kind === 'defer'
    ? ownErrorRecord({ name: 'DeferError', code: 'DEFERRED', message: outcome.reason })
    : null
}
