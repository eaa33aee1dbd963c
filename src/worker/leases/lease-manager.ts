/**
 * The keeper of worker rows: registers them, renews their leases, tells each worker what it still holds and takes the
 * rows away at the end. It runs beside the workers (in the supervisor, or in the one process of an inline or embedded
 * worker), so that a handler that blocks its process does not lose the lease. It also runs what every worker owes the
 * store: the sweeper, statistics. It knows no handlers and claims nothing.
 */
import { declareTypes, registerWorkers, retireWorkers, setWorkerState } from '../../engine/plans/workers.ts'
import { transactOne } from '../../engine/transact-one.ts'
import type { Clock } from '../../clock.ts'
import type { WfError } from '../../errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../logger.ts'
import { Renewals, type KeptWorker } from './lease-renewals.ts'
import { lost, settleHeld, type Policies } from './settle-lost.ts'
import { untilLost } from './store-watch.ts'
import type { TypeDeclaration } from '../../store/views.ts'

export interface Lease {
  /** How long a renewal lasts; default 30 s. */
  leaseMs: number
  /** Time between renewals; below half of the lease. */
  renewMs: number
}

export const defaultLease: Lease = { leaseMs: 30_000, renewMs: 10_000 }

/** What a worker owes the store beside its jobs: sweeping, statistics. Runs from the keeper's start to its end. */
export interface Upkeep {
  start(): void
  stop(): Promise<void>
}

export interface KeeperOptions {
  engine: Engine
  clock: Clock
  log: Logger
  lease: Lease
  upkeep: readonly Upkeep[]
  /** Read when attempts have to be settled for a worker; may grow as types are declared. */
  policies: Policies
  /** A person asked from elsewhere for the workers to drain. Called once, with the next renewal. */
  onDrain(): void
  /** The store is gone for good. Handlers were told to stop by then; nothing can be given back. Called once. */
  onLost(error: WfError): void
}

export interface Keeper {
  /** Starts the renewals and the upkeep. */
  start(): void
  /** Makes the row and keeps it from now on. */
  register(worker: KeptWorker): Promise<void>
  declare(types: readonly TypeDeclaration[]): Promise<void>
  /** Stops renewing without touching the row: for a worker that died, until its attempts are settled. */
  forget(workerId: string): void
  /** Takes the row away; what it still holds becomes expired at once. */
  retire(workerId: string): Promise<void>
  /** Marks every kept row as draining. Leases go on being renewed. */
  draining(): Promise<void>
  /** Renewals that failed since the start. */
  readonly renewalFailures: number
  /** Ends renewals and upkeep; rows stay as they are. */
  stop(): Promise<void>
}

export function createKeeper(options: KeeperOptions): Keeper {
  const { engine, clock, log, lease, upkeep, policies, onDrain, onLost } = options
  const { store } = engine
  const ended = new AbortController()
  const surrender = async (workerIds: readonly string[]) => {
    const outcome = () => lost('lease_expired', 'no lease could be renewed in time')
    for (const workerId of workerIds) await settleHeld({ engine, workerId, policies, outcome })
  }
  const renewals = new Renewals({ store, clock, log, ...lease, surrender, onDrain })
  const watch = async () => {
    const error = await untilLost({ store, clock, log, ended: ended.signal })
    if (error === null) return
    log.error(`${error.message}: handlers are told to stop, and this worker ends`, {
      code: error.code,
      hint: error.hint,
    })
    renewals.fenceAll()
    onLost(error)
  }
  let running: Promise<unknown> = Promise.resolve()
  return {
    start() {
      running = Promise.all([renewals.run(ended.signal), watch()])
      for (const work of upkeep) work.start()
    },
    async register(worker) {
      const now = store.now()
      await transactOne(store, registerWorkers, {
        ...worker.row,
        leaseUntil: now + lease.leaseMs,
        state: 'running',
      })
      renewals.kept.set(worker.row.id, worker)
    },
    async declare(types) {
      await store.transact(declareTypes, types, store.now())
    },
    forget: (workerId) => void renewals.kept.delete(workerId),
    async retire(workerId) {
      renewals.kept.delete(workerId)
      await transactOne(store, retireWorkers, { id: workerId })
    },
    async draining() {
      renewals.draining()
      const ids = [...renewals.kept.keys()]
      if (ids.length > 0)
        await store.transact(
          setWorkerState,
          ids.map((id) => ({ id, state: 'draining' as const })),
          store.now(),
        )
    },
    get renewalFailures() {
      return renewals.failures
    },
    async stop() {
      ended.abort()
      await Promise.all([running, ...upkeep.map((work) => work.stop())])
    },
  }
}
