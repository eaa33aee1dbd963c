/**
 * The engine: the only writer. Commands, workers, the sweeper and shutdown hand in outcomes, resolutions and new jobs;
 * `decide` says what they mean; the store applies it; listeners hear of it after the commit.
 */
import { decide } from '../domain/decide.ts'
import type { ClaimedJob, Job } from '../domain/job.ts'
import { newJob, type EnqueueInput } from '../domain/new-job.ts'
import type { ChildJob } from '../domain/job.ts'
import type { Outcome, Policy, Settlement } from '../domain/outcome.ts'
import type { Applied, Resolution } from '../domain/resolution.ts'
import type { Random } from '../random.ts'
import type { ClaimRequest, Enqueued, Settled, Store } from '../store/store.ts'
import type { EngineEvents } from './events.ts'

/** An attempt that is over, as a worker hands it in. */
export interface Ended {
  job: Job
  outcome: Outcome
  policy: Policy
  children: readonly ChildJob[]
  /** Monotonic ms that the handler ran; for statistics. */
  durationMs: number
  onlyIfExpiredAt?: number
}

export interface Exchange {
  settled: readonly Settled[]
  claimed: readonly ClaimedJob[]
}

export interface Engine {
  readonly store: Store
  readonly events: EngineEvents
  /** Throws a WfError `invalid_job` before anything is written when an input is not acceptable. */
  enqueue(inputs: readonly EnqueueInput[]): Promise<readonly Enqueued[]>
  exchange(hand: { ended: readonly Ended[]; claim?: ClaimRequest }): Promise<Exchange>
  resolve(batch: readonly Resolution[]): Promise<readonly Applied[]>
}

export function createEngine({ store, random, events }: { store: Store; random: Random; events: EngineEvents }): Engine {
  return {
    store,
    events,
    async enqueue(inputs) {
      const now = store.now()
      const enqueued = await store.enqueue(
        inputs.map((input) => newJob(input, now)),
        now,
      )
      events.emit('enqueued', { enqueued })
      return enqueued
    },
    async exchange({ ended, claim }) {
      const now = store.now()
      const settlements = ended.map((end) => settlementOf(end, now, random))
      const { settled, claimed, paused } = await store.exchange(claim ? { settlements, claim } : { settlements }, now)
      for (const [index, end] of ended.entries()) {
        const settlement = settlements[index]
        const result = settled[index]
        if (settlement && result) events.emit('settled', { end, settlement, result, now })
      }
      for (const type of paused) events.emit('paused', { type })
      return { settled, claimed }
    },
    async resolve(batch) {
      const applied = await store.resolve(batch, store.now())
      events.emit('resolved', { applied })
      return applied
    },
  }
}

function settlementOf(end: Ended, now: number, random: Random): Settlement {
  const settlement = decide({ job: end.job, outcome: end.outcome, policy: end.policy, children: end.children, now, random })
  return end.onlyIfExpiredAt === undefined ? settlement : { ...settlement, onlyIfExpiredAt: end.onlyIfExpiredAt }
}
