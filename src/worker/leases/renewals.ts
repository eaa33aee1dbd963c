/** Renews the leases of workers, one renewal in flight at a time, and passes each the attempts it still holds. */
import type { Clock } from '../../clock.ts'
import type { Fence } from '../../domain/job.ts'
import type { Engine } from '../../engine/engine.ts'
import { isStoreGone } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { WorkerRow } from '../../store/views.ts'

export interface HeldAttempt {
  jobKey: number
  attempt: number
}

/** A worker whose lease is renewed here. */
export interface LeasedWorker {
  readonly row: Omit<WorkerRow, 'leaseUntil' | 'state'>
  /** Called after a renewal with the attempts it holds, and for how many ms from now. Ends a fence. */
  held(attempts: readonly HeldAttempt[], leaseLeftMs: number): void
  /** Called when the lease ended without a renewal: other workers may run its jobs. It aborts handlers and claims nothing until `held`. */
  fence(): void
}

export interface RenewalOptions {
  engine: Pick<Engine, 'workers' | 'now'>
  clock: Clock
  log: Logger
  leaseMs: number
  renewMs: number
  /** Called before the first renewal after a fence: gives back the aborted attempts of these workers. */
  giveBack(workerIds: readonly string[]): Promise<void>
  /** Called when an operator marked a row as draining: `wf workers drain`. */
  onDrain(): void
}

export class Renewals {
  readonly kept = new Map<string, LeasedWorker>()
  failures = 0
  readonly #options: RenewalOptions
  readonly #fence: LeaseFence
  #renewal: Promise<boolean> | null = null
  #failing = false
  /** The rows were marked by this process, or `onDrain` was called. */
  #draining = false
  /** Fenced workers, whose attempts are not given back yet. */
  #fenced = new Set<string>()

  constructor(options: RenewalOptions) {
    this.#options = options
    this.#fence = new LeaseFence({
      ...options,
      onJump: () => void this.renew(),
      onFence: () => this.#stopAll(),
    })
  }

  /** Runs until `ended` aborts. */
  async run(ended: AbortSignal): Promise<void> {
    await Promise.all([this.#repeat(ended), this.#fence.watch(ended)])
  }

  /** Ignores draining rows from now on. */
  draining(): void {
    this.#draining = true
  }

  /** Resolves with true if the renewal was stored. Never rejects. */
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

  /** Repeats the write after a fence, or if waiting for the lock used up half of the new lease. */
  async #writeUntilFresh(
    workers: readonly LeasedWorker[],
  ): Promise<{ begunAt: number; held: readonly Fence[] }> {
    const { clock, leaseMs } = this.#options
    for (;;) {
      await this.#giveBack()
      const renewed = await this.#write(workers)
      if (this.#fenced.size === 0 && clock.monotonic() - renewed.begunAt <= leaseMs / 2) return renewed
    }
  }

  /** Inserts rows again that were deleted because their worker seemed dead. */
  async #write(workers: readonly LeasedWorker[]): Promise<{ begunAt: number; held: readonly Fence[] }> {
    const { engine, clock, log, leaseMs } = this.#options
    const begunAt = clock.monotonic()
    if (workers.length === 0) return { begunAt, held: [] }
    const leaseUntil = engine.now() + leaseMs
    const ids = workers.map(({ row }) => row.id)
    const { held, states } = await engine.workers.renew(ids, leaseUntil)
    if (workers.some(({ row }) => states.get(row.id) === 'draining')) this.#drainRequested()
    const missing = workers.filter(({ row }) => !states.has(row.id))
    if (missing.length === 0) return { begunAt, held }
    log.warn('rows of living workers were deleted and are inserted again', {
      workers: missing.map(({ row }) => row.id),
    })
    await engine.workers.register(
      missing.map(({ row }) => ({ ...row, leaseUntil, state: 'running' as const })),
    )
    return { begunAt, held: (await engine.workers.renew(ids, leaseUntil)).held }
  }

  #drainRequested(): void {
    if (this.#draining) return
    this.#draining = true
    this.#options.onDrain()
  }

  #tell(workers: readonly LeasedWorker[], held: readonly Fence[], leaseLeftMs: number): void {
    for (const worker of workers) {
      // Gone meanwhile.
      if (this.kept.get(worker.row.id) !== worker) continue
      const attempts = held
        .filter(({ workerId }) => workerId === worker.row.id)
        .map(({ jobKey, attempt }) => ({ jobKey, attempt }))
      worker.held(attempts, Math.max(0, leaseLeftMs))
    }
  }

  async #giveBack(): Promise<void> {
    if (this.#fenced.size === 0) return
    await this.#options.giveBack([...this.#fenced])
    this.#fenced = new Set()
  }

  #stopAll(): void {
    if (this.kept.size === 0) return
    this.#options.log.error(
      'leases could not be renewed in time: running handlers are told to stop, and none starts until the store takes writes again',
    )
    this.fenceAll()
  }

  /** Aborts the handlers of all workers, which claim nothing until a renewal is stored. */
  fenceAll(): void {
    for (const worker of this.kept.values()) {
      this.#fenced.add(worker.row.id)
      worker.fence()
    }
  }
}

export interface FenceOptions {
  clock: Clock
  leaseMs: number
  renewMs: number
  /** Called when the wall clock jumped forward or the machine slept: leases end sooner than measured. */
  onJump(): void
  onFence(): void
}

/** A wall clock that gained this much on monotonic time was set, or the machine slept. */
const jumpMs = 2000

/**
 * Detects lost leases: the time this process was awake since the last stored renewal reaches the lease. Time in which it could not
 * run (a stopped process, a suspended machine) does not count; the first renewal after it reports which attempts are still held.
 */
export class LeaseFence {
  readonly #options: FenceOptions
  readonly #tickMs: number
  #awakeMs = 0
  #closed = false
  #tickedAt: number
  #wallAt: number

  constructor(options: FenceOptions) {
    this.#options = options
    this.#tickMs = Math.min(1000, options.renewMs / 2)
    this.#tickedAt = options.clock.monotonic()
    this.#wallAt = options.clock.now()
  }

  /** A renewal that began at this monotonic instant was stored. */
  renewed(begunAt: number): void {
    this.#awakeMs = Math.min(this.#awakeMs, this.#options.clock.monotonic() - begunAt)
    this.#closed = false
  }

  /** Watches until `ended`. */
  async watch(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.#options.clock.sleep(this.#tickMs, ended)
      if (!ended.aborted) this.#tick()
    }
  }

  #tick(): void {
    const { clock, leaseMs, onJump, onFence } = this.#options
    const passed = clock.monotonic() - this.#tickedAt
    const jumped = clock.now() - this.#wallAt - passed > jumpMs
    this.#tickedAt += passed
    this.#wallAt = clock.now()
    this.#awakeMs += Math.min(passed, 2 * this.#tickMs)
    if (jumped) onJump()
    if (this.#closed || this.#awakeMs < leaseMs) return
    this.#closed = true
    onFence()
  }
}
