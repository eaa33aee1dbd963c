/** Renews the leases of the kept workers, one renewal in flight at a time, and says what each still holds. */
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { Store, WorkerRow } from '../store/store.ts'
import { Fence } from './keeper-fence.ts'

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
}

export class Renewals {
  readonly kept = new Map<string, KeptWorker>()
  failures = 0
  readonly #options: RenewalOptions
  readonly #fence: Fence
  #renewal: Promise<boolean> | null = null
  #failing = false
  /** Workers that were told to stop and hold attempts that nobody runs. */
  #fenced = new Set<string>()

  constructor(options: RenewalOptions) {
    this.#options = options
    this.#fence = new Fence({ ...options, onJump: () => void this.renew(), onFence: () => this.#stopAll() })
  }

  /** Until `ended`. */
  async run(ended: AbortSignal): Promise<void> {
    await Promise.all([this.#repeat(ended), this.#fence.watch(ended)])
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
    const { store, clock, log, leaseMs } = this.#options
    const workers = [...this.kept.values()]
    try {
      await this.#surrender()
      const begunAt = clock.monotonic()
      const now = store.now()
      const ids = workers.map((worker) => worker.row.id)
      const fences = ids.length > 0 ? await store.renew(ids, now + leaseMs, now) : []
      this.#fence.renewed(begunAt)
      if (this.#failing) log.info('leases are renewed again')
      this.#failing = false
      const leaseLeftMs = Math.max(0, leaseMs - (clock.monotonic() - begunAt))
      for (const worker of workers) {
        if (this.kept.get(worker.row.id) !== worker) continue
        const attempts = fences.filter((held) => held.workerId === worker.row.id).map(({ jobKey, attempt }) => ({ jobKey, attempt }))
        worker.held(attempts, leaseLeftMs)
      }
      return true
    } catch (error) {
      this.failures++
      if (!this.#failing) log.warn(`leases could not be renewed; trying again: ${error instanceof Error ? error.message : String(error)}`)
      this.#failing = true
      return false
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
    for (const worker of this.kept.values()) {
      this.#fenced.add(worker.row.id)
      worker.fence()
    }
  }
}
