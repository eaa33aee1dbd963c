/**
 * Everything in one process, for debugging and for servers that host a worker: the handlers, the worker and the keeper of
 * its lease. What it cannot promise: a handler that blocks the event loop holds up the renewals, and one that ends the
 * process takes its neighbours with it; nobody here starts them again.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { WfError } from '../errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../logger.ts'
import type { Random } from '../random.ts'
import { drainTimes } from './drain.ts'
import type { LeasedWorker } from './leases/renewals.ts'
import { createLeaseManager, type Lease } from './leases/lease-manager.ts'
import { declarationOf, type LoadedHandler } from './handler/loaded-handler.ts'
import { interrupted, settleHeld } from './leases/settle-lost.ts'
import { createPauseWatch, type Upkeep } from './leases/store-watch.ts'
import type { LeaveReason } from './ipc.ts'
import { createWorker, type RunningAttempt } from './worker.ts'

export interface InlineOptions {
  engine: Engine
  clock: Clock
  random: Random
  log: Logger
  handlers: ReadonlyMap<string, LoadedHandler>
  storeId: string
  label: string
  /** What metrics call it; its label unless told. */
  countedAs?: string
  host: string
  pid: number
  concurrency: number | null
  maxJobs: number | null
  lease: Lease
  upkeep: readonly Upkeep[]
}

export interface Inline {
  /** What its handlers are at. */
  running(): readonly RunningAttempt[]
  start(): Promise<void>
  /** Why it left. */
  readonly finished: Promise<LeaveReason>
  /** Resolves when the store is gone for good, with what that means; the worker then ends by itself. */
  readonly lost: Promise<WfError>
  /** Resolves when a person asked from elsewhere for it to drain; whoever holds it decides how. */
  readonly drainAsked: Promise<void>
  drain(graceMs: number): Promise<void>
  /** Gives everything back now. */
  stop(): Promise<void>
  /** For what no handler caught. */
  panic(error: unknown): void
}

export function createInline(options: InlineOptions): Inline {
  const { engine, handlers, label, countedAs = label, concurrency, maxJobs } = options
  const policies = new Map([...handlers.values()].map(({ type, policy }) => [type, policy]))
  const lost = news<WfError>()
  const drainAsked = news<void>()
  const onLost = (error: WfError) => {
    lost.tell(error)
    // There is no row to give up.
    left ??= leases.stop()
    void worker.stop()
  }
  const pauses = createPauseWatch({
    store: engine.reader,
    clock: options.clock,
    log: options.log,
    types: () => [...handlers.keys()],
  })
  const leases = createLeaseManager({
    ...options,
    policies,
    upkeep: [...options.upkeep, pauses],
    onDrain: drainAsked.tell,
    onLost,
  })
  const workerId = `${label}.1#${randomBytes(4).toString('hex')}`
  const limits = {
    ...(concurrency === null ? {} : { concurrency }),
    ...(maxJobs === null ? {} : { maxJobs }),
  }
  const { clock, random, log, storeId } = options
  const worker = createWorker({
    engine,
    clock,
    random,
    log,
    handlers,
    storeId,
    workerId,
    countedAs,
    isolated: false,
    ...limits,
  })
  let left: Promise<void> | null = null
  const giveUpRow = async () => {
    await settleHeld({ engine, workerId, policies, outcome: () => interrupted('shutdown') })
    await leases.retire(workerId)
    await leases.stop()
  }
  /** Once, however often and in whatever way the end is asked for. */
  const leave = () => {
    left ??= giveUpRow()
    return left
  }
  return {
    running: () => worker.running,
    finished: worker.finished,
    lost: lost.heard,
    drainAsked: drainAsked.heard,
    async start() {
      leases.start()
      await leases.declare([...handlers.values()].map(declarationOf))
      await leases.register({
        row: rowOf(options, workerId),
        held: (attempts) => worker.held(attempts),
        fence: () => worker.fence(),
      })
      worker.start()
    },
    async drain(graceMs) {
      leases.draining().catch(() => {})
      await worker.drain({ graceMs, abortInMs: drainTimes(graceMs).abortInMs })
      await leave()
    },
    async stop() {
      await worker.stop()
      await leave()
    },
    panic: (error) => worker.panic(error),
  }
}

/** What may come once. */
function news<T>(): { heard: Promise<T>; tell(value: T): void } {
  let tell: (value: T) => void = () => {}
  const heard = new Promise<T>((resolve) => {
    tell = resolve
  })
  return { heard, tell }
}

function rowOf(
  { handlers, label, pid, host, concurrency, clock }: InlineOptions,
  id: string,
): LeasedWorker['row'] {
  const sum = [...handlers.values()].reduce((total, handler) => total + handler.concurrency, 0)
  return {
    id,
    label,
    pid,
    host,
    startedAt: clock.now(),
    concurrency: Math.min(concurrency ?? sum, sum),
    types: [...handlers.keys()],
    quarantine: false,
  }
}
