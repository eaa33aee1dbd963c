/**
 * Everything in one process, for debugging and for servers that host a worker: the handlers, the workers and the keeper of
 * their leases. What it cannot promise: a handler that blocks the event loop holds up the renewals, and one that ends the
 * process takes its neighbours with it; nobody here starts them again.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Logger } from '../logger.ts'
import type { Random } from '../random.ts'
import { drainTimes } from './drain.ts'
import { createKeeper, type Keeper, type Lease, type Upkeep } from './keeper.ts'
import { declarationOf, type LoadedHandler } from './loaded-handler.ts'
import { interrupted, settleHeld } from './losses.ts'
import type { LeaveReason } from './messages.ts'
import { createWorker, type Worker } from './worker.ts'

export interface InlineOptions {
  engine: Engine
  clock: Clock
  random: Random
  log: Logger
  handlers: ReadonlyMap<string, LoadedHandler>
  storeId: string
  label: string
  host: string
  pid: number
  concurrency: number | null
  maxJobs: number | null
  lease: Lease
  upkeep: readonly Upkeep[]
}

export interface Inline {
  start(): Promise<void>
  /** Why the first of the workers left by itself. */
  readonly finished: Promise<LeaveReason>
  drain(graceMs: number): Promise<void>
  /** Gives everything back now. */
  stop(): Promise<void>
  /** For what no handler caught. */
  panic(error: unknown): void
}

interface Member {
  id: string
  suspects: boolean
  worker: Worker
}

export function createInline(options: InlineOptions): Inline {
  const { handlers, lease, upkeep } = options
  const policies = new Map([...handlers.values()].map(({ type, policy }) => [type, policy]))
  const keeper = createKeeper({ ...options, policies, lease, upkeep })
  // A suspect runs alone among suspects here, not alone in its process.
  const members = [memberOf(options, false), memberOf(options, true)]
  const workers = members.map(({ worker }) => worker)
  const leave = async () => {
    const outcome = () => interrupted('shutdown')
    for (const { id } of members) {
      await settleHeld({ engine: options.engine, workerId: id, policies, outcome })
      await keeper.retire(id)
    }
    await keeper.stop()
  }
  return {
    finished: Promise.race(workers.map((worker) => worker.finished)),
    async start() {
      keeper.start()
      await keeper.declare([...handlers.values()].map(declarationOf))
      for (const member of members) await register(keeper, member, options)
      for (const worker of workers) worker.start()
    },
    async drain(graceMs) {
      const { abortInMs } = drainTimes(graceMs)
      keeper.draining().catch(() => {})
      await Promise.all(workers.map((worker) => worker.drain({ graceMs, abortInMs })))
      await leave()
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
      await leave()
    },
    panic: (error) => workers[0]?.panic(error),
  }
}

function memberOf(options: InlineOptions, suspects: boolean): Member {
  const { engine, clock, random, log, handlers, storeId, label, concurrency, maxJobs } = options
  const id = `${label}.${suspects ? 'quarantine' : '1'}#${randomBytes(4).toString('hex')}`
  const limit = suspects ? 1 : concurrency
  const worker = createWorker({
    engine,
    clock,
    random,
    log,
    handlers,
    workerId: id,
    storeId,
    suspects,
    isolated: false,
    ...(limit === null ? {} : { concurrency: limit }),
    ...(maxJobs === null ? {} : { maxJobs }),
  })
  return { id, suspects, worker }
}

async function register(keeper: Keeper, { id, suspects, worker }: Member, options: InlineOptions): Promise<void> {
  const { handlers, label, host, pid, concurrency, clock } = options
  const sum = [...handlers.values()].reduce((total, handler) => total + handler.concurrency, 0)
  const row = {
    id,
    label,
    pid,
    host,
    startedAt: clock.now(),
    concurrency: suspects ? 1 : Math.min(concurrency ?? sum, sum),
    types: [...handlers.keys()],
    quarantine: suspects,
  }
  await keeper.register({ row, held: (attempts) => worker.held(attempts), fence: () => worker.fence() })
}
