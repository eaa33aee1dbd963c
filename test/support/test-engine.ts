import { registerWorkers } from './plans.ts'
import { errorRecord } from '../../src/domain/error-record.ts'
import type { ClaimedJob, Job } from '../../src/domain/job.ts'
import type { EnqueueInput } from '../../src/domain/new-job.ts'
import type { Ended, Outcome, Policy } from '../../src/domain/outcome.ts'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { createEvents, type EngineEvents } from '../../src/engine/events.ts'
import { seededRandom } from '../../src/random.ts'
import type { ClaimRequest, Settled } from '../../src/store/port.ts'
import { capturedLog } from './captured-log.ts'
import { openTestStore, type TestStore, type TestStoreOptions } from './open-test-store.ts'
import type { JobDetail, WorkerRow } from '../../src/store/views.ts'

/** Waits that can be told by heart: 1 s, 2 s, 4 s … without jitter. */
export const plainPolicy: Policy = {
  retries: 3,
  backoff: { strategy: 'exponential', baseMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0 },
  onExhausted: 'incident',
}

export interface TestEngine extends TestStore {
  engine: Engine
  events: EngineEvents
  log: ReturnType<typeof capturedLog>
  /** Enqueues one job and answers its key. */
  add(input?: Partial<EnqueueInput>): Promise<number>
  /** Makes the worker's row, with a lease of `leaseMs` from now. */
  join(workerId: string, row?: Partial<WorkerRow> & { leaseMs?: number }): Promise<void>
  claim(
    request?: Partial<ClaimRequest> & { type?: string; timeoutMs?: number },
  ): Promise<readonly ClaimedJob[]>
  settle(job: Job, outcome: Outcome, over?: Partial<Ended>): Promise<Settled | undefined>
  detail(key: number): Promise<JobDetail>
}

export async function testEngine({
  seed = 1,
  ...options
}: TestStoreOptions & { seed?: number } = {}): Promise<TestEngine> {
  const opened = await openTestStore(options)
  const { store } = opened
  const events = createEvents((error) => {
    // Uncaught, so that the test fails: in a test a listener that throws is a fault.
    queueMicrotask(() => {
      throw error
    })
  })
  const engine = createEngine({ store, random: seededRandom(seed), events })
  return {
    ...opened,
    engine,
    events,
    log: capturedLog(),
    async add(input = {}) {
      const [enqueued] = await engine.enqueue([{ type: 'mail', variables: {}, ...input }])
      if (enqueued?.status === 'refused' || !enqueued)
        throw new Error(`not enqueued: ${JSON.stringify(enqueued)}`)
      return enqueued.key
    },
    async join(workerId, { leaseMs = 30_000, ...row } = {}) {
      const now = store.now()
      const defaults: WorkerRow = {
        id: workerId,
        label: workerId,
        pid: 1,
        host: 'test',
        startedAt: now,
        leaseUntil: now + leaseMs,
        state: 'running',
        concurrency: 10,
        types: ['mail'],
        quarantine: false,
      }
      await registerWorkers(store, [{ ...defaults, ...row }], now)
    },
    async claim({
      type = 'mail',
      timeoutMs = 300_000,
      workerId = 'w#1',
      limit = 10,
      suspects = false,
      types = [{ type, limit, timeoutMs, retries: 3 }],
    } = {}) {
      return (await engine.exchange({ ended: [], claim: { workerId, limit, suspects, types } })).claimed
    },
    async settle(job, outcome, over = {}) {
      const ended: Ended = { job, outcome, policy: plainPolicy, children: [], durationMs: 5, ...over }
      return (await engine.exchange({ ended: [ended] })).settled[0]
    },
    async detail(key) {
      const detail = await store.job(key)
      if (!detail) throw new Error(`there is no job ${key}`)
      return detail
    },
  }
}

export const outcomes = {
  success: (result?: unknown): Outcome =>
    result === undefined ? { kind: 'success' } : { kind: 'success', result: JSON.stringify(result) },
  fail: (message = 'boom', more: { delayMs?: number } = {}): Outcome => ({
    kind: 'fail',
    category: 'error',
    error: errorRecord(new Error(message)),
    ...more,
  }),
  lost: (): Outcome => ({ kind: 'lost', reason: 'worker_died', detail: 'its process was killed' }),
  defer: (until: number): Outcome => ({ kind: 'defer', until, reason: 'not yet', by: 'handler' }),
  poison: (message = 'cannot work'): Outcome => ({ kind: 'poison', error: errorRecord(new Error(message)) }),
  raised: (message = 'a person must look'): Outcome => ({
    kind: 'incident',
    incident: 'raised',
    error: errorRecord(new Error(message)),
  }),
  business: (code: string, declared = true): Outcome => ({
    kind: 'business_error',
    code,
    message: code,
    declared,
    error: errorRecord(new Error(code)),
  }),
  resultInvalid: (message = 'a BigInt cannot be stored'): Outcome => ({
    kind: 'result_invalid',
    error: errorRecord(new Error(message)),
  }),
  interrupted: (): Outcome => ({ kind: 'interrupted', reason: 'shutdown' }),
} as const
