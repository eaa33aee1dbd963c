/** A store with workers and jobs, moved by a test through the port alone: what decides is the domain, as in production. */
import { exchange, registerWorkers, resolveJobs } from './plans.ts'
import { expect } from 'vitest'
import { decide } from '../../src/domain/decide.ts'
import type { BreakerChange } from '../../src/engine/plans/breakers.ts'
import { errorRecord } from '../../src/domain/error-record.ts'
import type { ChildJob, ClaimedJob, Job, JobState } from '../../src/domain/job.ts'
import { newJob, type EnqueueInput } from '../../src/domain/new-job.ts'
import type { Outcome, Policy, Settlement } from '../../src/domain/outcome.ts'
import type { Applied, Resolution } from '../../src/domain/resolution.ts'
import { seededRandom } from '../../src/random.ts'
import type { ClaimRequest, Enqueued, Settled, Store } from '../../src/store/port.ts'
import type { FakeClock } from '../../src/testing/fake-clock.ts'
import type { JobDetail, WorkerRow } from '../../src/store/views.ts'

/** What a suite is given for each test: a fresh, empty store. */
export interface OpenedStore {
  store: Store
  clock: FakeClock
  /** Another connection to the same store; null where there can be none. Closed with the first. */
  another: (() => Promise<Store>) | null
  /** Sentences about what must hold in the store and does not. */
  faults(): string[]
}

export const plainPolicy: Policy = {
  retries: 3,
  backoff: { strategy: 'exponential', baseMs: 1_000, factor: 2, maxMs: 300_000, jitter: 0 },
  onExhausted: 'incident',
}

export const leaseMs = 30_000

export type Ending = Partial<Pick<Settlement, 'onlyIfExpiredAt' | 'result'>> & {
  policy?: Policy
  children?: readonly ChildJob[]
}

export type Scene = ReturnType<typeof sceneOn>

export type ClaimOptions = Partial<Omit<ClaimRequest, 'types'>> & {
  type?: string
  types?: ClaimRequest['types']
}

export const claimRequest = ({
  type = 't',
  workerId = 'w#1',
  limit = 10,
  suspects = false,
  types,
}: ClaimOptions = {}): ClaimRequest => ({
  ...{ workerId, limit, suspects },
  types: types ?? [{ type, limit, timeoutMs: 60_000, retries: 3 }],
})

export function settlementOf(job: Job, outcome: Outcome, now: number): Settlement {
  return decide({ job, outcome, policy: plainPolicy, children: [], now, random: seededRandom(7) })
}

export function sceneOn({ store, clock, another, faults }: OpenedStore) {
  const random = seededRandom(7)
  const now = () => clock.now()
  const settlement = (
    job: Job,
    outcome: Outcome,
    { policy = plainPolicy, children = [], ...rest }: Ending = {},
  ): Settlement => ({
    ...decide({ job, outcome, policy, children, now: now(), random }),
    ...rest,
  })
  const scene = {
    ...{ store, clock, another, faults, settlement, now },
    enqueue: (...inputs: readonly Partial<EnqueueInput>[]): Promise<readonly Enqueued[]> =>
      store.enqueue(
        inputs.map((input) => newJob({ type: 't', ...input }, now())),
        now(),
      ),
    async add(input: Partial<EnqueueInput> = {}): Promise<number> {
      const [enqueued] = await scene.enqueue(input)
      if (enqueued?.status !== 'created') throw new Error(`not created: ${JSON.stringify(enqueued)}`)
      return enqueued.key
    },
    join: (id = 'w#1', row: Partial<WorkerRow> = {}): Promise<void> =>
      registerWorkers(store, [workerRow(id, now(), row)], now()),
    async claim(options: ClaimOptions = {}): Promise<readonly ClaimedJob[]> {
      return (await exchange(store, { settlements: [], claim: claimRequest(options) }, now())).claimed
    },
    async claimOne(options: ClaimOptions = {}): Promise<ClaimedJob> {
      const [job] = await scene.claim({ limit: 1, ...options })
      if (job === undefined) throw new Error('nothing to claim')
      return job
    },
    async settle(job: Job, outcome: Outcome, ending: Ending = {}): Promise<Settled | undefined> {
      return (await exchange(store, { settlements: [settlement(job, outcome, ending)] }, now())).settled[0]
    },
    async resolve(
      jobKey: number,
      verb: Resolution['verb'],
      more: Partial<Resolution> = {},
    ): Promise<Applied> {
      const [applied] = await resolveJobs(store, [{ jobKey, verb, who: 'ada', reason: null, ...more }], now())
      if (applied === undefined) throw new Error('no answer')
      return applied
    },
    async detail(key: number): Promise<JobDetail> {
      const detail = await store.job(key)
      if (detail === null) throw new Error(`no job ${key}`)
      return detail
    },
    async expectState(key: number, state: JobState): Promise<JobDetail> {
      const detail = await scene.detail(key)
      expect(detail.job.state).toBe(state)
      expect(faults()).toEqual([])
      return detail
    },
  }
  return scene
}

function workerRow(id: string, now: number, row: Partial<WorkerRow>): WorkerRow {
  const standing = {
    label: id,
    pid: 1,
    host: 'test',
    startedAt: now,
    leaseUntil: now + leaseMs,
    state: 'running' as const,
  }
  return { id, ...standing, concurrency: 10, types: ['t'], quarantine: false, ...row }
}

const error = (message: string) => errorRecord(new Error(message))

export const outcomes = {
  success: (result?: unknown): Outcome =>
    result === undefined ? { kind: 'success' } : { kind: 'success', result: JSON.stringify(result) },
  fail: (delayMs?: number): Outcome => ({
    kind: 'fail',
    category: 'error',
    error: error('boom'),
    ...(delayMs === undefined ? {} : { delayMs }),
  }),
  lost: (): Outcome => ({ kind: 'lost', reason: 'lease_expired', detail: 'its lease had passed' }),
  defer: (until: number): Outcome => ({ kind: 'defer', until, reason: 'not yet', by: 'handler' }),
  poison: (message = 'cannot work'): Outcome => ({ kind: 'poison', error: error(message) }),
  raised: (): Outcome => ({ kind: 'incident', incident: 'raised', error: error('a person must look') }),
  business: (declared: boolean): Outcome => ({
    kind: 'business_error',
    code: 'NO',
    message: 'no',
    declared,
    error: error('no'),
  }),
  interrupted: (): Outcome => ({ kind: 'interrupted', reason: 'shutdown' }),
  badResult: (): Outcome => ({ kind: 'result_invalid', error: error('a BigInt') }),
} as const

/** Opens a breaker that was never opened, for half a minute. */
export function openedBreaker(name = 'stripe'): BreakerChange {
  const terms = { openForMs: 30_000, probes: 1 }
  return { name, event: { kind: 'open', generation: 0 }, terms, who: 'wf', reason: '5 failures in a row' }
}

/** Opens a breaker for half a minute, whatever its mode. */
export const trippedBreaker: BreakerChange = {
  ...{ name: 'stripe', event: { kind: 'trip', forMs: 30_000 }, who: 'ada', reason: null },
}

export const exhaustedToDeadLetter: Policy = { ...plainPolicy, retries: 1, onExhausted: 'dead-letter' }
