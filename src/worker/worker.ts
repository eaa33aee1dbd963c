import { Coordinator, type WorkerOptions } from './coordinator.ts'
import type { LeaveReason } from './ipc.ts'
import { lastOutcomesMs } from './shutdown.ts'

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
   * Shuts down: no job starts, handlers are aborted after `abortInMs`, their jobs given back after `graceMs`. Resolves when the
   * worker has ended, at the latest 200 ms after the grace. Repeated calls can only bring the deadlines forward. Never rejects.
   */
  drain(times: { graceMs: number; abortInMs: number }): Promise<void>
  /** Gives everything back now. Resolves within half a second. */
  stop(): Promise<void>
  /** Takes the attempts that the store held for this worker at the last renewal. Ends a fence. */
  held(attempts: readonly { jobKey: number; attempt: number }[]): void
  /** Aborts what runs and claims nothing until `held`: the lease ran out without a renewal. */
  fence(): void
  /** Reports an error that no handler caught, and shuts down: what runs may finish. */
  panic(error: unknown): void
  readonly running: readonly RunningAttempt[]
  /** Outcomes that the store has taken. */
  readonly settledCount: number
}

/** After an uncaught error the state of the process is unknown: what runs gets this long. */
const panicTimes = { abortInMs: 25_000, graceMs: 30_000 }
const stopMs = 500

export function createWorker(options: WorkerOptions): Worker {
  const coordinator = new Coordinator(options)
  const { intake, runner, outbox, shutdown, leaseCheck, panics } = coordinator
  const end = (
    reason: LeaveReason,
    times: { graceMs: number; abortInMs: number },
    lastMs = lastOutcomesMs,
  ) => {
    shutdown.begin(reason)
    shutdown.limit(times, lastMs)
  }
  let started = false
  return {
    finished: shutdown.finished,
    get settledCount() {
      return outbox.settledCount
    },
    get running() {
      return [...runner.running].map(({ job: { key, attempt, type, startedAt } }) => ({
        jobKey: key,
        attempt,
        type,
        startedAt: startedAt ?? 0,
      }))
    },
    start() {
      if (shutdown.hasBegun || started) return
      started = true
      coordinator.start()
    },
    async drain(times) {
      end('drained', times)
      await shutdown.finished
    },
    async stop() {
      end('drained', { abortInMs: 0, graceMs: 0 }, stopMs)
      await shutdown.finished
    },
    held(attempts) {
      intake.unfence()
      leaseCheck.compare(attempts)
    },
    fence() {
      intake.fence()
      runner.abort(runner.running, 'lease_lost')
    },
    panic(error) {
      panics.report(
        error,
        [...runner.running].map(({ job }) => job),
      )
      end('panic', panicTimes)
    },
  }
}
