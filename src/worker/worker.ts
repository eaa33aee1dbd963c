/**
 * A worker: claims jobs of the types it has handlers for, runs them, and hands in what they came to. One exchange a tick;
 * a handler starts only after the commit that claimed its job, and a slot is free only after the commit that settled it.
 * It must not know how handlers were loaded, who renews its lease (its keeper) or what an outcome makes of a job.
 */
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../logger.ts'
import type { Random } from '../random.ts'
import type { LoadedHandler } from './handler/loaded-handler.ts'
import type { LeaveReason } from './ipc.ts'
import { WorkerCore } from './worker-core.ts'

export interface WorkerOptions {
  engine: Engine
  clock: Clock
  random: Random
  log: Logger
  handlers: ReadonlyMap<string, LoadedHandler>
  /** `label#incarnation`; its row has to be in the store before `start`. */
  workerId: string
  /** What metrics call it; its id without the incarnation unless told. */
  countedAs?: string
  storeId: string
  /** Jobs at once over all types; default the sum of the types' own numbers. */
  concurrency?: number
  /** Takes only suspects, one at a time. */
  suspects?: boolean
  /** Leaves after this many jobs. */
  maxJobs?: number
  /** A process of its own, which may recycle itself. Otherwise suspects, if any, run here alone. */
  isolated: boolean
}

export interface RunningAttempt {
  jobKey: number
  attempt: number
  type: string
  /** Epoch ms of the claim. */
  startedAt: number
}

export interface Worker {
  start(): void
  /** Resolves when nothing runs any more and all outcomes are stored, or can no longer be. */
  readonly finished: Promise<LeaveReason>
  /**
   * No new starts; what runs is aborted in `abortInMs` and given back in `graceMs`. Resolves when the worker is gone, at
   * the latest 200 ms after the grace, whatever handlers and the store do. Again: the sooner times hold. Never rejects.
   */
  drain(times: { graceMs: number; abortInMs: number }): Promise<void>
  /** Gives everything back now. Resolves within half a second. */
  stop(): Promise<void>
  /** What the store held for this worker at the last renewal. Ends a fence. */
  held(attempts: readonly { jobKey: number; attempt: number }[]): void
  /** The lease ran out without a renewal: aborts what runs and claims nothing until `held`. */
  fence(): void
  /** An error that no handler caught: what runs may finish, then the worker leaves. */
  panic(error: unknown): void
  readonly running: readonly RunningAttempt[]
  /** Outcomes that the store has taken. */
  readonly settledCount: number
}

export function createWorker(options: WorkerOptions): Worker {
  return new WorkerCore(options)
}
