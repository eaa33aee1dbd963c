/** Renews the leases of the kept workers, one renewal in flight at a time, and says what each still holds. */
import { registerWorkers } from '../../engine/plans/workers.ts'
import type { Clock } from '../../clock.ts'
import { isStoreGone } from '../../errors.ts'
import type { Fence } from '../../domain/job.ts'
import type { Logger } from '../../logger.ts'
import type { Store } from '../../store/port.ts'
import { LeaseFence } from './lease-fence.ts'
import type { WorkerRow } from '../../store/views.ts'

export interface HeldAttempt {
  jobKey: number
  attempt: number
}

/** A worker whose row is kept. */
export interface KeptWorker {
  readonly row: Omit<WorkerRow, 'leaseUntil' | 'state'>
  /** After a renewal: what it still holds, and for how many ms from now. Ends a fence. */
  held(attempts: readonly HeldAttempt[], leaseLeftMs: number): void
  /** The lease ended without a renewal: others may run its jobs now. Handlers are to abort and nothing is to be claimed until `held`. */
  fence(): void
}

export interface RenewalOptions {
  store: Store
  clock: Clock
  log: Logger
  leaseMs: number
  renewMs: number
  /** Called before the first renewal after a fence: the attempts of these workers were aborted and must not be kept alive. */
  surrender(workerIds: readonly string[]): Promise<void>
  /** Somebody marked a kept row as draining: `wf workers drain`. */
  onDrain(): void
}

export class Renewals {
  readonly kept = new Map<string, KeptWorker>()
  failures = 0
  readonly #options: RenewalOptions
  readonly #fence: LeaseFence
  #renewal: Promise<boolean> | null = null
  #failing = false
  /** The rows were marked from here, or it was heard of already. */
  #draining = false
  /** Workers that were told to stop and hold attempts that nobody runs. */
  #fenced = new Set<string>()

  constructor(options: RenewalOptions) {
    this.#options = options
    this.#fence = new LeaseFence({
      ...options,
      onJump: () => void this.renew(),
      onFence: () => this.#stopAll(),
    })
  }

  /** Until `ended`. */
  async run(ended: AbortSignal): Promise<void> {
    await Promise.all([this.#repeat(ended), this.#fence.watch(ended)])
  }

  /** From here on rows that drain are no news. */
  draining(): void {
    this.#draining = true
  }

  /** True when it was stored. Never rejects. */
  renew(): Promise<boolean> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = null
    })
    return this.#renewal
  }

  async #repeat(ended: AbortSignal): Promise<void> {
    const { clock, renewMs } = this.#options
    while (!ended.aborted) {
      const done = await this.renew()
      await clock.sleep(done ? renewMs : Math.min(1000, renewMs / 2), ended)
    }
  }

  async #renewOnce(): Promise<boolean> {
    const { clock, log, leaseMs } = this.#options
    const workers = [...this.kept.values()]
    try {
      const renewed = await this.#writeUntilFresh(workers)
      this.#fence.renewed(renewed.begunAt)
      if (this.#failing) log.info('leases are renewed again')
      this.#failing = false
      this.#tell(workers, renewed.held, leaseMs - (clock.monotonic() - renewed.begunAt))
      return true
    } catch (error) {
      this.failures++
      if (!this.#failing && !isStoreGone(error))
        log.warn(
          `leases could not be renewed; trying again: ${error instanceof Error ? error.message : String(error)}`,
        )
      this.#failing = true
      return false
    }
  }

  /** Again when a fence came in between, or when the lock was waited for so long that much of the new lease is gone. */
  async #writeUntilFresh(
    workers: readonly KeptWorker[],
  ): Promise<{ begunAt: number; held: readonly Fence[] }> {
    const { clock, leaseMs } = this.#options
    for (;;) {
      await this.#surrender()
      const renewed = await this.#write(workers)
      if (this.#fenced.size === 0 && clock.monotonic() - renewed.begunAt <= leaseMs / 2) return renewed
    }
  }

  /** A row that somebody took away meanwhile (the worker seemed dead) is made again: without it nothing would be held. */
  async #write(workers: readonly KeptWorker[]): Promise<{ begunAt: number; held: readonly Fence[] }> {
    const { store, clock, log, leaseMs } = this.#options
    const begunAt = clock.monotonic()
    if (workers.length === 0) return { begunAt, held: [] }
    const now = store.now()
    const leaseUntil = now + leaseMs
    const ids = workers.map(({ row }) => row.id)
    const { held, states } = await store.renew(ids, leaseUntil, now)
    if (workers.some(({ row }) => states.get(row.id) === 'draining')) this.#hearOfDrain()
    const missing = workers.filter(({ row }) => !states.has(row.id))
    if (missing.length === 0) return { begunAt, held }
    log.warn('rows of living workers had been taken away and are made again', {
      workers: missing.map(({ row }) => row.id),
    })
    await store.transact(
      registerWorkers,
      missing.map(({ row }) => ({ ...row, leaseUntil, state: 'running' as const })),
      now,
    )
    return { begunAt, held: (await store.renew(ids, leaseUntil, now)).held }
  }

  #hearOfDrain(): void {
    if (this.#draining) return
    this.#draining = true
    this.#options.onDrain()
  }

  #tell(workers: readonly KeptWorker[], held: readonly Fence[], leaseLeftMs: number): void {
    for (const worker of workers) {
      // Gone meanwhile.
      if (this.kept.get(worker.row.id) !== worker) continue
      const attempts = held
        .filter(({ workerId }) => workerId === worker.row.id)
        .map(({ jobKey, attempt }) => ({ jobKey, attempt }))
      worker.held(attempts, Math.max(0, leaseLeftMs))
    }
  }

  async #surrender(): Promise<void> {
    if (this.#fenced.size === 0) return
    await this.#options.surrender([...this.#fenced])
    this.#fenced = new Set()
  }

  #stopAll(): void {
    if (this.kept.size === 0) return
    this.#options.log.error(
      'leases could not be renewed in time: running handlers are told to stop, and none starts until the store takes writes again',
    )
    this.fenceAll()
  }

  /** Their handlers are told to stop, and they claim nothing until a renewal is stored. */
  fenceAll(): void {
    for (const worker of this.kept.values()) {
      this.#fenced.add(worker.row.id)
      worker.fence()
    }
  }
}
