/**
 * Manages the rows of workers: registers them, renews their leases, passes each worker the attempts it still holds, and retires the
 * rows at the end. Runs beside the workers (in the supervisor, or in the process of an inline or embedded worker), so a handler
 * that blocks its process doesn't lose the lease. Also runs the upkeep of the store: the sweeper, statistics.
 */
import type { Clock } from '../../clock.ts'
import type { WfError } from '../../errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../logger.ts'
import { Renewals, type LeasedWorker } from './renewals.ts'
import { lost, settleHeld, type Policies } from './settle-lost.ts'
import { untilLost, type Upkeep } from './store-watch.ts'
import type { TypeDeclaration } from '../../store/views.ts'

export interface Lease {
  /** How long a renewal lasts (default: 30 s). */
  leaseMs: number
  /** Time between renewals; below half of the lease. */
  renewMs: number
}

export const defaultLease: Lease = { leaseMs: 30_000, renewMs: 10_000 }

export interface LeaseManagerOptions {
  engine: Engine
  clock: Clock
  log: Logger
  lease: Lease
  upkeep: readonly Upkeep[]
  /** Used to settle attempts for a worker; grows as types are declared. */
  policies: Policies
  /** Called once, with the next renewal, after `wf workers drain`. */
  onDrain(): void
  /** Called once when the store is gone for good. Handlers are aborted by then; nothing can be given back. */
  onLost(error: WfError): void
}

export interface LeaseManager {
  /** Starts the renewals and the upkeep. */
  start(): void
  /** Inserts the row and renews its lease from now on. */
  register(worker: LeasedWorker): Promise<void>
  declare(types: readonly TypeDeclaration[]): Promise<void>
  /** Stops renewing without touching the row: for a dead worker, until its attempts are settled. */
  forget(workerId: string): void
  /** Deletes the row; attempts that it still holds expire at once. */
  retire(workerId: string): Promise<void>
  /** Marks the rows as draining. Leases are still renewed. */
  draining(): Promise<void>
  /** Renewals that failed since the start. */
  readonly renewalFailures: number
  /** Ends renewals and upkeep; rows stay as they are. */
  stop(): Promise<void>
}

export function createLeaseManager(options: LeaseManagerOptions): LeaseManager {
  const { engine, clock, log, lease, upkeep, policies, onDrain, onLost } = options
  const { reader: store, workers } = engine
  const ended = new AbortController()
  const giveBack = async (workerIds: readonly string[]) => {
    const outcome = () => lost('lease_expired', 'no lease could be renewed in time')
    for (const workerId of workerIds) await settleHeld({ engine, workerId, policies, outcome })
  }
  const renewals = new Renewals({ engine, clock, log, ...lease, giveBack, onDrain })
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
      const leaseUntil = engine.now() + lease.leaseMs
      await workers.register([{ ...worker.row, leaseUntil, state: 'running' }])
      renewals.kept.set(worker.row.id, worker)
    },
    declare: (types) => workers.declare(types),
    forget: (workerId) => void renewals.kept.delete(workerId),
    async retire(workerId) {
      renewals.kept.delete(workerId)
      await workers.retire(workerId)
    },
    async draining() {
      renewals.draining()
      const ids = [...renewals.kept.keys()]
      if (ids.length > 0) await workers.drain(ids)
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
