/**
 * Tells the store how the breakers stand that this worker shares with nobody, so that people elsewhere can see them: once
 * at its start, and when one has changed, at most once a second. Nothing waits for it, and nothing is decided by it.
 */
import { reportBreakers } from '../../engine/plans/workers.ts'
import { transactOne } from '../../engine/transact-one.ts'
import type { Cancel, Clock } from '../../clock.ts'
import type { LocalBreaker } from '../../domain/breaker-row.ts'
import type { Logger } from '../../logger.ts'
import type { Dependencies } from '../../resilience/dependencies.ts'
import type { Store } from '../../store/port.ts'
import type { LoadedHandler } from '../handler/loaded-handler.ts'
import { ErrorThrottle } from '../error-throttle.ts'

export interface LocalBreakersParts {
  store: Pick<Store, 'transact' | 'now'>
  clock: Clock
  log: Logger
  workerId: string
  handlers: ReadonlyMap<string, LoadedHandler>
  dependencies: Pick<Dependencies, 'breakers'>
}

const restMs = 1_000

export class LocalBreakers {
  readonly #parts: LocalBreakersParts
  readonly #trouble: ErrorThrottle
  #state: 'new' | 'idle' | 'telling' | 'resting' | 'closed' = 'new'
  #again = false
  #cancel: Cancel = () => {}

  constructor(parts: LocalBreakersParts) {
    this.#parts = parts
    this.#trouble = new ErrorThrottle(parts.clock, parts.log, "telling how this worker's own breakers stand")
  }

  /** The worker has a row from now on. */
  start(): void {
    if (this.#state !== 'new' || this.#own().length === 0) return
    void this.#tell()
  }

  /** One may stand differently. */
  changed(): void {
    if (this.#state === 'idle') void this.#tell()
    else this.#again = true
  }

  close(): void {
    this.#state = 'closed'
    this.#cancel()
  }

  async #tell(): Promise<void> {
    const { store, workerId, clock } = this.#parts
    this.#state = 'telling'
    this.#again = false
    try {
      await transactOne(store, reportBreakers, { id: workerId, breakers: this.#own() })
      this.#trouble.over()
    } catch (error) {
      this.#again = true
      if (!this.#isClosed) this.#trouble.happened(error)
    }
    if (this.#isClosed) return
    this.#state = 'resting'
    this.#cancel = clock.after(restMs, () => this.#rested(), { unref: true })
  }

  #rested(): void {
    this.#state = 'idle'
    if (this.#again) void this.#tell()
  }

  get #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #own(): readonly LocalBreaker[] {
    const { dependencies, handlers, store } = this.#parts
    const now = store.now()
    return dependencies
      .breakers()
      .filter(({ shared }) => !shared)
      .map(({ name, mode, generation, ageMs, retryInMs }) => ({
        ...{ name, mode, generation },
        changedAt: Math.round(now - ageMs),
        expiresAt: mode === 'open' ? Math.round(now + retryInMs) : null,
        types: [...handlers.values()]
          .filter((handler) => handler.dependencies.get(name)?.breaker)
          .map(({ type }) => type),
      }))
  }
}
